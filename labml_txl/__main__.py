"""`python -m labml_txl` is the command `txl`, for programs that start modules."""

import sys

from labml_txl.cli import main

if __name__ == "__main__":
    sys.exit(main())
