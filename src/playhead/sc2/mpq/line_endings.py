"""Undoes what happens to a binary file that is transferred as text: every LF made CR LF.

Version control that takes a replay for text does this. It only does it to files that have no CR LF of their own,
so that taking every CR in front of an LF away gives the file back exactly.
"""

from __future__ import annotations


def undo_line_endings(data: memoryview) -> memoryview | None:
    """The file as it was; None if its line ends have not been changed."""
    raw = bytes(data)
    changed = raw.count(b"\r\n")
    if not changed or raw.count(b"\n") != changed:
        return None
    return memoryview(raw.replace(b"\r\n", b"\n"))
