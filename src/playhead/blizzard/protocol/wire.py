"""Numbers of the nodes of type programs and of the heads of events.

Compiled modules take them from the enums of the same names in ``wire.pxd``; a test holds the two equal.
"""

from __future__ import annotations

# Kinds of the nodes of a program.
KIND_INT, KIND_BOOL, KIND_BLOB, KIND_BIT_ARRAY, KIND_ARRAY = range(5)
KIND_OPTIONAL, KIND_CHOICE, KIND_STRUCT, KIND_FOURCC, KIND_NULL = range(5, 10)

#: No event has this number, in the list of roots.
NO_ROOT = -2

#: Bytes that are copied at once for the key of a JSON object; few keys have more.
KEY_ROOM = 32

#: Bits of the user id in the head of a bit-packed event.
USER_BITS = 5
