"""The files of this repository, as the tests of the house see them."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src" / "duly"
TEXT: Final = frozenset(
    {".py", ".md", ".toml", ".txt", ".yaml", ".yml", ".json", ".sql", ".sh", ""}
)


@cache
def texts() -> tuple[Path, ...]:
    """Return every text file that is tracked or about to be."""
    command = [
        "git",
        "-c",
        "safe.directory=*",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    names = (
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
        .stdout.decode()
        .split("\0")
    )
    paths = {ROOT / name for name in names if name}
    return tuple(sorted(path for path in paths if path.suffix in TEXT and path.is_file()))


def modules(*folders: str) -> list[Path]:
    """Return the Python modules beneath these folders of the repository."""
    wanted = [ROOT / folder for folder in folders]
    return [p for p in texts() if p.suffix == ".py" and any(p.is_relative_to(w) for w in wanted)]


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def name_of(path: Path) -> str:
    """Return the path as a reader of the repository knows it."""
    return str(path.relative_to(ROOT))


def room_path(path: Path) -> str:
    """Return the path within the package: `engine/clock.py`."""
    return str(path.relative_to(PACKAGE))


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and full name of everything that a module imports: `time`, `duly.model.instant.Instant`."""
    for node in ast.walk(tree(path)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from ((node.lineno, f"{module}.{alias.name}") for alias in names)
            case _:
                pass


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function of a module, methods and inner ones too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
