"""Where a program is: as a shell would look for it, but in the PATH that was recorded with the revision."""

import os
import shutil
from pathlib import Path


def find_program(program: str, path: str, root: Path) -> str | None:
    """Return the program's path, relative names with a slash taken from `root`; None if there is no such program.

    A name with a placeholder is known only when it is started; it is taken to be there.
    """
    if "{" in program:
        return program
    if "/" not in program:
        return shutil.which(program, path=path or os.defpath)
    found = root / program
    return str(found) if found.is_file() and os.access(found, os.X_OK) else None
