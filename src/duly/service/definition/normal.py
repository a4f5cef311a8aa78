"""The definition as written, in its normal form: what digest and export are made from."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Freeze = Callable[[str, str], str]
"""`freeze(path, pointer)` keeps a file's bytes and returns their SHA-256."""


def normal(data: Mapping[str, Any], base: Path, freeze: Freeze) -> dict[str, Any]:
    """Return the definition without what depends on where it was written from.

    Relative paths become absolute, and files that are frozen with the revision carry their hash. Defaults stay out.
    """
    written = dict(data)
    written["cwds"] = [_absolute(path, base) for path in data.get("cwds") or ["."]]
    inputs, prompt = data.get("inputs"), data.get("prompt")
    if isinstance(inputs, Mapping) and inputs.get("repo"):
        written["inputs"] = {**inputs, "repo": _absolute(inputs["repo"], base)}
    if isinstance(prompt, Mapping):
        written["prompt"] = _frozen_prompt(prompt, base, freeze)
    return written


def as_written(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return a normal form as a document again: frozen files are named by their paths."""
    document = dict(written)
    prompt = written.get("prompt")
    if isinstance(prompt, Mapping):
        document["prompt"] = {name: _named(value) for name, value in prompt.items()}
    return document


def _named(value: Any) -> Any:
    if isinstance(value, Mapping) and set(value) == {"path", "sha256"}:
        return value["path"]
    return [_named(item) for item in value] if isinstance(value, list) else value


def _frozen_prompt(prompt: Mapping[str, Any], base: Path, freeze: Freeze) -> dict[str, Any]:
    frozen = dict(prompt)
    if prompt.get("file"):
        frozen["file"] = _frozen(prompt["file"], "/prompt/file", base, freeze)
    skills = prompt.get("skills") or ()
    if skills:
        frozen["skills"] = [
            _frozen(name, f"/prompt/skills/{place}", base, freeze)
            for place, name in enumerate(skills)
        ]
    return frozen


def _frozen(name: str, pointer: str, base: Path, freeze: Freeze) -> dict[str, str]:
    path = _absolute(name, base)
    return {"path": path, "sha256": freeze(path, pointer)}


def _absolute(path: str, base: Path) -> str:
    return str((base / path).expanduser().resolve())
