"""Small git repositories for the tests of the examples, with the dates and contents that a test needs."""

import os
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

DAY = 86_400
NOON = int(datetime(2026, 9, 16, 12, tzinfo=UTC).timestamp())


@dataclass(frozen=True)
class SmallRepository:
    """A repository in a temporary directory."""

    path: Path

    def git(self, *arguments, given=b"", date=NOON):
        when = f"@{date} +0000"
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.path),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_DATE": when,
        }
        return subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=environment,
            input=given,
            capture_output=True,
            check=True,
        ).stdout

    def commit(self, files, subject="Change", date=NOON, author="Ada"):
        """Write files (None: delete) and commit them; return the commit's name."""
        for name, content in files.items():
            path = os.path.join(os.fsencode(self.path), os.fsencode(name))
            if content is None:
                os.unlink(path)
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
        self.git("add", "--all")
        message = subject if isinstance(subject, bytes) else subject.encode()
        author = f"--author={author} <ada@example.org>"
        self.git("commit", "--quiet", "--allow-empty", author, "--file=-", given=message, date=date)
        return self.head()

    def head(self):
        return self.git("rev-parse", "HEAD").decode().strip()


def made_at(path):
    """Return a new empty repository."""
    path.mkdir()
    repository = SmallRepository(path)
    repository.git("init", "--quiet", "--initial-branch=main")
    return repository
