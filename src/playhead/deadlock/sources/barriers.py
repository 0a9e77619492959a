"""`Barriers`: the remaining barrier of each body, from its tracker in the string table ActiveModifiers."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from playhead.deadlock.sources.entities import index_of
from playhead.deadlock.sources.names import name_hash
from playhead.errors import ReplayError
from playhead.source2.messages import wire
from playhead.source2.playback.playback import Playback
from playhead.source2.string_tables.items import StringTableChange

TABLE = "ActiveModifiers"
_ENTRY = "CModifierTableEntry"
REMOVED = frozenset((2, "MODIFIER_ENTRY_TYPE_REMOVED"))
#: Number of the tracker's modifier; float1 is the capacity, float2 is left (as boon-deadlock found, MIT licence).
TRACKER = name_hash("modifier_barrier_tracker")


class Barriers:
    """Follows the trackers.

    Attributes:
        left: by index of the body; bodies without a tracker are missing.
    """

    def __init__(self, game: str) -> None:
        self.left: dict[int, float] = {}
        self._number = wire.encode(_ENTRY, {"modifier_subclass": TRACKER}, game)
        self._bodies: dict[int, int] = {}
        self._places: set[int] = set()

    def attach(self, playback: Playback, on_change: Callable[[], None]) -> None:
        """Follow a playback, which has to keep `TABLE`; `on_change` is called at each change."""
        self._on_change, self._contents = on_change, playback.decoder.contents
        playback.on_string_table(TABLE, self._on_table, full_packets=self._on_table)

    def _on_table(self, change: StringTableChange, _tick: int) -> None:
        sent = change.sent
        # Other modifiers, nearly all, are not decoded.
        if not sent or (change.index not in self._places and self._number not in sent and b"\x08\x02" not in sent):
            return
        try:
            fields = self._contents(_ENTRY, sent)
        except ReplayError:
            return  # a problem of table `modifiers`
        serial = fields.get("serial_number", 0)
        if fields.get("entry_type") in REMOVED:
            body = self._bodies.pop(serial, None)
            if body is not None and body not in self._bodies.values() and self.left.pop(body, None) is not None:
                self._on_change()
            return
        number = fields.get("modifier_subclass")
        if number is not None and number != TRACKER:
            self._places.discard(change.index)
            return
        body = index_of(fields.get("parent")) if number is not None else self._bodies.get(serial)
        if body is None:
            return
        self._places.add(change.index)
        self._bodies[serial] = body
        left = fields.get("float2_")
        if left is not None or number is not None:
            self._set(body, max(left, 0.0) if left is not None and isfinite(left) else 0.0)

    def _set(self, body: int, left: float) -> None:
        if self.left.get(body) != left:
            self.left[body] = left
            self._on_change()
