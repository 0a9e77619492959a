"""Who holds a slot, as numbers that the hot pass can write beside every position and input.

A holder is a stretch in which one session has one name. `SlotFollower` notifies the pass when a slot changes hands
or its session is called something else; `Holders` turns the numbers in its columns into sessions and names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from playhead.tables.arrow import by_chunk, category, constant, null_below_zero
from playhead.tables.value_arrays import array_of
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.tracker import ConnectionTracker, RareMessage
from playhead.teehistorian.stream.column_pass import ColumnPass

if TYPE_CHECKING:
    import pyarrow as pa

#: No tick: nothing follows.
_NEVER = (1 << 31) - 1


class Holders:
    """Every holder of one pass, numbered from 0 as they appeared.

    Attributes:
        rows: (connection, first tick) of each.
    """

    def __init__(self, known: Sequence[Connection] = ()) -> None:
        """`known`: all connections of the recording, if an earlier pass found them: they know later names."""
        self.rows: list[tuple[Connection, int]] = []
        self._known = known
        self._names: list[str | None] = []
        self._last: dict[int, int] = {}
        self._following: dict[int, int] = {}
        self._last_sessions: tuple[pa.ChunkedArray, pa.ChunkedArray] | None = None

    def number(self, connection: Connection, tick: int) -> int:
        """Return the number of what a connection is from `tick` on; a new one if it has another name by now."""
        last = self._last.get(connection.number)
        name = connection.identity.name
        if last is not None and (self._names[last] in (None, name) or self.rows[last][1] == tick):
            # Who had sent no name has the first that it sent; of several on one tick the last holds at its end.
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
        """Return the session of a holder; -1 for none."""
        return self.rows[number][0].number if number >= 0 else -1

    def sessions(self, numbers: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return column ``session`` of a column of holders; null for none. Asked again for the same column, it is
        the same one.
        """
        if self._last_sessions is None or self._last_sessions[0] is not numbers:
            self._last_sessions = numbers, self._sessions(numbers)
        return self._last_sessions[1]

    def _sessions(self, numbers: pa.ChunkedArray) -> pa.ChunkedArray:
        import pyarrow as pa
        import pyarrow.compute as pc

        sessions = [connection.number for connection, _ in self.rows]
        if sessions == list(range(len(sessions))):  # nobody was renamed: each number is a session's
            return null_below_zero(numbers)
        known = array_of(sessions, pa.int32())
        return by_chunk(numbers, lambda held: pc.take(known, null_below_zero(held), boundscheck=False), pa.int32())

    def names(self, numbers: pa.ChunkedArray, tick: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return column ``name``: what a holder was called at the end of the tick of its row.

        Who had sent no name by then has the first that it sent.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        names = [self._name(connection, since) for connection, since in self.rows]
        renamed = {one: next_ for one, next_ in self._following.items() if names[one] != names[next_]}
        if renamed:  # a row can stand before the new name in the section of its tick, or act on the tick after
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
        if words == names:  # each number is a name's place
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


class SlotFollower:
    """Keeps a `ColumnPass` informed who holds each slot.

    A tee belongs to the session that it appeared for: it is gone a tick after its player left, when the next one
    can have the slot already. A rename and a rejoin change who the tee is; a new player in the slot does not.
    """

    def __init__(self, tracker: ConnectionTracker, holders: Holders) -> None:
        self.tracker = tracker
        self.holders = holders
        self._slots: dict[int, tuple[int, str | None]] = {}

    def follow(self, rare: RareMessage, columns: ColumnPass) -> None:
        """Take over what a message changed for the client that it is about."""
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

    def resume(self, columns: ColumnPass, slots: dict[int, tuple[int, int]], tick: int) -> None:
        """Set every slot as it was: by client id, the session in it and that of its tee, each -1 for none."""
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
