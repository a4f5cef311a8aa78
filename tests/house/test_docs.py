"""The pages of the repository: what they link to exists, what they define is defined once."""

import importlib
import re
from collections import Counter

import pytest

from tests.house.sources import PACKAGE, ROOT, name_of, texts

PAGES = [path for path in texts() if path.suffix == ".md"]
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINES_MAX = {"ARCHITECTURE.md": 150, "AGENTS.md": 80}


def _anchors(path):
    for heading in HEADING.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        words = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        yield words.replace(" ", "-")


def _is_broken(page, target):
    name, _, anchor = target.partition("#")
    path = (page.parent / name).resolve() if name else page
    return not path.exists() or bool(anchor and anchor not in set(_anchors(path)))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_within_the_repository_resolves(page):
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    inner = [t for t in LINK.findall(prose) if not re.match(r"[a-z]+:", t)]
    assert [target for target in inner if _is_broken(page, target)] == []


def test_the_glossary_defines_each_word_once():
    rows = re.findall(r"^\| ([^|]+) \|", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE)
    words = Counter(word for word in rows if word != "word" and not word.startswith("-"))
    assert [word for word, times in words.items() if times > 1] == []
    assert len(words) > 50


def test_every_piece_of_news_says_what_kind_it_is():
    names = [p.name for p in texts() if p.parent == ROOT / "news" and p.name != "README.md"]
    wrong = [
        n for n in names if not re.fullmatch(r"[a-z0-9][a-z0-9-]*\.(added|changed|fixed)\.md", n)
    ]
    assert wrong == []


def test_decisions_are_numbered_without_a_gap():
    names = sorted(p.name for p in texts() if p.parent == ROOT / "docs/decisions")
    assert all(re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", name) for name in names), names
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))


@pytest.mark.parametrize("name", LINES_MAX)
def test_a_page_that_everybody_reads_stays_short(name):
    assert len((ROOT / name).read_text().splitlines()) <= LINES_MAX[name]


def test_the_architecture_names_every_room():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    rooms = [p.name for p in PACKAGE.iterdir() if (p / "__init__.py").is_file()]
    assert [room for room in rooms if not re.search(rf"`{room}/?`", text)] == []


def test_the_policy_tables_page_is_what_the_code_says():
    tables = importlib.import_module("duly.policy.tables")
    page = ROOT / "docs/policy-tables.md"
    is_current = page.read_text(encoding="utf-8") == tables.render()
    assert is_current, "run `make docs`"
