"""Small automations for tests of a whole node, and what can be seen of their work."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

NOTE_START = 'echo "$DULY_WINDOW" >> "$DULY_CWDS/../starts"; '
REPORT = 'mkdir -p reports; echo "$DULY_WINDOW" > "$DULY_ARTIFACT"'


def definition(script: str = REPORT, **fields: Any) -> str:
    """Return a daily automation whose program is a shell script; it notes each start, and may write reports."""
    agent = {"command": ["sh", "-c", NOTE_START + script], **fields.pop("agent", {})}
    written = {
        "job_key": "report",
        "schedule": {"cron": "0 9 * * *", "timezone": "UTC"},
        "agent": agent,
        "write_scope": ["reports/*.md"],
        "result_artifact": "reports/{window}.md",
        **fields,
    }
    return json.dumps({name: value for name, value in written.items() if value is not None})


def report(restart: str, script: str = REPORT, **fields: Any) -> str:
    """Return an automation that writes one file in its scope."""
    return definition(script, agent={"restart": restart}, **fields)


def starts(root: Path) -> int:
    """Return how often the program was started."""
    noted = root.parent / "starts"
    return len(noted.read_text().splitlines()) if noted.exists() else 0


def outcome(found: Any) -> tuple[str | None, str | None]:
    """Return how a run ended, and why."""
    return found.run.outcome, found.run.reason


def files(root: Path) -> dict[str, str]:
    """Return every file beneath a directory, with its text."""
    return {
        str(path.relative_to(root)): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.is_symlink() and ".git" not in path.parts
    }


def lives(pid: int) -> bool:
    """Say whether a process runs; one that has ended and only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def git(repo: Path, *arguments: str) -> str:
    """Run git in a repository, as somebody."""
    env = os.environ | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    command = ["git", "-C", str(repo), *arguments]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout


def commit(repo: Path, name: str, text: str) -> str:
    """Commit one file and return the commit."""
    (repo / name).write_text(text)
    git(repo, "add", name)
    git(repo, "commit", "--quiet", "-m", name)
    return git(repo, "rev-parse", "HEAD").strip()
