"""The three streams of events, decoded into Arrow columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from playhead.errors import ReplayError
from playhead.sc2.encoding.event_columns import EventColumns
from playhead.sc2.members.text import decode_text
from playhead.sc2.protocol.program import Program
from playhead.sc2.protocol.tables import GAME, MESSAGE, TRACKER

if TYPE_CHECKING:
    import pyarrow as pa

_T = TypeVar("_T")

#: Bits of an event's number in the bit-packed streams.
ID_BITS = {GAME: 7, MESSAGE: 4, TRACKER: 0}

#: Events whose fields become columns, by stream; the names are Blizzard's without ``NNet.`` and the stream.
CAPTURED = {
    GAME: frozenset(
        {
            "SCmdEvent",
            "SCmdUpdateTargetPointEvent",
            "SCmdUpdateTargetUnitEvent",
            "SSelectionDeltaEvent",
            "SControlGroupUpdateEvent",
            "SCameraUpdateEvent",
            "SPlayerLeaveEvent",
            "SGameUserLeaveEvent",
        }
    ),
    MESSAGE: frozenset({"SChatMessage", "SPingMessage"}),
    TRACKER: frozenset(
        {
            "SPlayerStatsEvent",
            "SUnitBornEvent",
            "SUnitDiedEvent",
            "SUnitOwnerChangeEvent",
            "SUnitTypeChangeEvent",
            "SUpgradeEvent",
            "SUnitInitEvent",
            "SUnitDoneEvent",
            "SUnitPositionsEvent",
            "SPlayerSetupEvent",
        }
    ),
}


def short_name(full: str) -> str:
    """``Game.SCmdEvent`` without what stands before the last dot."""
    return full.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Fields:
    """The events of one kind: `order` (row in the stream), loop, user and their fields by path."""

    order: pa.Array
    tick: pa.Array
    user: pa.Array
    columns: dict[str, pa.Array]

    def get(self, *paths: str) -> pa.Array:
        """The first of these fields that the build has; nulls if it has none."""
        import pyarrow as pa

        for path in paths:
            if path in self.columns:
                return self.columns[path]
        return pa.nulls(len(self.order), pa.int64())

    def rows(self, *paths: str) -> list[tuple[object, ...]]:
        """`order`, loop and the fields `paths` of each event as Python values."""
        columns = [self.order, self.tick, *(self.get(path) for path in paths)]
        return list(zip(*(column.to_pylist() for column in columns), strict=True))


@dataclass(frozen=True, slots=True)
class Stream:
    """One stream.

    Attributes:
        tick, user, number: of every event in file order; user is -1 in the tracker, 16 for none elsewhere.
        text: the fields as JSON, or None if that was not asked for.
        names: of events by number.
        kinds: fields by short event name.
        error: what ended it before its end.
    """

    tick: pa.Array
    user: pa.Array
    number: pa.Array
    text: pa.Array | None
    names: dict[int, str]
    kinds: dict[str, Fields]
    error: ReplayError | None
    _derived: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, name: str, derive: Callable[[Stream], _T]) -> _T:
        """What `derive` makes of the stream; made once and kept, since several tables need it."""
        if name not in self._derived:
            self._derived[name] = derive(self)
        found: _T = self._derived[name]
        return found

    def __len__(self) -> int:
        return len(self.tick)


def decode_stream(data: bytes, program: Program, stream: str, *, text: bool) -> Stream:
    """Decode a whole stream; damage ends it and becomes `Stream.error`."""
    import pyarrow as pa

    capture = [number for number, name in program.names.items() if short_name(name) in CAPTURED[stream]]
    decoder = EventColumns(
        program, data, tagged=stream == TRACKER, id_bits=ID_BITS[stream], capture=capture, text=text
    )
    error = None
    try:
        decoder.read_columns()
    except ReplayError as caught:
        error = caught
    tick, user = decoder.ticks.to_arrow(), decoder.users.to_arrow()
    texts = pa.array([decode_text(raw) for raw in decoder.texts], pa.string())
    kinds = {}
    for number, columns in decoder.columns.items():
        order = decoder.orders[number].to_arrow()
        fields = {path: column.to_arrow() for path, (_, column) in columns.items()}
        for path, (leaf, _) in columns.items():
            if leaf.is_text and not leaf.is_list:
                fields[path] = pa.DictionaryArray.from_arrays(fields[path].cast(pa.int32()), texts)
        kinds[short_name(program.names[number])] = Fields(order, tick.take(order), user.take(order), fields)
    return Stream(
        tick=tick,
        user=user,
        number=decoder.numbers.to_arrow(),
        text=decoder.text_to_arrow() if text else None,
        names=dict(program.names),
        kinds=kinds,
        error=error,
    )
