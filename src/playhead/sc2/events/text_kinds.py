"""Kinds of fields, for the text that `playhead.sc2.events.payload_columns` writes.

Compiled modules take them from the enum of the same names in ``text_kinds.pxd``; a test holds the two equal.
"""

from __future__ import annotations

FLAG = 0
WHOLE = 1
DIVIDED = 2
TIMES = 3
CODE = 4
TAG = 5
LIST = 6
PARTS = 7
SPOTS = 8
