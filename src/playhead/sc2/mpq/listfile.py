"""``(listfile)``: the archive's own list of the names of its members, one a line."""

from __future__ import annotations

from playhead.errors import LimitExceeded

#: Real ones have less than 1 kB; every name costs two hashes.
MAX_SIZE = 1 << 20


def read_listfile(data: bytes) -> list[str]:
    """The names; bytes that are no UTF-8 become U+FFFD (and such a name leads nowhere).

    Raises:
        LimitExceeded: more than `MAX_SIZE` bytes.
    """
    if len(data) > MAX_SIZE:
        raise LimitExceeded(f"expected a list of names of at most {MAX_SIZE} bytes, found {len(data)}")
    return data.decode("utf-8", "replace").split("\r\n")
