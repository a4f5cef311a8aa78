"""Takes secret values out of a stream of bytes, wherever its pieces are cut."""

import base64
import binascii
import json
import re
import urllib.parse
from collections.abc import Iterable
from typing import Final

MARK: Final = b"[redacted]"
# A shorter value would blot out ordinary words, and hides nothing.
_BYTES_MIN: Final = 4
_LINE_BYTES_MIN: Final = 12
_BASE64_BYTES_MIN: Final = 8


class Redaction:
    """Replaces each secret value by `[redacted]`, and its base64, hexadecimal, URL and JSON forms too.

    Bytes that may be the beginning of a secret are held back until more, or the end, shows what they are.
    The result does not depend on how the stream was cut.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        """Know all the values before the stream begins; those under 4 bytes are not redacted."""
        forms = {form for secret in secrets for form in _forms(secret)}
        self._forms = sorted(forms, key=lambda form: (-len(form), form))
        self._pattern = re.compile(b"|".join(map(re.escape, self._forms)))
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Return what is known to be clean by now."""
        if not self._forms:
            return data
        data = self._held + data
        clean: list[bytes] = []
        position = 0
        while True:
            found = self._pattern.search(data, position)
            hold = self._first_beginning(data, position)
            if found is None or found.start() >= hold:
                break
            clean += (data[position : found.start()], MARK)
            position = found.end()
        self._held = data[hold:]
        clean.append(data[position:hold])
        return b"".join(clean)

    def finish(self) -> bytes:
        """Return the rest."""
        rest, self._held = self._held and self._pattern.sub(MARK, self._held), b""
        return rest

    def _first_beginning(self, data: bytes, position: int) -> int:
        """Return where the first secret begins that the end of the data cuts off; the end if none does."""
        first = len(data)
        for form in self._forms:
            at = data.find(form[:1], max(position, len(data) - len(form) + 1))
            while 0 <= at < first:
                if form.startswith(data[at : at + 8]) and form.startswith(data[at:]):
                    first = at
                at = data.find(form[:1], at + 1)
        return first


def _forms(secret: str) -> Iterable[bytes]:
    raw = secret.encode("utf-8", "surrogateescape")
    lines = [line for line in raw.split(b"\n") if len(line) >= _LINE_BYTES_MIN]
    for value in {raw, raw.strip(), *lines}:
        if len(value) >= _BYTES_MIN:
            yield value
            yield binascii.hexlify(value)
            yield binascii.hexlify(value).upper()
            yield urllib.parse.quote_from_bytes(value, safe="").encode()
            yield urllib.parse.quote_from_bytes(value).encode()
            yield json.dumps(value.decode("utf-8", "replace"))[1:-1].encode()
            yield from _base64_forms(value)


def _base64_forms(value: bytes) -> Iterable[bytes]:
    """Yield what is certain to stand in any base64 text of something that holds the value."""
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + value)
        # The letters at both ends also depend on what stands beside the value.
        core = text[(shift * 8 + 5) // 6 : (shift + len(value)) * 8 // 6]
        if len(core) >= _BASE64_BYTES_MIN:
            yield core
            yield core.translate(bytes.maketrans(b"+/", b"-_"))
