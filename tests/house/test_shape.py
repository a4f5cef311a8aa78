"""The shape of the code, checked like any other promise: sizes, names, and what each room may touch."""

import ast
import re

import pytest

from tests.house.sources import (
    ROOT,
    functions,
    imported,
    modules,
    name_of,
    room_path,
    texts,
    tree,
)

SOURCES = modules("src")
EVERYTHING = modules("src", "tests", "tools", "examples", "bench")

LINES_IN_FUNCTION, LINES_IN_MODULE, ARGUMENTS = 50, 400, 6

CLOCK_CALLS = {
    "now",
    "utcnow",
    "today",
    "time",
    "time_ns",
    "monotonic",
    "monotonic_ns",
    "clock_gettime_ns",
}
CLOCK_OWNERS = {"time", "datetime", "date", "datetime.datetime", "datetime.date"}
MAY_READ_CLOCK = ("adapters/clock.py", "engine/clock.py", "ledger/sqlite/")
MAY_START_OTHERS = ("adapters/", "engine/", "interfaces/http/", "testkit/")
MAY_HAVE_THREADS = (*MAY_START_OTHERS, "ledger/sqlite/", "app/")
MAY_CATCH_ALL = ("engine/guard.py", "ledger/sqlite/", "ledger/session.py")
MAY_NAME_THE_STORE = ("ledger/", "testkit/", "app/")

SQL = re.compile(
    r"\s*(--.*\n\s*)?(select\s.+\sfrom\s|insert\s+(or\s+\w+\s+)?into\s|update\s+\w+\s+set\s|delete\s+from\s"
    r"|create\s+(unique\s+)?(table|index|view)\s|pragma\s+\w|begin\s+immediate)",
    re.IGNORECASE | re.DOTALL,
)
# One word, one meaning: these mean too little to be part of a name (`job_key` is the one exception).
EMPTY_WORDS = re.compile(
    r"(^|_)(jobs?|tasks?|handlers?|handle|managers?|utils?|helpers?|process(es)?)(_|$)"
)
# The engine's loops wait on handles; the glossary says what that is.
DEFINED = {"Handle"}
# Where this was written is nobody's business; spelled apart so that this file passes its own test.
PLACES = [
    "/wor" + "k/",
    "/opt/" + "pypi",
    "/opt/" + "wheels",
    "pypi" + ".org",
    "python" + "hosted.org",
]


def _failures(found):
    assert not (lines := list(found)), "\n" + "\n".join(lines)


@pytest.mark.parametrize("path", EVERYTHING, ids=name_of)
def test_a_module_is_small_and_says_what_it_is_for(path):
    assert ast.get_docstring(tree(path)), "say in one sentence what this module is for"
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LINES_IN_MODULE, f"{lines} lines: split by responsibility"


@pytest.mark.parametrize("path", EVERYTHING, ids=name_of)
def test_a_function_is_small(path):
    _failures(
        f"{name_of(path)}:{node.lineno} {node.name} has {lines} lines"
        for node in functions(path)
        if (lines := (node.end_lineno or 0) - node.lineno + 1) > LINES_IN_FUNCTION
    )


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_function_takes_few_arguments(path):
    def arguments(node):
        names = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        return [name for name in names if name not in {"self", "cls"}]

    _failures(
        f"{name_of(path)}:{node.lineno} {node.name} takes {len(arguments(node))}: make a record"
        for node in functions(path)
        if len(arguments(node)) > ARGUMENTS
    )


def test_only_the_clock_modules_read_a_clock():
    def reads(path):
        for node in ast.walk(tree(path)):
            match node:
                case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in CLOCK_CALLS:
                    if ast.unparse(owner) in CLOCK_OWNERS:
                        yield node.lineno
                case _:
                    pass
        for line, name in imported(path):
            if name.startswith("time.") and name.removeprefix("time.") in CLOCK_CALLS:
                yield line

    _failures(
        f"{name_of(path)}:{line} reads a clock; take `at: Instant`, or ask the clock that was given"
        for path in SOURCES
        if not room_path(path).startswith(MAY_READ_CLOCK)
        for line in reads(path)
    )


