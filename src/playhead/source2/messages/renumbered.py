"""Messages whose number no definition names: the known messages that they are, if an update moved the numbers.

A message is recognised where no other is likely: its own number has no message in the recording, all samples fit
its definition (`Shapes`), rate and place are right, and no other definition fits nearly as well. A game event must
be in the list of the recording.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise

from playhead.errors import ReplayError
from playhead.runtime.records import NamedTuple, dataclass, field
from playhead.runtime.typing import Any
from playhead.source2.messages.definitions import FieldDef, enumeration, fields, message_numbers
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.wire import decode, first_number
from playhead.source2.messages.wire_decoder import KINDS, MAX_DEPTH, WIRE_TYPES, fields_of

#: Weight of a field of a kind for the probability that the bytes are of the definition; other kinds have a half.
_WEIGHTS = {"string": 1.0, "message": 1.0, "float": 1.0, "double": 1.0, "enum": 1.0, "bytes": 0.25}
_VARINT, _BYTES = 0, 2
_FLOAT = KINDS.index("float")
#: Fields that all comparisons of a recording may read; those of a real one read some ten thousand.
_MOST_FIELDS = 1_000_000
#: Of so many messages, one may have values that are unlikely: a new value of an enumeration.
_ODD = 10
_SMALLEST, _LARGEST = 1e-12, 1e8


class Fit(NamedTuple):
    """How messages fit a definition.

    Attributes:
        weight: weight of the fields that they show, by `_WEIGHTS`.
        shown: numbers of these fields, without those of messages inside.
        share: their share of the fields of the definition.
    """

    weight: float
    shown: frozenset[int]
    share: float


class Shapes:
    """Compares bytes with definitions of one game.

    Bytes of another message seldom fit: their fields have other numbers, wire types, kinds or another order.
    """

    def __init__(self, game: str) -> None:
        self._game = game
        self._left = _MOST_FIELDS
        self._odd = False

    @property
    def spent(self) -> bool:
        """Whether so many fields were compared that all else counts as not fitting."""
        return self._left <= 0

    def fit(self, message: str, payloads: Sequence[bytes]) -> Fit | None:
        """Return how some messages fit a definition; None if one of them does not."""
        seen: dict[str, float] = {}
        odd = 0
        for payload in payloads:
            self._odd = False
            try:
                if not self._fits(payload, message, "", seen, 0):
                    return None
            except (ReplayError, UnicodeError):
                return None
            odd += self._odd
        if odd * _ODD > len(payloads):
            return None
        outer = frozenset(int(path[:-1]) for path in seen if path.count(".") == 1)
        return Fit(sum(seen.values()), outer, len(outer) / max(1, len(fields(message, self._game))))

    def _fits(self, data: bytes, message: str, inside: str, seen: dict[str, float], depth: int) -> bool:
        known, last = _by_number(message, self._game), 0
        found = fields_of(data, min(self._left, len(data)))
        self._left -= len(found)
        if depth > MAX_DEPTH or self._left <= 0:
            return False
        for number, wire, value in found:
            field = known.get(number)
            if field is None:
                # Newer definitions lack a field that clients still send.
                if wire != _VARINT or number > max(known, default=0):
                    return False
                continue
            if number < last or (number == last and not field.repeated):
                return False
            last, path = number, f"{inside}{number}."
            kind = KINDS.index(field.kind)
            if wire != WIRE_TYPES[kind]:
                if wire != _BYTES or not field.repeated or field.kind in ("string", "bytes", "message"):
                    return False
                continue  # numbers that are packed
            if field.kind == "message":
                if not self._fits(value, field.target or "", path, seen, depth + 1):
                    return False
            elif not self._is_value(field, value):
                return False
            if not isinstance(value, bytes) or value.strip(b"\0"):
                # Many messages have vectors inside.
                seen[path] = 0.25 if depth and kind == _FLOAT else _WEIGHTS.get(field.kind, 0.5)
        return True

    def _is_value(self, field: FieldDef, value: Any) -> bool:
        """Return whether a field of that kind can have a value; note an unlikely one."""
        kind = field.kind
        if kind == "bool":
            return bool(value < 2)
        if kind in ("int32", "enum"):
            if kind == "enum" and value not in _values(field.target or "", self._game):
                self._odd = True
            return bool(value < 1 << 31 or value >= (1 << 64) - (1 << 31))
        if kind in ("uint32", "sint32"):
            return bool(value < 1 << 32 or value >= (1 << 64) - (1 << 31))
        if kind in ("float", "double"):
            number = struct.unpack("<f" if kind == "float" else "<d", value)[0]
            likely = number == 0 or (math.isfinite(number) and _SMALLEST < abs(number) < _LARGEST)
            self._odd = self._odd or not likely
        elif kind == "string":
            value.decode()
        return True


@cache
def _by_number(message: str, game: str) -> dict[int, FieldDef]:
    return {field.number: field for field in fields(message, game)}


@cache
def _values(name: str, game: str) -> frozenset[int]:
    return frozenset(number % (1 << 64) for number in enumeration(name, game).values())


#: Messages of every sign-on, in its order; those of one place come in any.
_SIGNON: Mapping[int, int] = {
    Engine.CLEAR_ALL_STRING_TABLES: 0,
    Engine.CREATE_STRING_TABLE: 1,
    Engine.SERVER_INFO: 2,
    Engine.NET_SET_CON_VAR: 3,
    Engine.NET_SIGNON_STATE: 4,
    Engine.CLASS_INFO: 5,
    Engine.VOICE_INIT: 6,
    Engine.GAME_EVENT_LIST: 6,
}
#: Messages of almost every packet, the share of packets that is almost every, and the fewest packets.
_STEADY = frozenset(map(int, (Engine.NET_TICK, Engine.PACKET_ENTITIES, Engine.USER_CMDS)))
_ALMOST_ALL, _FEWEST = 0.9, 16
#: The fields that messages of every recording always have.
_ALWAYS: Mapping[int, frozenset[int]] = {
    Engine.NET_TICK: frozenset({1}),
    Engine.PACKET_ENTITIES: frozenset({1, 2, 7}),
    Engine.UPDATE_STRING_TABLE: frozenset({1, 3}),
    Engine.CREATE_STRING_TABLE: frozenset({1, 2, 9}),
    Engine.SERVER_INFO: frozenset({1, 3, 10, 11}),
    Engine.NET_SET_CON_VAR: frozenset({1}),
    Engine.NET_SIGNON_STATE: frozenset({1, 2}),
    Engine.CLASS_INFO: frozenset({1}),
    Engine.VOICE_INIT: frozenset({2}),
    Engine.GAME_EVENT_LIST: frozenset({1}),
}
#: Numbers of the messages that follow an update of a string table, which may follow itself.
_AFTER_UPDATES = frozenset({int(Engine.PACKET_ENTITIES)})
#: Weight of a message that no place gives away, and of one that shows a small share of its definition; the lead
#: over all others. A message of almost every packet needs less.
_LEAST, _LEAST_OF_FEW, _FEW, _LEAD = 4.0, 9.0, 0.25, 1.0
_LEAST_IF_STEADY = 3.0
#: Samples of a number that are kept, and their bytes; numbers that are compared, and places of the sign-on.
_MOST_SAMPLES, _MOST_BYTES, _MOST_NUMBERS, _MOST_PLACES = 48, 8 << 20, 64, 4096


@dataclass(slots=True)
class Unnamed:
    """The messages of a number that no definition names.

    Attributes:
        tick, offset: those of the frame with the first one.
        count, size: number of messages, and their bytes in all.
        packets: number of packets that have one, without the sign-on.
        followers: numbers of the messages that follow one in its packet; -1 for none.
        samples: the bytes of some, from the whole recording.
    """

    tick: int
    offset: int
    count: int = 0
    size: int = 0
    packets: int = 0
    followers: set[int] = field(default_factory=set)
    samples: list[bytes] = field(default_factory=list)
    every: int = 1

    def add(self, payload: bytes) -> None:
        """Count a message, and keep it if a sample is due."""
        if self.count % self.every == 0 and sum(map(len, self.samples)) + len(payload) <= _MOST_BYTES:
            self.samples.append(payload)
            if len(self.samples) > _MOST_SAMPLES:
                del self.samples[1::2]
                self.every *= 2
        self.count += 1
        self.size += len(payload)


@dataclass(slots=True)
class Census:
    """The messages of a recording by number.

    Attributes:
        present: by number, whether a named message occurs.
        packets: number of packets without the sign-on.
        unnamed: the messages that no definition names, by number.
        rest: number of such messages whose number is not in `unnamed`, which has a limit.
        signon: place of the first message of each number in the sign-on.
        event_lists: bytes of the lists of game events in the sign-on.
    """

    present: bytearray
    packets: int = 0
    unnamed: dict[int, Unnamed] = field(default_factory=dict)
    rest: int = 0
    signon: dict[int, int] = field(default_factory=dict)
    event_lists: list[bytes] = field(default_factory=list)

    def add(self, packet: Sequence[tuple[int, bytes]], named: Container[int], tick: int, offset: int) -> None:
        """Count the unnamed messages of a packet, and note the places of all in the sign-on, whose tick is -1."""
        met: set[int] = set()
        for (number, payload), (follower, _) in pairwise([*packet, (-1, b"")]):
            if tick < 0:
                if len(self.signon) < _MOST_PLACES:
                    self.signon.setdefault(number, len(self.signon))
                if number == Engine.GAME_EVENT_LIST:
                    self.event_lists.append(payload)
            if number in named:
                continue
            each = self.unnamed.get(number)
            if each is None:
                if len(self.unnamed) == _MOST_NUMBERS:
                    self.rest += 1
                    continue
                each = self.unnamed[number] = Unnamed(tick, offset)
            each.add(payload)
            if tick >= 0:
                each.packets += number not in met
                each.followers.add(follower)
                met.add(number)


def recognise(census: Census, game: str) -> dict[int, int]:
    """Return the known number of each message that moved to a number without a name, by that number."""
    shapes = Shapes(game)
    found: dict[int, int] = {}
    # Game events are compared with their list, which is in the sign-on and may have moved too.
    for number, each in sorted(census.unnamed.items(), key=lambda item: item[0] not in census.signon):
        chosen = _choose(census, number, each, game, shapes, found)
        if chosen is not None:
            found[number] = chosen
    known = list(found.values())
    return {number: chosen for number, chosen in found.items() if known.count(chosen) == 1}


def possible(census: Census, game: str, moved: Mapping[int, int]) -> list[int]:
    """Return the numbers of absent messages whose definitions fit unnamed ones that were not recognised."""
    shapes = Shapes(game)
    samples = [each.samples for number, each in census.unnamed.items() if number not in moved]
    absent = [each for each in message_numbers(game).values() if not census.present[each.number]]
    return [
        each.number
        for each in absent
        if each.number not in moved.values()
        and each.message is not None
        and (census.rest or any(shapes.fit(each.message, some) is not None or shapes.spent for some in samples))
    ]


def is_server_info(payload: bytes) -> bool:
    """Return whether a message of a sign-on is ServerInfo, of any number."""
    fit = Shapes("").fit("CSVCMsg_ServerInfo", [payload])
    return fit is not None and fit.weight >= _LEAST and fit.shown >= _ALWAYS[Engine.SERVER_INFO]


def _choose(
    census: Census, number: int, each: Unnamed, game: str, shapes: Shapes, found: Mapping[int, int]
) -> int | None:
    """Return the known number of the messages of a number; None if no message is likely, or several are."""
    fits: dict[int, Fit] = {}
    for entry in message_numbers(game).values():
        known = entry.number
        if entry.message is None or census.present[known] or not _is_place(census, number, each, known):
            continue
        fit = shapes.fit(entry.message, each.samples)
        if fit is None or not _ALWAYS.get(known, frozenset()) <= fit.shown:
            continue
        if known != Engine.GAME_EVENT or _are_listed(each.samples, _event_list(census, found)):
            fits[known] = fit
    expected = {known: fit for known, fit in fits.items() if known in _SIGNON or known in _ALWAYS}
    if not expected and Engine.GAME_EVENT in fits:
        return int(Engine.GAME_EVENT)
    if not fits:
        return None
    (chosen, fit), *others = sorted((expected or fits).items(), key=lambda item: -item[1].weight)
    lead = min((fit.weight - other.weight for _, other in others), default=_LEAD)
    if expected:
        return chosen if lead > 0 else None
    least = _LEAST_IF_STEADY if chosen in _STEADY else _LEAST if fit.share >= _FEW else _LEAST_OF_FEW
    return chosen if fit.weight >= least and lead >= _LEAD else None


def _is_place(census: Census, number: int, each: Unnamed, known: int) -> bool:
    """Return whether the messages of a number come where and as often as those of a known number."""
    is_steady = each.packets >= max(_FEWEST, _ALMOST_ALL * census.packets)
    if is_steady != (known in _STEADY) and known != Engine.USER_CMDS:
        return False
    if known == Engine.NET_TICK and not _rises(each.samples):
        return False
    if known == Engine.UPDATE_STRING_TABLE and any(map(_is_text, each.samples)):  # or a line of chat
        return each.followers <= {number, *_AFTER_UPDATES, *census.unnamed}
    if number not in census.signon:
        return known not in _SIGNON
    place = _SIGNON.get(known)
    if place is None:
        return known in _ALWAYS
    first = census.signon[number]
    if known == Engine.CLEAR_ALL_STRING_TABLES:  # others of one text come before it
        return census.signon.get(Engine.CREATE_STRING_TABLE, first + 1) == first + 1
    others = ((census.signon[other], its) for other, its in _SIGNON.items() if other in census.signon)
    return all((there < first) == (its < place) for there, its in others if its != place)


def _rises(samples: list[bytes]) -> bool:
    """Return whether the first field of messages rises, as the tick of the server does."""
    ticks = list(map(first_number, samples))
    return ticks == sorted(ticks) and ticks[0] < ticks[-1]


def _is_text(payload: bytes) -> bool:
    try:
        payload.decode()
    except UnicodeError:
        return False
    return True


def _event_list(census: Census, found: Mapping[int, int]) -> dict[int, list[int]]:
    """Return the types of the keys of each game event that the recording lists, by number."""
    moved = [census.unnamed[number].samples for number, known in found.items() if known == Engine.GAME_EVENT_LIST]
    events: dict[int, list[int]] = {}
    for payload in (*census.event_lists, *(payload for samples in moved for payload in samples)):
        with suppress(ReplayError):  # the pass over all frames reports it
            for event in decode("CMsgSource1LegacyGameEventList", payload).get("descriptors", ()):
                events[event.get("eventid", -1)] = [key.get("type", 0) for key in event.get("keys", ())]
    return events


def _are_listed(samples: list[bytes], events: Mapping[int, list[int]]) -> bool:
    """Return whether messages are game events of a list, with the keys that it says."""
    for payload in samples:
        event = decode("CMsgSource1LegacyGameEvent", payload)
        if events.get(event.get("eventid", -1)) != [key.get("type", 0) for key in event.get("keys", ())]:
            return False
    return True
