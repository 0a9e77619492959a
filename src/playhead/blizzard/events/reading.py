"""Events as Python objects, and the choice of requested kinds."""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from itertools import islice
from operator import attrgetter, itemgetter
from typing import Any

from playhead.blizzard.encoding.event_decoder import EventDecoder
from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events import Event, Scope, commands, event_name, event_types, kind_of
from playhead.blizzard.events.base import PLAYER_FIELDS, added_fields
from playhead.blizzard.events.columns import EventFields, EventStream, decode_stream
from playhead.blizzard.events.conversions import AS_STORED, FieldSource, NoText, json_bytes
from playhead.blizzard.events.record import (
    COMMON,
    EventKind,
    FieldText,
    KindRows,
    PayloadRows,
    PayloadStream,
    kept,
    left_out,
    records,
)
from playhead.blizzard.protocol.program import Program
from playhead.blizzard.protocol.tables import GAME, ID_BITS, MESSAGE, NO_USER, TRACKER, short_name
from playhead.runtime.records import dataclass
from playhead.tables.arrow import player_number
from playhead.tables.number_columns import is_ascending
from playhead.text.names import unknown_name

#: Order of events of the same loop: the tracker's state comes before the orders that refer to it.
STREAMS = (TRACKER, GAME, MESSAGE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The requested events by stream: all (None), or those with these numbers."""

    streams: Mapping[str, frozenset[int] | None]

    @classmethod
    def of(
        cls, asked: Iterable[str | type[Event]], names: Mapping[str, Mapping[int, str]], known: frozenset[str]
    ) -> Wanted:
        """Return the events that `asked` means: streams (``game``, ``message``, ``tracker``), kinds
        (``chat_sent``), Blizzard's names with or without the part up to the last dot, patterns of either
        (``unit_*``), or classes; all events if it is empty. `names` are those of the build by number and stream,
        `known` the short names of all builds of the game.

        Raises:
            KeyError: there is no such event in any build.
        """
        asked = list(asked)
        if not asked:
            return cls(dict.fromkeys(STREAMS))
        whole: dict[str, frozenset[int] | None] = {}
        for one in asked:
            word = event_name(one) if isinstance(one, type) else one if "*" in one else short_name(one)
            if word in STREAMS:
                whole[word] = None
                continue
            found = False
            for stream, by_number in names.items():
                shorts = {number: short_name(name) for number, name in by_number.items()}
                numbers = {
                    n
                    for n, name in shorts.items()
                    if any(_fits(each, word) for each in (name, name[1:], kind_of(name)))
                }
                held = whole.get(stream, frozenset())
                if numbers and held is not None:
                    whole[stream] = held | numbers
                found |= bool(numbers)
            if not found and not any(_fits(each, word) for each in known_words(known)):
                raise KeyError(unknown_name(word, [*event_kinds(known), *STREAMS], "events of kind"))
        return cls({stream: whole[stream] for stream in STREAMS if stream in whole})


def _fits(name: str, word: str) -> bool:
    return name == word or fnmatchcase(name, word)


@cache
def event_kinds(known: frozenset[str]) -> Mapping[str, str]:
    """Return the short words for the events of these short names, each with a description."""
    types = (pair for stream in (GAME, MESSAGE, TRACKER) for pair in event_types(stream).items())
    return {kind_of(name): (type_.__doc__ or "").strip().split("\n")[0] for name, type_ in types if name in known}


def known_words(known: Iterable[str]) -> frozenset[str]:
    """Return the names and short words of the events of these short names."""
    return frozenset(word for name in known for word in (name, name[1:], kind_of(name)))


def read_events(
    data: bytes,
    program: Program,
    stream: str,
    rate: float,
    players: Mapping[int, int],
    scope: Scope | None = None,
    numbers: frozenset[int] | None = None,
) -> Iterator[Event]:
    """Yield the events of a stream in time order; `rate` is loops in a second, `players` are numbers by user id.

    With `numbers`, events with other numbers are skipped.

    Raises:
        CorruptReplay, TruncatedReplay, LimitExceeded: after the last sound event, with offset and loop.
    """
    decoded = decode_stream(data, program, stream)
    yield from events_of(decoded, rate, players, scope or Scope(), numbers)
    if decoded.error is not None:
        raise decoded.error


def events_of(
    stream: EventStream,
    rate: float,
    players: Mapping[int, int],
    scope: Scope,
    numbers: frozenset[int] | None = None,
) -> Iterator[Event]:
    """Return the events of a decoded stream; arguments are those of `read_events`."""
    found = records(stream.rows.heads, stream.data, _kinds(stream, rate, players, scope), numbers, NO_USER)
    # The tracker of a game that goes on from a save sets its players up again, in loop 0.
    return found if is_ascending(stream.tick) else iter(sorted(found, key=attrgetter("tick")))


def asks_for_names(stream: EventStream, numbers: frozenset[int] | None) -> bool:
    """Return whether the fields of the wanted events depend on names of abilities."""
    there = set(stream.rows.heads[2])
    wanted = there if numbers is None else there & numbers
    known = event_types(stream.name)
    types = (known.get(stream.name_of(number), Event) for number in wanted)
    return any(type_.settle is not Event.settle for type_ in types)


def payload_rows(
    streams: Iterable[EventStream],
    rate: float,
    players: Mapping[int, int],
    scope: Scope,
    code_of: Callable[[str], int],
) -> PayloadRows:
    """Return the events of streams with ascending loops, with their payloads as JSON.

    Args:
        streams: decoded streams; events of one loop stay in their order.
        rate, players, scope: as for `read_events`.
        code_of: returns the code of events from their short name.
    """
    by_user = array("q", [NOTHING]) * (max(players, default=-1) + 1)
    for user, player in players.items():
        by_user[user] = NOTHING if player_number(player) is None else player
    rows = []
    for stream in streams:
        kinds = {
            number: KindRows(code_of(stream.name_of(number)), *_columns(stream, number, scope), kind)
            for number, kind in sorted(_kinds(stream, rate, players, scope).items())
        }
        rows.append(PayloadStream(stream.rows.heads, stream.data, kinds, by_user, NO_USER))
    return PayloadRows(rows)


def _columns(stream: EventStream, number: int, scope: Scope) -> tuple[list[FieldText] | None, array[int] | None]:
    """Return the fields of the payloads of an event, and the player numbers in it; None without columns."""
    name = stream.name_of(number)
    type_ = event_types(stream.name).get(name)
    if type_ is None or name not in stream.captured or stream.number_of(type_) != number:
        return None, None
    events = stream.of(type_)
    named = [path for path in PLAYER_FIELDS if events.leaf(path) is not None]
    return payload_fields(events, scope), events.numbers(named[0]) if named else None


#: Fields that `CmdEvent.settle` clears: without a link, and with other targets than these.
_OF_LINK = ("ability_id", "ability_index", "ability_data")
_OF_TARGETS = {
    **dict.fromkeys(("x", "y", "z"), ("TargetPoint", "TargetUnit")),
    **dict.fromkeys(("target_unit", "target_unit_type_id"), ("TargetUnit",)),
}


class _OfCommand(FieldSource):
    """The columns of a field of a command, with the changes of `CmdEvent.settle`."""

    def __init__(self, name: str, events: EventFields, *given: Any) -> None:
        super().__init__(events, *given)
        self._name, self._events = name, events

    def numbers(self, kinds: frozenset[int], *paths: str) -> array[int]:
        """Return the numbers that the settled field has; see `FieldSource.numbers`."""
        values, name, events = super().numbers(kinds, *paths), self._name, self._events
        target = events.leaf("m_data#")
        if target is None or events.leaf(commands.OLD_TARGET_UNIT) is not None:
            raise NoText
        if name in _OF_LINK:
            return left_out(values, super().numbers(kinds, "m_abil.m_abilLink", "m_abilLink"), commands.NO_LINK)
        if name not in _OF_TARGETS:
            return values
        wanted = {tag for tag, case in target.cases.items() if case in _OF_TARGETS[name]}
        return kept(values, events.numbers("m_data#"), wanted)


def payload_fields(events: EventFields, scope: Scope) -> list[FieldText] | None:
    """Return the fields of the payload of a kind of events; None if its events must become objects."""
    shown = [field for field in dataclasses.fields(events.type)[len(COMMON) :] if field.metadata.get("paths")]
    settles = events.type.settle is not Event.settle
    if not shown or events.is_odd or (settles and events.type is not commands.CmdEvent):
        return None
    made = []
    try:
        for field in shown:
            given = (events, tuple(map(".".join, field.metadata["paths"])), field.default, scope)
            source = _OfCommand(field.name, *given) if settles else FieldSource(*given)
            text = (field.metadata["convert"] or AS_STORED).text(source)
            text.before = json_bytes(field.name) + b": "
            made.append(text)
    except NoText:
        return None
    return made


def _kinds(stream: EventStream, rate: float, players: Mapping[int, int], scope: Scope) -> dict[int, EventKind]:
    decoders: list[EventDecoder] = []
    coding = {"tagged": stream.name == TRACKER, "id_bits": ID_BITS[stream.name], "decoders": decoders}
    given: dict[str, Any] = {**coding, "rate": rate, "players": players, "scope": scope}
    types, kinds = event_types(stream.name), {}
    for number in set(stream.rows.heads[2]):
        name = stream.name_of(number)
        fields = added_fields(types.get(name, Event))  # type: ignore[arg-type]
        kinds[number] = EventKind(name, number, fields, stream.program, **given)
    return kinds


def in_time_order(streams: Iterable[Iterator[Event]]) -> Iterator[Event]:
    """Merge events of several streams by loop; the order within a stream stays."""
    heads = [
        (event.tick, place, event, stream) for place, stream in enumerate(streams) for event in islice(stream, 1)
    ]
    while len(heads) > 1:
        heads.sort(key=itemgetter(0, 1))
        (_, place, first, stream), (limit, other, _, _) = heads[:2]
        last = limit if place < other else limit - 1
        event: Event | None = first
        while event is not None and event.tick <= last:
            yield event
            event = next(stream, None)
        heads[:1] = [] if event is None else [(event.tick, place, event, stream)]
    for _, _, event, stream in heads:
        yield event
        yield from stream
