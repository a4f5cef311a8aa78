"""Posts one notice to a URL and says what came of it: a program of its own, so that nothing it waits for holds us.

Started as `python -P -m duly.adapters.work.post FILE ID VARIABLE`; the variable holds the URL, which may be a secret,
and arguments are for everybody to see. Exits 0 if the notice was taken, else says why on stderr.
"""

import os
import sys
from pathlib import Path

import httpx


def main(file: str, notice_id: str, variable: str) -> int:
    """Post a file under an id to the URL in a variable; return the exit code."""
    headers = {"Idempotency-Key": notice_id, "Content-Type": "application/json"}
    content = Path(file).read_bytes()
    try:
        # Whoever started us limits the time. What the answer says besides its status is not waited for.
        with httpx.stream(
            "POST",
            os.environ[variable],
            content=content,
            headers=headers,
            timeout=None,
            follow_redirects=False,
        ) as answer:
            is_taken, words = answer.is_success, f"HTTP {answer.status_code}"
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        # UnicodeError: a host that no name server could be asked for.
        is_taken, words = False, f"{type(error).__name__}: {error}"
    sys.stderr.write(words + "\n")
    return 0 if is_taken else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
