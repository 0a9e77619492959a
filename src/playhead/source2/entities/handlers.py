"""Operations on entities (`EntityOp`), and the functions called for them."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntFlag
from fnmatch import fnmatchcase
from functools import lru_cache

from playhead.events import WILDCARDS
from playhead.source2.entities.entity import Entity
from playhead.source2.schema.patches import class_aliases


class EntityOp(IntFlag):
    """Bit mask of a packet's operations on an entity. The values are those of the public format documents.

    A created entity also enters, a deleted one also leaves; one that comes back into sight is updated and enters.
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

    def __and__(self, other: int) -> EntityOp:
        """As `IntFlag.__and__`, several times faster."""
        both = int.__and__(self, other)
        return both if both is NotImplemented else OPS[both]


#: Called with the entity and the operation.
EntityHandler = Callable[[Entity, EntityOp], None]


@lru_cache(1 << 16)
def class_matches(name: str, pattern: str) -> bool:
    """Return whether a class has that name or matches that pattern (``CDOTA_Unit_Hero_*``), under any of its
    names.
    """
    aliases = class_aliases(name)
    # Most patterns are names or prefixes; compiling an expression for each takes longer than all comparisons.
    begin = pattern.removesuffix("*")
    if WILDCARDS.isdisjoint(begin):
        return pattern in aliases if begin == pattern else any(alias.startswith(begin) for alias in aliases)
    return any(fnmatchcase(alias, pattern) for alias in aliases)


#: Every value of `EntityOp`.
OPS = tuple(EntityOp(op) for op in range(EntityOp.ANY + 1))
