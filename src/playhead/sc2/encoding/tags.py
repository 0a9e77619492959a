"""The tags of values in the tagged encoding (see `playhead.sc2.encoding.versioned`).

Compiled modules take them from the enum of the same names in ``tags.pxd``; a test holds the two equal.
"""

from __future__ import annotations

ARRAY = 0
BIT_ARRAY = 1
BLOB = 2
CHOICE = 3
OPTIONAL = 4
STRUCT = 5
U8 = 6
U32 = 7
U64 = 8
VINT = 9
