"""Write `docs/duly.schema.json`, and the table of fields in `docs/definitions.md`, from the code."""

import json
from pathlib import Path
from typing import Final

from duly.service.definition import reference

DOCS: Final = Path(__file__).parents[1] / "docs"
SCHEMA: Final = DOCS / "duly.schema.json"
PAGE: Final = DOCS / "definitions.md"
BEGIN: Final = "<!-- Every field: written by `make docs`. -->\n"
END: Final = "<!-- End of every field. -->\n"


def schema_text() -> str:
    """Return the schema as the file has it."""
    return json.dumps(reference.schema(), indent=2, ensure_ascii=False) + "\n"


def filled(page: str) -> str:
    """Return the page with its table as it should be."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{reference.table()}\n{END}{after}"


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), encoding="utf-8")
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
