"""Files that agents see and make: stored bytes, frozen inputs, working copies, differences, publication."""
