"""The tags of values in the tagged encoding (see `playhead.blizzard.encoding.versioned`).

Compiled modules take them from the enum of the same names in ``tags.pxd``; a test holds the two equal.
"""

from __future__ import annotations

ARRAY, BIT_ARRAY, BLOB, CHOICE, OPTIONAL, STRUCT, U8, U32, U64, VINT = range(10)
