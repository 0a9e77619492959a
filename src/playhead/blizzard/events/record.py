"""Typed events, which keep their bytes and decode them when a field is read.

A replay has a hundred thousand events, and a user reads a few, or a few fields. So an event stores its class,
loop, user and bytes; reading any other field decodes and caches all of them. An event has no references that could
form a cycle, so the garbage collector need not track it (`leave_alone`), which halves the time of keeping many
events.

`PayloadRows` writes the payloads of all events as JSON text, from columns: a second writer beside `to_json` of
`Event.payload`. With an object for each event, "all tables, with `events`" takes 65 % longer. Events are written
that way only if their kind has no columns or a field that no kind of `FieldText` fits. Tests compare the two.

The module is long because both work with `EventKind`.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from playhead.blizzard.encoding.event_decoder import EventDecoder
from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.scope import RECYCLE_BITS
from playhead.runtime import cython
from playhead.tables.column_buffers import Int32Buffer, Int64Buffer
from playhead.tables.json_columns import ByteBuffer, TextColumn
from playhead.text.json import to_json

if TYPE_CHECKING:
    from collections.abc import Set

    from playhead.blizzard.events.scope import Convert, Scope
    from playhead.blizzard.protocol.program import Program

if cython.compiled:
    from cython.cimports.cpython.array import array
    from cython.cimports.playhead.blizzard.encoding.event_decoder import EventDecoder
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

    def new_object(type_: Any, nothing: tuple[()]) -> Any:
        """Return an object of a class without calling its ``__init__``."""
        return object.__new__(type_)


#: The fields of every event, in this order, before those that its class adds.
COMMON = ("tick", "seconds", "user", "player", "name", "number", "raw")
_ADDED = len(COMMON)
_LOOP, _SECONDS, _USER, _PLAYER, _NAME, _NUMBER, _RAW = range(len(COMMON))
#: Fields of the tracker's events with the number of a player.
PLAYER_FIELDS = ("m_playerId", "m_controlPlayerId", "m_killerPlayerId")
_FIRST_PLAYER, _OTHER_PLAYER, _KILLER = PLAYER_FIELDS
# As 64-bit C constants.
_NOTHING = cython.declare(cython.longlong, NOTHING)
_SHIFT = cython.declare(cython.int, RECYCLE_BITS)


@cython.final
@cython.cclass
class AddedFields:
    """The rules for the fields that a class adds to the raw ones.

    Args:
        type_: the class.
        names: of the fields.
        paths: for each field, the paths of its raw value, each a tuple of keys; the first one with a value counts.
        converts: for each field, the function that converts the raw value; None to keep it.
        defaults: for each field, the value if the raw one is missing. Fields without paths are not in the payload.
        settle: function that changes values, a dict, which depend on others; None if none do.
    """

    of: type[EventRecord]
    names: tuple[str, ...]

    def __init__(
        self,
        type_: Any,
        names: tuple[str, ...],
        paths: tuple[tuple[tuple[str, ...], ...], ...],
        converts: tuple[Convert | None, ...],
        defaults: tuple,
        settle: Callable[[dict[str, Any], Mapping[str, Any], Scope], None] | None,
    ) -> None:
        self.of = type_
        self.names = names
        self._paths = paths
        self._converts = converts
        self._defaults = defaults
        self._settle = settle
        self._shown = tuple(place for place, each in enumerate(paths) if each)

    def payload(self, values: tuple) -> dict[str, Any]:
        """Return the payload of an event from all its fields, those of `COMMON` first."""
        shown: dict = {}
        place: cython.Py_ssize_t
        if not self._shown:
            return values[_RAW]
        for place in self._shown:
            value = values[_ADDED + place]
            if value is not None:
                shown[self.names[place]] = value
        return shown

    def make(self, fields: Mapping[str, Any], scope: Scope) -> tuple:
        """Return the values of the fields, in the order of `names`."""
        out: list = []
        place: cython.Py_ssize_t
        for place in range(len(self.names)):
            value: object = None
            for path in cython.cast(tuple, self._paths[place]):
                value = fields
                for key in cython.cast(tuple, path):
                    if isinstance(value, dict):
                        value = cython.cast(dict, value).get(key)
                    else:
                        value = None if value is not fields else value.get(key)
                    if value is None:
                        break
                if value is not None:
                    break
            if value is None:
                value = self._defaults[place]
            else:
                convert = self._converts[place]
                if convert is not None:
                    value = convert(value, scope)
            out.append(value)
        if self._settle is not None:
            settled: dict = dict(zip(self.names, out, strict=True))
            self._settle(settled, fields, scope)
            return tuple([settled[name] for name in self.names])
        return tuple(out)


@cython.final
@cython.cclass
class EventKind:
    """The facts that all events of one number in a stream share.

    Args:
        name: Blizzard's short name of them.
        number: of them.
        plan: of their class.
        program: of the stream.
        tagged, id_bits: as for `EventDecoder`.
        rate: loops in a second.
        players: numbers of players by user id.
        scope: for conversions.
        decoders: the free decoders; all kinds of a stream share the list.
    """

    name: str
    plan: AddedFields

    def __init__(
        self,
        name: str,
        number: int,
        plan: AddedFields,
        program: Program,
        *,
        tagged: bool,
        id_bits: int,
        rate: float,
        players: Mapping[int, int],
        scope: Scope,
        decoders: list,
    ) -> None:
        self.name = name
        self.plan = plan
        self._number = number
        self._program = program
        self._tagged = tagged
        self._id_bits = id_bits
        self._rate = rate
        self._players = dict(players)
        self._scope = scope
        self._decoders = decoders

    def _fields(self, raw: bytes) -> object:
        # Two threads never share a decoder.
        try:
            decoder: EventDecoder = self._decoders.pop()
        except IndexError:
            decoder = EventDecoder(self._program, raw, tagged=self._tagged, id_bits=self._id_bits)
        fields = decoder.fields_of(raw)
        self._decoders.append(decoder)
        # An event that is not in the type table may not be a struct.
        return fields if isinstance(fields, dict) else {"value": fields}

    def _values(self, loop: cython.longlong, user: cython.longlong, raw: bytes) -> tuple:
        """Return all fields of an event, those of `COMMON` first."""
        fields = self._fields(raw)
        player = self._player(user, fields)
        user_id = None if user < 0 else user
        common = (loop, self._seconds(loop), user_id, player, self.name, self._number, fields)
        return common + self.plan.make(fields, self._scope)

    def _seconds(self, loop: cython.longlong) -> cython.double:
        """Return a loop in seconds, as `Clock.seconds`."""
        return loop * 10.0 / (self._rate * 10)

    def _player(self, user: cython.longlong, fields: object) -> object:
        """Return the player number of an event: its user's, or else the one in its fields."""
        if user < 0:
            return fields.get(_FIRST_PLAYER, fields.get(_OTHER_PLAYER, fields.get(_KILLER)))
        return self._players.get(user)


