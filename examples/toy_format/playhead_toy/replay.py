"""`ToyReplay`: the front door's promises kept for walks on a grid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from playhead import CorruptReplay, Info, Player, Replay, ReplayError, TruncatedReplay, UnsupportedVersion
from playhead.clock import Clock
from playhead.events import Event, EventSource, events_of_tables
from playhead.io.source import Source
from playhead.model import Moment, Options
from playhead.tables import Column, TableSchema
from playhead.tables.shared import CHAT, INPUTS, POSITIONS

if TYPE_CHECKING:
    import pyarrow as pa

_HEADER = re.compile(rb"TOYREPLAY ([0-9]{1,4}) ([1-9][0-9]{0,3}) (\w{1,64})\n", re.ASCII)
_LINE = re.compile(r"([0-9]{1,9}) (?:(end)|([0-9]{1,3}) (join|walk|say) (.{1,200}))", re.ASCII)
_STEP = re.compile(r"(-?[01]) (-?[01])", re.ASCII)
_NAME = re.compile(r"\w{1,32}")

#: A table of a shared name begins with the shared columns; behind them are the format's own.
STEPS = TableSchema.of(
    "inputs",
    "One row for each step; `kind` is always walk.",
    *INPUTS.columns,
    Column("dx", "int32", "To the right.", "cells"),
    Column("dy", "int32", "Upwards.", "cells"),
)

TABLES = (CHAT, POSITIONS, STEPS)

EVENTS = (
    EventSource("chat_sent", "A line of chat.", "chat"),
    EventSource("walk", "A player made a step.", "inputs", names=(("kind", "how"),)),
)


class Line(NamedTuple):
    """One thing that happened; the last has neither `player` nor `what`."""

    tick: int
    player: int | None
    what: str
    rest: str


@dataclass(frozen=True, slots=True, repr=False)
class State(Moment):
    """Where everybody is at a tick: cells from the middle, by player."""

    tick: int = field()
    clock: Clock = field()
    units: Mapping[int, tuple[int, int]] = field()
    names: Mapping[int | None, str | None]

    @property
    def players(self) -> Sequence[Mapping[str, Any]]:
        """Who has joined, with their places."""
        known = dict.fromkeys(self.PLAYER_KEYS)
        return [
            {**known, "player": player, "name": self.names.get(player), "x": x, "y": y}
            for player, (x, y) in self.units.items()
        ]

    @property
    def raw(self) -> Mapping[int, tuple[int, int]]:
        """The same as `units`."""
        return self.units


class ToyReplay(Replay):
    """One walk. Opening reads the first line; the others are read when something asks for them."""

    format = "toy"
    capabilities = frozenset({"moment"})

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        head = _HEADER.match(bytes(source.data[:256]))
        if head is None:
            raise CorruptReplay("expected TOYREPLAY, a version, a rate and a map", offset=0)
        if int(head[1]) != 1:
            raise UnsupportedVersion(f"expected version 1, found {int(head[1])}", offset=10)
        self._rate, self._map, self._body = int(head[2]), head[3].decode("ascii"), head.end()

    # -- reading ------------------------------------------------------------------------------------------

    @cached_property
    def _lines(self) -> list[Line]:
        """The lines up to the first damage, which `_note` records (in strict mode it raises)."""
        lines: list[Line] = []
        try:
            for line in self._read():
                lines.append(line)
        except ReplayError as error:
            self._note(error, cost="everything from there on", where="line")
        return lines

    def _read(self) -> Iterator[Line]:
        offset, tick = self._body, 0
        known: set[int] = set()
        for raw in bytes(self.source.data[self._body :]).splitlines(keepends=True):
            found = _LINE.fullmatch(raw.removesuffix(b"\n").decode("utf-8", "replace"))
            if found is None or not raw.endswith(b"\n"):
                raise CorruptReplay(f"expected a whole line, found {raw[:40]!r}", offset=offset, tick=tick)
            line = Line(int(found[1]), int(found[3]) if found[3] else None, found[2] or found[4], found[5] or "")
            if line.tick < tick:
                raise CorruptReplay(f"expected tick {tick} or later, found {line.tick}", offset=offset, tick=tick)
            tick = line.tick
            if line.what == "end":
                yield line
                return
            if line.what == "join" and line.player is not None and _NAME.fullmatch(line.rest):
                known.add(line.player)
            elif line.player not in known or (line.what == "walk" and not _STEP.fullmatch(line.rest)):
                raise CorruptReplay(f"expected a step of a player who is there, found {raw[:40]!r}", offset=offset)
            yield line
            offset += len(raw)
        raise TruncatedReplay("expected a line that says end, found the end of the file", offset=offset, tick=tick)

    # -- what `Replay` asks for -----------------------------------------------------------------------------

    def _load_info(self) -> Info:
        lines = self._lines
        return Info(
            format=self.format,
            game="grid walk",
            source=self.name,
            complete=bool(lines) and lines[-1].what == "end",
            version="1",
            map=self._map,
            duration_ticks=lines[-1].tick if lines else 0,
            ticks_per_second=float(self._rate),
        )

    def _load_players(self) -> tuple[Player, ...]:
        names = {line.player: line.rest for line in self._lines if line.what == "join" and line.player is not None}
        return tuple(Player(player=number, name=name, kind="human") for number, name in names.items())

    def _table_schemas(self) -> Iterable[TableSchema]:
        return TABLES

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        built = {}
        if "chat" in names:
            built["chat"] = CHAT.build_rows(
                [
                    {**self._when(line), "name": self._names[line.player], "channel": "all", "text": line.rest}
                    for line in self._lines
                    if line.what == "say"
                ]
            )
        if "inputs" in names:
            built["inputs"] = STEPS.build_rows(
                [
                    {**self._when(line), "kind": "walk", "dx": dx, "dy": dy}
                    for line in self._lines
                    if line.what == "walk"
                    for dx, dy in [_step(line)]
                ]
            )
        if "positions" in names:
            built["positions"] = POSITIONS.build_rows(
                [{**self._when(line), "x": x, "y": y} for line, (x, y) in self._places()]
            )
        return built

    def _survey(self) -> None:
        self._lines  # noqa: B018  (reading them is what finds their problems)

    # -- events and state ---------------------------------------------------------------------------------

    def _event_kinds(self) -> Mapping[str, str]:
        return {source.kind: source.doc for source in EVENTS}

    def _tables_of_events(self, kinds: frozenset[str]) -> frozenset[str]:
        return frozenset(source.table for source in EVENTS if source.kind in kinds)

    def _read_events(self, kinds: frozenset[str]) -> Iterator[Event]:
        wanted = [source for source in EVENTS if source.kind in kinds]
        return events_of_tables(wanted, self.read_tables(self._tables_of_events(kinds)), self._seconds)

    def _moment(self, tick: int) -> State:
        places = {line.player: place for line, place in self._places() if line.tick <= tick}
        here = {player: place for player, place in places.items() if player is not None}
        return State(tick, Clock(float(self._rate)), here, self._names)

    def _places(self) -> Iterator[tuple[Line, tuple[int, int]]]:
        at: dict[int | None, tuple[int, int]] = {}
        for line in self._lines:
            if line.what == "join":
                at[line.player] = (0, 0)
            elif line.what == "walk":
                (x, y), (dx, dy) = at[line.player], _step(line)
                at[line.player] = (x + dx, y + dy)
            else:
                continue
            yield line, at[line.player]

    @cached_property
    def _names(self) -> Mapping[int | None, str | None]:
        return {player.player: player.name for player in self.players}

    def _seconds(self, tick: int) -> float:
        return tick / self._rate

    def _when(self, line: Line) -> dict[str, float | int | None]:
        return {"tick": line.tick, "seconds": self._seconds(line.tick), "player": line.player}


def _step(line: Line) -> tuple[int, int]:
    dx, dy = line.rest.split(" ")
    return int(dx), int(dy)
