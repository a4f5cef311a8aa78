"""Everything outside the process: subprocesses, files, sockets, clocks."""
