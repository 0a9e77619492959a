"""The payloads of all events as JSON text, written from columns.

A second writer beside `to_json` of `Event.payload`: with an object for each event, "all tables, with `events`"
takes 65 % longer. Events are written that way only if their kind has no columns or a field that no kind of
`FieldText` fits. Tests compare the two.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.record import COMMON, EventKind
from playhead.blizzard.events.scope import RECYCLE_BITS
from playhead.runtime import cython
from playhead.tables.column_buffers import Int32Buffer, Int64Buffer
from playhead.tables.json_columns import ByteBuffer, TextColumn
from playhead.text.json import to_json

if TYPE_CHECKING:
    from collections.abc import Set

if cython.compiled:
    from cython.cimports.playhead.blizzard.events.record import EventKind
    from cython.cimports.playhead.blizzard.events.text_kinds import (
        CODE,
        FLAG,
        LIST,
        PARTS,
        SCALED,
        SPOTS,
        TAG,
        WHOLE,
    )
    from cython.cimports.playhead.tables.column_buffers import Int32Buffer, Int64Buffer
    from cython.cimports.playhead.tables.json_columns import ByteBuffer, TextColumn
else:
    from playhead.blizzard.events.text_kinds import CODE, FLAG, LIST, PARTS, SCALED, SPOTS, TAG, WHOLE

_NOTHING = cython.declare(cython.longlong, NOTHING)
_SHIFT = cython.declare(cython.int, RECYCLE_BITS)
_PLAYER = cython.declare(cython.Py_ssize_t, COMMON.index("player"))


@cython.final
@cython.cclass
class FieldText:
    """One field of one kind of event, and the rule for its text.

    Args:
        kind: ``FLAG`` for a truth value, ``WHOLE`` for a number, ``SCALED`` for a number by `scale`, ``CODE``
            for an index in `texts` (a number without a text is written as its digits in quotes), ``TAG`` for the
            tag of a unit whose index and recycle are in `values` and `more`, ``LIST`` for numbers, ``PARTS`` for
            an object of `parts`, ``SPOTS`` for units from the index in `values` on.
        values, more: columns (``array('q')``), `NOTHING` for null.
        ends, items: the end of each event's list (``array('i')``), and the items of all (``array('q')``).
        scale: factor, divisor and offset of ``SCALED``; ``SPOTS`` have the factor.
        texts: JSON text by index.
        absent: JSON text of a null; None omits the field.
        parts: fields of the object.
    """

    before = cython.declare(bytes, visibility="public")
    _kind: cython.int
    _values: cython.longlong[::1]
    _more: cython.longlong[::1]
    _ends: cython.int[::1]
    _items: cython.longlong[::1]
    _factor: cython.double
    _divisor: cython.double
    _offset: cython.double
    _texts: list
    _absent: bytes
    _parts: list

    def __init__(
        self,
        kind: int,
        *,
        values: array[int] | None = None,
        more: array[int] | None = None,
        ends: array[int] | None = None,
        items: array[int] | None = None,
        scale: tuple[float, float, float] = (1.0, 1.0, 0.0),
        texts: Sequence[bytes] = (),
        absent: bytes | None = None,
        parts: Sequence[FieldText] = (),
    ) -> None:
        self.before = b""
        self._kind = kind
        self._values = array("q") if values is None else values
        self._more = array("q") if more is None else more
        self._ends = array("i") if ends is None else ends
        self._items = array("q") if items is None else items
        self._factor, self._divisor, self._offset = scale
        self._texts = list(texts)
        self._absent = absent
        self._parts = list(parts)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write(self, out: ByteBuffer, row: cython.Py_ssize_t, between: bytes) -> cython.bint:
        """Append `between`, the name and the text of a row; return False if the field is omitted."""
        kind: cython.int = self._kind
        value: cython.longlong = 0
        if kind < LIST:
            value = self._values[row]
            if value == _NOTHING or (kind == TAG and self._more[row] == _NOTHING):
                if self._absent is None:
                    return False
                out.add_bytes(between)
                out.add_bytes(self.before)
                out.add_bytes(self._absent)
                return True
        out.add_bytes(between)
        out.add_bytes(self.before)
        if kind == WHOLE:
            out.add_number(value)
        elif kind == SCALED:
            out.add_float(cython.cast(cython.double, value) * self._factor / self._divisor + self._offset)
        elif kind == CODE:
            if 0 <= value < len(self._texts):
                out.add_bytes(self._texts[value])
            else:
                out.add(34)
                out.add_number(value)
                out.add(34)
        elif kind == TAG:
            mask: cython.longlong = (1 << _SHIFT) - 1
            shifted: cython.longlong = cython.cast(cython.longlong, cython.cast(cython.ulonglong, value) << _SHIFT)
            out.add_number(shifted | (self._more[row] & mask))
        elif kind == FLAG:
            out.add_bytes(b"true" if value else b"false")
        elif kind == PARTS:
            self._write_parts(out, row)
        else:
            self._write_list(out, row)
        return True

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _write_parts(self, out: ByteBuffer, row: cython.Py_ssize_t) -> cython.int:
        between: bytes = b"{"
        part: FieldText
        for part in self._parts:
            if part.write(out, row, between):
                between = b", "
        return out.add_bytes(b"{}" if between == b"{" else b"}")

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _write_list(self, out: ByteBuffer, row: cython.Py_ssize_t) -> cython.int:
        place: cython.Py_ssize_t = self._ends[row - 1] if row else 0
        end: cython.Py_ssize_t = self._ends[row]
        first: cython.bint = True
        index: cython.longlong = 0
        out.add(91)  # [
        if self._kind == SPOTS:
            index = 0 if self._values[row] == _NOTHING else self._values[row]
            end = place + (end - place) // 3 * 3
        while place < end:
            if not first:
                out.add_bytes(b", ")
            first = False
            if self._kind == SPOTS:
                index += self._items[place]
                out.add(91)
                out.add_number(index)
                out.add_bytes(b", ")
                out.add_float(cython.cast(cython.double, self._items[place + 1]) * self._factor)
                out.add_bytes(b", ")
                out.add_float(cython.cast(cython.double, self._items[place + 2]) * self._factor)
                out.add(93)
                place += 3
            else:
                out.add_number(self._items[place])
                place += 1
        return out.add(93)  # ]


@cython.final
@cython.cclass
class KindRows:
    """The events of one number in a stream.

    Args:
        code: of their kind, in the column of kinds.
        fields: of the payload; None if each event must become an object.
        players: player number of each event without a user, `NOTHING` for none; None if all have none.
        kind: for events that become objects.
    """

    _code: cython.int
    _fields: list
    _players: cython.longlong[::1]
    _kind: EventKind
    _row: cython.Py_ssize_t

    def __init__(
        self, code: int, fields: list[FieldText] | None, players: array[int] | None, kind: EventKind
    ) -> None:
        self._code = code
        self._fields = fields
        self._players = array("q") if players is None else players
        self._kind = kind
        self._row = 0


@cython.final
@cython.cclass
class PayloadStream:
    """A stream of events.

    Args:
        heads: loops, users, numbers and ends of all events, each an array; loops ascend.
        data: the stream.
        kinds: by number, for all numbers that occur.
        players: player number by user id, `NOTHING` for none.
        no_user: the user id that means no user.
    """

    _loops: cython.int[::1]
    _users: cython.int[::1]
    _numbers: cython.int[::1]
    _ends: cython.longlong[::1]
    _data: bytes
    _kinds: dict
    _players: cython.longlong[::1]
    _no_user: cython.int
    _place: cython.Py_ssize_t
    _last: cython.int
    _held: KindRows

    def __init__(
        self,
        heads: Sequence[array[int]],
        data: bytes,
        kinds: Mapping[int, KindRows],
        players: array[int],
        no_user: int,
    ) -> None:
        self._loops, self._users, self._numbers, self._ends = heads
        self._data = data
        self._kinds = dict(kinds)
        self._players = players
        self._no_user = no_user
        self._place = 0
        self._last = -1
        self._held = None


@cython.final
@cython.cclass
class PayloadRows:
    """The events of several streams by loop; events of one loop are in the order of the streams.

    Attributes:
        ticks: the loop of each.
        codes: the code of its kind.
        players: its player number, `NOTHING` for none.
        payloads: its payload.
    """

    ticks = cython.declare(Int32Buffer, visibility="readonly")
    codes = cython.declare(Int32Buffer, visibility="readonly")
    players = cython.declare(Int64Buffer, visibility="readonly")
    payloads = cython.declare(TextColumn, visibility="readonly")
    _streams: list

    def __init__(self, streams: list[PayloadStream]) -> None:
        self.ticks = Int32Buffer()
        self.codes = Int32Buffer()
        self.players = Int64Buffer()
        self.payloads = TextColumn()
        self._streams = list(streams)
        stream: PayloadStream
        while True:
            chosen: PayloadStream = None
            least: cython.int = 0
            for stream in self._streams:
                if stream._place == len(stream._loops):
                    continue
                if chosen is None or stream._loops[stream._place] < least:
                    chosen = stream
                    least = stream._loops[stream._place]
            if chosen is None:
                break
            self._add(chosen, least)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _add(self, stream: PayloadStream, loop: cython.int) -> cython.int:
        place: cython.Py_ssize_t = stream._place
        number: cython.int = stream._numbers[place]
        user: cython.int = stream._users[place]
        stream._place = place + 1
        if user == stream._no_user:
            user = -1
        if number != stream._last or stream._held is None:
            stream._held = stream._kinds[number]
            stream._last = number
        kind: KindRows = stream._held
        row: cython.Py_ssize_t = kind._row
        kind._row = row + 1
        self.ticks.append(loop)
        self.codes.append(kind._code)
        out: ByteBuffer = self.payloads.data
        if kind._fields is None:
            start: cython.Py_ssize_t = stream._ends[place - 1] if place else 0
            values: tuple = kind._kind._values(loop, user, stream._data[start : stream._ends[place]])
            player: object = values[_PLAYER]
            self.players.append(_NOTHING if player is None or not _fits(player) else player)
            out.add_bytes(to_json(kind._kind.plan.payload(values)).encode())
        else:
            if user < 0:
                self.players.append(kind._players[row] if row < len(kind._players) else _NOTHING)
            else:
                self.players.append(stream._players[user] if user < len(stream._players) else _NOTHING)
            between: bytes = b"{"
            field: FieldText
            for field in cython.cast(list, kind._fields):
                if field.write(out, row, between):
                    between = b", "
            out.add_bytes(b"{}" if between == b"{" else b"}")
        return self.payloads.end(True)


@cython.cfunc
def _fits(player: object) -> cython.bint:
    """Return whether a player number fits in the column; damage produces others."""
    return -(1 << 31) <= player < 1 << 31


def kept(values: array, keys: array, wanted: Set[int]) -> array:
    """Return a column with `NOTHING` in rows whose key is not wanted (all ``array('q')``)."""
    out: array = values[:]
    found: cython.longlong[::1] = out
    given: cython.longlong[::1] = keys
    place: cython.Py_ssize_t
    last: cython.longlong = 0
    is_kept: cython.bint = 0 in wanted
    for place in range(len(found)):
        if given[place] != last:
            last = given[place]
            is_kept = last in wanted
        if not is_kept:
            found[place] = _NOTHING
    return out


def left_out(values: array, keys: array, unwanted: cython.longlong) -> array:
    """Return a column with `NOTHING` in rows whose key is `unwanted` (both ``array('q')``)."""
    out: array = values[:]
    found: cython.longlong[::1] = out
    given: cython.longlong[::1] = keys
    place: cython.Py_ssize_t
    for place in range(len(found)):
        if given[place] == unwanted:
            found[place] = _NOTHING
    return out
