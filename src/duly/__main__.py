"""`python -m duly`."""

import sys

from duly.app import main

if __name__ == "__main__":
    sys.exit(main())
