"""What people and programs talk to: command line and HTTP."""
