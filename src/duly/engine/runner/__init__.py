"""One attempt of one run: collect, run the program, examine, publish, settle; each part asks, records and goes on."""