@pytest.mark.parametrize(
    ("names", "may"),
    [
        ({"subprocess", "socket", "pty"}, MAY_START_OTHERS),
        ({"threading", "_thread", "concurrent", "multiprocessing"}, MAY_HAVE_THREADS),
        ({"apsw", "sqlite3"}, ("ledger/",)),
    ],
    ids=["others", "threads", "stores"],
)
def test_a_room_imports_only_what_belongs_there(names, may):
    _failures(
        f"{name_of(path)}:{line} imports {name}; that belongs in {', '.join(may)}"
        for path in SOURCES
        if not room_path(path).startswith(may)
        for line, name in imported(path)
        if name.partition(".")[0] in names
    )


def test_other_rooms_know_only_the_protocol_of_the_ledger():
    _failures(
        f"{name_of(path)}:{line} imports {name}; only duly.ledger.api is for other rooms"
        for path in SOURCES
        if not room_path(path).startswith(MAY_NAME_THE_STORE)
        for line, name in imported(path)
        if name.startswith("duly.ledger.") and not name.startswith("duly.ledger.api")
    )


def test_sql_is_in_the_ledger_only():
    def docstrings(path):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                yield node.value

    _failures(
        f"{name_of(path)}:{node.lineno} holds SQL; name it in a .sql file of the ledger"
        for path in SOURCES
        if not room_path(path).startswith("ledger/")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if SQL.match(node.value) and node not in set(docstrings(path))
    )
    _failures(name_of(p) for p in texts() if p.suffix == ".sql" and "ledger" not in p.parts)


def test_only_the_guard_and_the_writer_catch_everything():
    def is_broad(handler):
        caught = ast.unparse(handler.type) if handler.type else "BaseException"
        hands_on = isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None
        return not hands_on and bool(re.search(r"\b(Base)?Exception\b", caught))

    _failures(
        f"{name_of(path)}:{node.lineno} catches everything; catch what you can act on"
        for path in SOURCES
        if not room_path(path).startswith(MAY_CATCH_ALL)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler) and is_broad(node)
    )


def test_no_shell_reads_a_command():
    _failures(
        f"{name_of(path)}:{node.lineno} gives a command to a shell; pass an argv list"
        for path in EVERYTHING
        for node in ast.walk(tree(path))
        if isinstance(node, ast.keyword)
        and node.arg == "shell"
        and ast.unparse(node.value) != "False"
    )


def test_records_of_the_pure_rooms_are_frozen_and_slotted():
    def is_loose(node):
        marks = [
            ast.unparse(mark) for mark in node.decorator_list if "dataclass" in ast.unparse(mark)
        ]
        return any("frozen=True" not in mark or "slots=True" not in mark for mark in marks)

    _failures(
        f"{name_of(path)}:{node.lineno} {node.name} is a dataclass that can change"
        for path in modules(
            *(f"src/duly/{room}" for room in ("model", "policy", "recurrence", "transactions"))
        )
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef) and is_loose(node)
    )


def test_names_say_something():
    def names(path):
        yield 1, path.stem
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield node.lineno, node.name

    _failures(
        f"{name_of(path)}:{line} {name}: use a word of docs/glossary.md"
        for path in SOURCES
        for line, name in names(path)
        if EMPTY_WORDS.search(_apart(name).replace("job_key", "")) and name not in DEFINED
    )


def _apart(name):
    """Return a name in snake case: `RunState` as `run_state`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def test_no_file_names_the_place_where_it_was_written():
    _failures(
        f"{name_of(path)} names {place}"
        for path in texts()
        for place in PLACES
        if place in path.read_text(encoding="utf-8")
    )


def test_the_contracts_of_the_rooms_have_no_exceptions():
    assert "ignore_imports" not in (ROOT / "pyproject.toml").read_text()
