"""Owners of slots, as numbers that the hot pass writes next to every position and input.

A holder is a session during the time that it has one name. `SlotFollower` notifies the pass if the session of a
slot or its name changes; `Holders` converts the numbers in the columns to sessions and names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from playhead.runtime.libraries import pa, pc
from playhead.tables.arrow import by_chunk, category, constant, null_below_zero
from playhead.tables.value_arrays import array_of
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.tracker import ConnectionTracker, RareMessage

#: A tick after all others.
_NEVER = (1 << 31) - 1


class Holders:
    """Every holder of one pass, numbered from 0 as they appeared.

    Attributes:
        rows: (connection, first tick) of each holder.
    """

    def __init__(self, known: Sequence[Connection] = ()) -> None:
        """`known`: all connections of the recording, with later names, if an earlier pass found them."""
        self.rows: list[tuple[Connection, int]] = []
        self._known = known
        self._names: list[str | None] = []
        self._last: dict[int, int] = {}
        self._following: dict[int, int] = {}
        self._last_sessions: tuple[pa.ChunkedArray, pa.ChunkedArray] | None = None

    def number(self, connection: Connection, tick: int) -> int:
        """Return the holder of a connection from `tick` on; a new one if its name changed."""
        last = self._last.get(connection.number)
        name = connection.identity.name
        if last is not None and (self._names[last] in (None, name) or self.rows[last][1] == tick):
            # Before its first name a client has the first name that it sends; of several names on one tick, the
            # last.
            self._names[last] = name
            return last
        found = len(self.rows)
        self.rows.append((connection, tick))
        self._names.append(name)
        self._last[connection.number] = found
        if last is not None:
            self._following[last] = found
        return found

    def session(self, number: int) -> int:
        """Return the session of a holder; -1 if there is none."""
        return self.rows[number][0].number if number >= 0 else -1

    def sessions(self, numbers: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return column ``session`` for a column of holders; null if there is none. Cached for the last column."""
        if self._last_sessions is None or self._last_sessions[0] is not numbers:
            self._last_sessions = numbers, self._sessions(numbers)
        return self._last_sessions[1]

    def _sessions(self, numbers: pa.ChunkedArray) -> pa.ChunkedArray:
        sessions = [connection.number for connection, _ in self.rows]
        if sessions == list(range(len(sessions))):  # without renames, each number is a session
            return null_below_zero(numbers)
        known = array_of(sessions, pa.int32())
        return by_chunk(numbers, lambda held: pc.take(known, null_below_zero(held), boundscheck=False), pa.int32())

    def names(self, numbers: pa.ChunkedArray, tick: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return column ``name``: the name of a holder at the end of the row's tick.

        Before it sent a name, a client has the first name that it sends.
        """
        names = [self._name(connection, since) for connection, since in self.rows]
        renamed = {one: next_ for one, next_ in self._following.items() if names[one] != names[next_]}
        if renamed:  # a row may precede the new name in the section of its tick, or act on the next tick
            every = range(len(self.rows))
            since = [self.rows[renamed[one]][1] if one in renamed else _NEVER for one in every]
            held = null_below_zero(numbers)
            late = pc.greater_equal(tick, pc.take(array_of(since, pa.int32()), held))
            after = pc.take(array_of([renamed.get(one, one) for one in every], pa.int32()), held)
            numbers = pc.if_else(late, after, held)
        words = list(dict.fromkeys(name for name in names if name is not None))
        codes = {word: place for place, word in enumerate(words)}
        if not words:
            return constant(None, numbers, pa.dictionary(pa.int32(), pa.string()))
        if words == names:  # each number is the index of a name
            return category(null_below_zero(numbers), words)
        coded = array_of([None if name is None else codes[name] for name in names], pa.int32())
        places = by_chunk(
            numbers, lambda held: pc.take(coded, null_below_zero(held), boundscheck=False), pa.int32()
        )
        return category(places, words)

    def _name(self, connection: Connection, tick: int) -> str | None:
        if connection.number < len(self._known):
            connection = self._known[connection.number]
        return connection.name_at(tick)


class HolderKeeper(Protocol):
    """A pass that notes the owner of each slot, as `ColumnPass` does."""

    def set_holder(self, cid: int, holder: int, of_tee: bool) -> None:
        """Set the owner of a slot; see `ColumnPass.set_holder`."""


class SlotFollower:
    """Notifies a pass of the owner of each slot.

    A tee belongs to the session for which it appeared: it disappears one tick after its player left, when the next
    player may already have the slot. A rename and a rejoin change the owner of the tee; a new player in the slot
    does not.
    """

    def __init__(self, tracker: ConnectionTracker, holders: Holders) -> None:
        self.tracker = tracker
        self.holders = holders
        self._slots: dict[int, tuple[int, str | None]] = {}

    def follow(self, rare: RareMessage, columns: HolderKeeper) -> None:
        """Update the owner of the slot that a message is about."""
        cid = rare.client
        if cid is None or not 0 <= cid < 128:
            return
        connection = self.tracker.current(cid)
        former = self._slots.get(cid)
        if connection is None:
            if former is not None:
                del self._slots[cid]
                columns.set_holder(cid, -1, False)
            return
        now = (connection.number, connection.identity.name)
        if now == former:
            return
        self._slots[cid] = now
        same_tee = connection.known_by == "rejoin" or (former is not None and former[0] == connection.number)
        columns.set_holder(cid, self.holders.number(connection, rare.tick), same_tee)

    def resume(self, columns: HolderKeeper, slots: dict[int, tuple[int, int]], tick: int) -> None:
        """Restore all slots: by client id, the session of the slot and of its tee, each -1 if there is none."""
        for cid, (session, tee_session) in slots.items():
            numbers = [
                self.holders.number(self.tracker.connections[one], tick) if one >= 0 else -1
                for one in (session, tee_session)
            ]
            if tee_session >= 0:
                columns.set_holder(cid, numbers[1], True)
            columns.set_holder(cid, numbers[0], False)
            if session >= 0:
                self._slots[cid] = (session, self.tracker.connections[session].identity.name)
