"""What a packet does to an entity."""

from __future__ import annotations

from enum import IntFlag


class EntityOp(IntFlag):
    """A bit mask; the values are those of the public format documents.

    An entity that is created also enters, one that is deleted also leaves; one that comes back into sight is
    updated and enters.
    """

    NONE = 0
    CREATED = 1
    UPDATED = 2
    DELETED = 4
    ENTERED = 8
    LEFT = 16
    CREATED_ENTERED = 9
    UPDATED_ENTERED = 10
    DELETED_LEFT = 20
    ANY = 31
