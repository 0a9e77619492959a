"""Typed events, which keep their bytes and decode them when a field is read.

A replay has a hundred thousand events, and a user reads a few, or a few fields. So an event stores its class,
loop, user and bytes; reading any other field decodes and caches all of them. An event has no references that could
form a cycle, so the garbage collector need not track it (`leave_alone`), which halves the time of keeping many
events.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from playhead.blizzard.encoding.event_decoder import EventDecoder
from playhead.runtime import cython

if TYPE_CHECKING:
    from playhead.blizzard.events.scope import Convert, Scope
    from playhead.blizzard.protocol.program import Program

if cython.compiled:
    from cython.cimports.cpython.array import array
    from cython.cimports.playhead.blizzard.encoding.event_decoder import EventDecoder

if not cython.compiled:

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
