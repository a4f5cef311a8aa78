"""A commit is checked out privately; the repository, its settings and its hooks stay out of it."""

import os
import subprocess

import pytest

from duly.adapters.files.git import (
    CommitGoneError,
    GitError,
    RepositoryError,
    clone_at,
    git_head,
)

IDENTITY = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]


def git(directory, *arguments):
    env = {"PATH": os.environ["PATH"], "HOME": str(directory), "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        ["git", *IDENTITY, *arguments],
        cwd=directory,
        env=env,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path):
    """A repository with two commits, a dirty file, a hook and a setting that would run programs."""
    path = tmp_path / "repo with space"
    path.mkdir()
    git(path, "init", "--quiet", "--initial-branch=main")
    for text in ("one", "two"):
        (path / "file").write_text(text)
        (path / "dir").mkdir(exist_ok=True)
        (path / "dir" / "x").write_text(text)
        git(path, "add", "file", "dir")
        git(path, "commit", "--quiet", "-m", text)
    (path / "file").write_text("dirty")
    hook = path / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hook-ran\n")
    hook.chmod(0o755)
    git(path, "config", "core.fsmonitor", f"touch {tmp_path}/monitor-ran;")
    return path


def test_a_commit_is_checked_out_clean_and_detached(repository, tmp_path):
    head = git_head(repository)
    clone_at(repository, head, tmp_path / "copy")
    assert (tmp_path / "copy" / "file").read_text() == "two"
    assert git(tmp_path / "copy", "rev-parse", "HEAD") == head
    assert git(tmp_path / "copy", "log", "--format=%s") == "two\none"
    assert git(tmp_path / "copy", "remote") == ""
    assert git(tmp_path / "copy", "status", "--porcelain") == ""


def test_an_older_commit_is_found_though_no_branch_ends_there(repository, tmp_path):
    older = git(repository, "rev-parse", "HEAD~1")
    git(repository, "checkout", "--quiet", "--force", "--orphan", "fresh")
    git(repository, "commit", "--quiet", "-m", "fresh")
    git(repository, "branch", "-D", "main")
    clone_at(repository, older, tmp_path / "copy")
    assert (tmp_path / "copy" / "dir" / "x").read_text() == "one"


def test_the_repository_is_not_changed_and_runs_nothing(repository, tmp_path):
    before = git(repository, "-c", "core.fsmonitor=false", "status", "--porcelain", "--branch")
    (tmp_path / "monitor-ran").unlink(missing_ok=True)
    (tmp_path / "hook-ran").unlink(missing_ok=True)
    clone_at(repository, git_head(repository), tmp_path / "copy")
    after = git(repository, "-c", "core.fsmonitor=false", "status", "--porcelain", "--branch")
    assert after == before
    assert not (tmp_path / "hook-ran").exists()
    assert not (tmp_path / "monitor-ran").exists()
    assert list((tmp_path / "copy" / ".git").glob("hooks/*")) == []


def test_worktrees_directories_and_bare_repositories_have_heads_too(repository, tmp_path):
    head = git_head(repository)
    git(repository, "worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"), head)
    git(repository, "clone", "--quiet", "--bare", str(repository), str(tmp_path / "bare"))
    for number, place in enumerate([repository / "dir", tmp_path / "tree", tmp_path / "bare"]):
        assert git_head(place) == head
        clone_at(place, head, tmp_path / f"copy-{number}")
        assert (tmp_path / f"copy-{number}" / "file").read_text() == "two"


def test_a_repository_of_another_owner_may_be_read(repository, tmp_path):
    if os.geteuid() != 0:  # only root can give files away; others own what they test with
        return
    for path in [repository, *repository.rglob("*")]:
        os.chown(path, 65534, 65534, follow_symlinks=False)
    clone_at(repository, git_head(repository), tmp_path / "copy")
    assert (tmp_path / "copy" / "file").read_text() == "two"


def test_what_is_no_repository_or_has_no_commit_is_told(tmp_path):
    with pytest.raises(RepositoryError, match="no directory"):
        git_head(tmp_path / "gone")
    (tmp_path / "plain").mkdir()
    with pytest.raises(RepositoryError, match="not a git repository"):
        git_head(tmp_path / "plain")
    git(tmp_path / "plain", "init", "--quiet")
    with pytest.raises(RepositoryError, match="no commits"):
        git_head(tmp_path / "plain")


def test_a_damaged_repository_is_not_taken_for_an_empty_one(repository):
    newest = git(repository, "rev-parse", "HEAD")
    (repository / ".git" / "objects" / newest[:2] / newest[2:]).unlink()
    with pytest.raises(RepositoryError, match="damaged"):
        git_head(repository)


def test_a_repository_that_git_cannot_read_is_told_in_the_words_of_git(repository):
    git(repository, "config", "core.repositoryFormatVersion", "1")
    git(repository, "config", "extensions.ofTomorrow", "true")
    with pytest.raises(GitError, match="oftomorrow"):
        git_head(repository)


@pytest.mark.parametrize("commit", ["0" * 40, "HEAD", "--upload-pack=x", "", "abc"])
def test_a_commit_that_is_gone_or_no_commit_id_is_told_and_nothing_is_left(
    repository, tmp_path, commit
):
    with pytest.raises(CommitGoneError):
        clone_at(repository, commit, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_target_that_exists_is_never_used(repository, tmp_path):
    (tmp_path / "copy").mkdir()
    with pytest.raises(FileExistsError):
        clone_at(repository, git_head(repository), tmp_path / "copy")
