"""Fill in, or check, which tests stand for each acceptance case in `tests/cases/README.md`.

A test stands for a case by its name: `test_case_a07_keys_do_not_depend_on_the_scan` stands for A07.
"""

import re
from collections import defaultdict
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
CATALOGUE: Final = ROOT / "tests" / "cases" / "README.md"

_ROW: Final = re.compile(r"^\| ([A-H]\d\d) \|(.*)\| [^|]*\|$", re.MULTILINE)
_TEST: Final = re.compile(r"^\s*(?:async )?def test_case_([a-h]\d\d)_", re.MULTILINE)

# What the first release must keep; what is built later adds its numbers here.
PROMISED: Final = frozenset(
    re.findall(
        r"\w+",
        """
        A01 A02 A03 A04 A05 A06 A07 A08 A11 A12 A13 A14 A15 A16 A18 A19 A21 A22 A23 A24 A25 A26
        B01 B02 B03 B04 B05 B06 B08 B09 B10
        C01 C02 C03 C04 C05 C06 C07 C08
        D01 D02 D05 D06 D07 D08 D09 D11
        E01 E02 E03 E04 E05 E06 E07 E08 E09
        H04 H05 H09 H11
        """,
    )
)


def cases() -> list[str]:
    """Return the numbers of the catalogue, in its order."""
    return [match[1] for match in _ROW.finditer(CATALOGUE.read_text(encoding="utf-8"))]


def tests() -> dict[str, list[str]]:
    """Return for each case the test modules that stand for it, as paths within the repository."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for number in sorted(
            {match[1].upper() for match in _TEST.finditer(path.read_text("utf-8"))}
        ):
            found[number].append(str(path.relative_to(ROOT)))
    return dict(found)


def filled() -> str:
    """Return the catalogue with its last column as it should be."""
    found = tests()

    def row(match: re.Match[str]) -> str:
        return f"| {match[1]} |{match[2]}| {_status(match[1], found.get(match[1], []))} |"

    return _ROW.sub(row, CATALOGUE.read_text(encoding="utf-8"))


def _status(number: str, paths: list[str]) -> str:
    if paths:
        return ", ".join(
            f"[{path.removeprefix('tests/')}](../{path.removeprefix('tests/')})" for path in paths
        )
    return "promised, no test yet" if number in PROMISED else "later"


if __name__ == "__main__":
    CATALOGUE.write_text(filled(), encoding="utf-8")
    missing = sorted(PROMISED - tests().keys())
    print(f"{len(PROMISED) - len(missing)} of {len(PROMISED)} promised cases have a test", *missing)
