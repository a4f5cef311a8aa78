"""Write docs/settings.md anew from the engine's settings."""

from pathlib import Path
from typing import Final

from duly.engine.settings import render

PAGE: Final = Path(__file__).parents[1] / "docs" / "settings.md"

if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
