"""Numbers of the nodes of type programs and of the heads of events.

Compiled modules take them from the enums of the same names in ``wire.pxd``; a test holds the two equal.
"""

from __future__ import annotations

# Kinds of the nodes of a program.
KIND_INT = 0
KIND_BOOL = 1
KIND_BLOB = 2
KIND_BIT_ARRAY = 3
KIND_ARRAY = 4
KIND_OPTIONAL = 5
KIND_CHOICE = 6
KIND_STRUCT = 7
KIND_FOURCC = 8
KIND_NULL = 9

#: No event has this number, in the list of roots.
NO_ROOT = -2

#: Bits of the user id in the head of a bit-packed event.
USER_BITS = 5
