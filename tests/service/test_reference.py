"""The published words about definitions: every field has them, and the pages have what the code says."""

import json
import re

import pytest

from duly.service.definition import reference, source
from duly.service.definition.document import RESERVED, Document
from tests.house.sources import ROOT
from tools import definition_schema

PAGES = ("README.md", "docs/definitions.md", "docs/getting-started.md")
BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _shapes():
    schema = Document.model_json_schema()
    yield "Document", schema
    yield from schema["$defs"].items()


def test_every_field_of_a_definition_has_a_meaning_and_nothing_else_has():
    fields = {
        f"{place}.{field}".removeprefix(".")
        for name, shape in _shapes()
        for field in shape["properties"]
        for place in [reference._PLACES[name]]
    }
    assert fields == set(reference.FIELDS)


def test_the_schema_names_every_reserved_field_and_refuses_it():
    schema = reference.schema()
    for pointer in RESERVED:
        *path, field = pointer.strip("/").split("/")
        names = {"": "", "schedule": "Schedule", "agent": "Agent", "expect": "Expect"}
        name = names.get("/".join(path), "Allow")
        shape = schema["$defs"][name] if name else schema
        assert shape["properties"][field]["not"] == {}, pointer


def test_the_schema_file_and_the_table_of_fields_are_what_the_code_says():
    schema = definition_schema.SCHEMA.read_text(encoding="utf-8")
    page = definition_schema.PAGE.read_text(encoding="utf-8")
    is_current = schema == definition_schema.schema_text() and page == definition_schema.filled(
        page
    )
    assert is_current, "run `make docs`"


def test_the_page_names_every_reserved_field():
    reserved = definition_schema.PAGE.read_text(encoding="utf-8").partition("## Reserved")[2]
    assert set(re.findall(r"`([a-z_.]+)`", reserved)) == {
        pointer.strip("/").replace("/", ".") for pointer in RESERVED
    }


def _examples():
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        yield from (pytest.param(block, id=page) for block in BLOCK.findall(text))
    example = ROOT / "examples/repo_digest/duly.yaml"
    yield pytest.param(example.read_text(encoding="utf-8"), id=example.name)


@pytest.mark.parametrize("text", list(_examples()))
def test_an_example_of_the_pages_is_a_definition(text):
    for written in source.read(text):
        Document.model_validate(written.data)


def test_the_schema_accepts_no_word_that_the_model_refuses():
    # What an editor offers has to be what `apply` takes; defaults are told in words, so none is offered as a value.
    text = json.dumps(reference.schema())
    assert '"default":' not in text
    assert '"null"' not in text
