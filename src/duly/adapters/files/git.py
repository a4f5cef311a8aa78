"""Reads a git repository that somebody else works in: its head, and a private checkout of one commit."""

import os
import re
import subprocess
from pathlib import Path
from typing import Final

from duly.adapters.files.removal import remove_tree
from duly.model.errors import DulyError

_CONFIG: Final = Path(__file__).with_name("git.config")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_TIMEOUT_S: Final = 600
# Git says so in these words in the locale that we give it; anything else is a repository that it cannot read.
_NO_REPOSITORY: Final = "not a git repository"


class RepositoryError(DulyError):
    """There is no repository, or none with a commit. Name one that has."""

    code = "repository-unusable"


class CommitGoneError(DulyError):
    """The frozen commit is no longer in the repository. Bring it back, or redo the run with a new input version."""

    code = "commit-gone"


class GitError(DulyError):
    """Git itself failed. Read its message, correct the cause, then resume the run."""

    code = "git-failed"


def git_head(repository: Path) -> str:
    """Return the commit that a repository (or a worktree, or a directory in it) stands at."""
    _common_directory(repository)
    found = _git("-C", str(repository), "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if found.returncode:
        raise _headless(repository)
    return found.stdout.strip()


def _headless(repository: Path) -> RepositoryError:
    """Tell a repository that was never committed to from one whose newest commit cannot be read."""
    if _git("-C", str(repository), "rev-parse", "--verify", "--quiet", "HEAD").returncode:
        return RepositoryError(f"{repository} has no commits", fix="commit something first")
    return RepositoryError(
        f"{repository} is damaged: the commit it stands at cannot be read",
        fix="see git fsck, and restore it from a clone",
    )


def clone_at(repository: Path, commit: str, target: Path) -> None:
    """Check a commit out into a new directory that shares the repository's objects and knows no remote.

    The repository must stay where it is while the copy is used. On failure nothing is left at `target`.
    """
    if not _COMMIT.fullmatch(commit):
        raise CommitGoneError(f"{commit!r} is no full commit id")
    source = _common_directory(repository)
    if _git("-C", str(repository), "cat-file", "-e", f"{commit}^{{commit}}").returncode:
        raise CommitGoneError(f"{repository} no longer holds the commit {commit}")
    if target.exists():
        raise FileExistsError(target)
    try:
        _must(
            "clone",
            "--quiet",
            "--shared",
            "--no-checkout",
            "--template=",
            "--",
            source,
            str(target),
        )
        _must("-C", str(target), "remote", "remove", "origin")
        _must("-C", str(target), "checkout", "--quiet", "--detach", commit, "--")
    except GitError:
        remove_tree(target)
        raise


def _common_directory(repository: Path) -> str:
    """Return where the repository keeps its objects, also for a worktree or a bare one."""
    if not repository.is_dir():
        raise RepositoryError(
            f"{repository} is no directory", fix="name a directory with a repository"
        )
    found = _git("-C", str(repository), "rev-parse", "--path-format=absolute", "--git-common-dir")
    if found.returncode and _NO_REPOSITORY not in found.stderr:
        raise GitError(f"{repository} cannot be read: {found.stderr.strip()}")
    if found.returncode:
        raise RepositoryError(
            f"{repository} is not a git repository", fix="run git init, and commit"
        )
    return found.stdout.removesuffix("\n")


def _must(*arguments: str) -> None:
    found = _git(*arguments)
    if found.returncode:
        raise GitError(f"git {arguments[0]}: {found.stderr.strip() or found.returncode}")


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=_environment(),
            encoding="utf-8",
            errors="surrogateescape",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError:
        raise GitError("the program git is missing", fix="install git") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git {arguments[0]} took longer than {_TIMEOUT_S} s") from None


def _environment() -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",
        "HOME": "/nonexistent",
        "GIT_CONFIG_GLOBAL": str(_CONFIG),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "file",
    }