@cython.no_gc
@cython.cclass
class EventRecord:
    """The base of typed events. The fields that a class adds follow `COMMON`."""

    if not cython.compiled:
        _kind = _raw = _held = None

    def hold_fields(self, values: Iterable[Any]) -> None:
        """Store all fields; they never change."""
        held = tuple(values)
        if cython.compiled:
            self._held = held
        else:
            object.__setattr__(self, "_held", held)

    def _all(self) -> tuple:
        held = self._held
        if held is None:
            held = self._kind._values(self._loop, self._user, self._raw)
            self.hold_fields(held)
        return held

    def field_at(self, place: cython.Py_ssize_t) -> Any:
        """Return the field at an index."""
        return self._all()[place]

    def all_fields(self) -> tuple:
        """Return all fields, those of `COMMON` first."""
        return self._all()

    @property
    def tick(self) -> int:
        return self._loop if self._held is None else self._held[_LOOP]

    @property
    def seconds(self) -> float:
        return self._kind._seconds(self._loop) if self._held is None else self._held[_SECONDS]

    @property
    def user(self) -> int | None:
        if self._held is not None:
            return self._held[_USER]
        return None if self._user < 0 else self._user

    @property
    @cython.nonecheck(True)
    def player(self) -> int | None:
        if self._held is not None or self._user < 0:
            return self._all()[_PLAYER]
        return self._kind._players.get(self._user)

    @property
    @cython.nonecheck(True)
    def name(self) -> str:
        return self._kind.name if self._held is None else self._held[_NAME]

    @property
    @cython.nonecheck(True)
    def number(self) -> int:
        return self._kind._number if self._held is None else self._held[_NUMBER]

    @property
    def raw(self) -> Any:
        return self._all()[_RAW]


@cython.final
@cython.cclass
class FriendlyField:
    """The descriptor of a field that a class of events adds."""

    def __init__(self, place: int) -> None:
        self._place = place

    def __get__(self, event: Any, type_: Any) -> Any:
        if event is None:
            return self
        if cython.compiled:
            return cython.cast(EventRecord, event, typecheck=True)._all()[self._place]
        return event.field_at(self._place)


def records(
    heads: Sequence[Sequence[int]],
    data: bytes,
    kinds: dict[int, EventKind],
    wanted: frozenset[int] | None,
    no_user: cython.int,
) -> Iterator[Any]:
    """Yield the events of a stream as objects of their classes.

    Args:
        heads: loops, users, numbers and ends of all events, each an array.
        data: the stream.
        kinds: `EventKind` by number, for all wanted numbers that occur.
        wanted: the wanted numbers; None for all.
        no_user: the user id that means no user.
    """
    loops: array = heads[0]
    users: array = heads[1]
    numbers: array = heads[2]
    ends: array = heads[3]
    nothing: tuple = ()
    place: cython.Py_ssize_t
    start: cython.Py_ssize_t = 0
    last: cython.int = -1
    kind: EventKind = None
    for place in range(len(loops)):
        end: cython.Py_ssize_t = ends.data.as_longlongs[place] if cython.compiled else ends[place]
        number: cython.int = numbers.data.as_ints[place] if cython.compiled else numbers[place]
        if wanted is None or number in wanted:
            if number != last or kind is None:
                kind = kinds[number]
                last = number
            user: cython.int = users.data.as_ints[place] if cython.compiled else users[place]
            event: EventRecord = new_object(kind.plan.of, nothing)
            if cython.compiled:
                leave_alone(event)
                event._kind = kind
                event._loop = loops.data.as_ints[place]
                event._user = -1 if user == no_user else user
                event._raw = data[start:end]
            else:
                found = {
                    "_kind": kind,
                    "_loop": loops[place],
                    "_user": -1 if user == no_user else user,
                    "_raw": data[start:end],
                }
                for name, value in found.items():
                    object.__setattr__(event, name, value)
            yield event
        start = end


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
