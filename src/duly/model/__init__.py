"""Words as frozen records, ids, ports and errors; imports nothing of Duly."""
