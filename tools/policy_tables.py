"""Write `docs/policy-tables.md` from the code that decides, so that the page cannot say anything else."""

from pathlib import Path
from typing import Final

from duly.policy import tables

PAGE: Final = Path(__file__).parents[1] / "docs" / "policy-tables.md"

if __name__ == "__main__":
    PAGE.write_text(tables.render(), encoding="utf-8")
