"""Kinds of fields, for the text that `playhead.blizzard.events.record` writes.

Compiled modules take them from the enum of the same names in ``text_kinds.pxd``; a test holds the two equal.
"""

from __future__ import annotations

FLAG, WHOLE, SCALED, CODE, TAG, LIST, PARTS, SPOTS = range(8)
