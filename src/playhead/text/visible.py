"""Text of a file made safe for a terminal: control characters are escaped.

A name in a replay may contain escape sequences, which move the cursor, change the title or type in the user's
place, and direction marks, which make a line read as another. They are shown as ``\\u001b``, as JSON writes them.
"""

from __future__ import annotations

_CONTROLS = (
    *range(0x20),  # C0
    *range(0x7F, 0xA0),  # DELETE and C1
    0x061C,  # ARABIC LETTER MARK
    0x200E,  # LEFT-TO-RIGHT MARK
    0x200F,  # RIGHT-TO-LEFT MARK
    0x2028,  # LINE SEPARATOR
    0x2029,  # PARAGRAPH SEPARATOR
    *range(0x202A, 0x202F),  # embeddings and overrides
    *range(0x2066, 0x206A),  # isolates
    0xFEFF,  # ZERO WIDTH NO-BREAK SPACE
)
_IN_A_LINE = {code: f"\\u{code:04x}" for code in _CONTROLS}
_IN_LINES = {code: shown for code, shown in _IN_A_LINE.items() if chr(code) not in "\n\t"}


def visible(text: str) -> str:
    """Return text with every control character escaped, including line ends and tabs."""
    return text if text.isprintable() else text.translate(_IN_A_LINE)


def visible_lines(text: str) -> str:
    """Return text with every control character escaped except line ends and tabs."""
    return text if text.isprintable() else text.translate(_IN_LINES)
