"""Table ``runs``: finished runs, with facts deduced about the time before the finish.

The file has no message for the start of a run. A finish message contains the time in ticks, so the clock started
that many ticks before the finish. If the team loaded a save, the saved time is included, and the start of the
clock is not in this part of the recording. The rules:

* a TEAM_FINISH and the PLAYER_FINISHes of members of that team on the same tick are one run; every other
  PLAYER_FINISH is a separate run;
* a run was loaded if its team loaded a save after the start of the clock; it begins in this recording at the load;
* practice, swaps and rcon commands count from the beginning of the run in this recording to its finish.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from playhead.runtime.records import dataclass, field
from playhead.tables import Column, TableSchema
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.extensions import LoadSuccess, PlayerFinish, PlayerSwap, TeamFinish, TeamPractice
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, ConsoleCommand
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder
from playhead.teehistorian.tables.commands import command_origin
from playhead.teehistorian.tables.finishes import TEAM_NOTE


@dataclass(slots=True)
class _Run:
    tick: int
    time: int
    team: int | None
    by_team: bool
    cids: list[int] = field(default_factory=list)
    connections: list[Connection | None] = field(default_factory=list)


class _Ticks:
    """Ascending ticks of events; counts those in a range."""

    def __init__(self) -> None:
        self._ticks: list[int] = []

    def add(self, tick: int) -> None:
        self._ticks.append(tick)

    def between(self, first: int, last: int) -> int:
        return bisect_right(self._ticks, last) - bisect_left(self._ticks, first)


RUNS = TableSchema.of(
    "runs",
    "One row for each finished run, of one player or of a team. Since 18.3; the start is deduced, not recorded.",
    word("tick", "That of the finish."),
    *words("seconds"),
    word("kind", "solo or team."),
    word("team", TEAM_NOTE),
    word("clients", "Those who finished together."),
    word("players", "In the order of `clients`; null if unknown."),
    word("names", "Those at the finish, in the order of `clients`."),
    word("duration_ticks", "The time that counts, saved time included."),
    *words("duration_seconds"),
    word(
        "start_tick",
        "When the clock started: `tick` less `duration_ticks`; the position of the tick before shows the tee "
        "leaving the start line (a team: its first member reaching it). Null for a loaded run, which did not "
        "start in this recording or not in one piece, and for a start before the recording.",
    ),
    Column("loaded", "bool", "The team loaded a save after the clock's start."),
    Column("load_tick", "int32", "Tick of the last such load; null if there was none.", "ticks"),
    word("save_uuid", "The one that was loaded."),
    word("practice", "At some time of the run."),
    Column("swaps", "int32", "How often members swapped places."),
    Column("rcon_commands", "int32", "Commands that those who finished ran over rcon meanwhile."),
    Column(
        "other_commands",
        "int32",
        "Commands that others ran over rcon meanwhile, passed votes and the server itself included.",
    ),
)


@TABLES.maker_of(RUNS)
class Runs(RowBuilder):
    """Builds table ``runs`` by the rules of this module."""

    handles = (ConsoleCommand, LoadSuccess, TeamPractice, PlayerSwap, PlayerFinish, TeamFinish)

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self._loads: dict[int, tuple[int, UUID]] = {}  # last load of each team
        self._practice: dict[int, list[tuple[int, bool]]] = {}
        self._swaps: dict[int, _Ticks] = {}
        self._commands: dict[int, _Ticks] = {}
        self._waiting: list[_Run] = []  # finishes of the current tick, which a team finish may join

    def on_message(self, rare: RareMessage) -> None:
        tick = rare.tick
        if self._waiting and self._waiting[0].tick != tick:
            self._settle()
        message = rare.message
        if isinstance(message, ConsoleCommand):
            if command_origin(message) != "chat":
                self._commands.setdefault(max(message.cid, -1), _Ticks()).add(tick)
            return
        match rare.extension:
            case LoadSuccess(team, save_uuid):
                self._loads[team] = (tick, save_uuid)
            case TeamPractice(team, practice):
                self._practice.setdefault(team, []).append((tick, bool(practice)))
            case PlayerSwap(cid, _):
                self._swaps.setdefault(cid, _Ticks()).add(tick)
            case PlayerFinish(cid, time):
                connection = rare.connection
                finished_team = None if connection is None else connection.identity.team
                self._waiting.append(_Run(tick, time, finished_team, False, [cid], [connection]))
            case TeamFinish(team, time):
                self._finish_team(_Run(tick, time, team, True))
            case _:
                pass

    def _finish_team(self, run: _Run) -> None:
        for member in [w for w in self._waiting if w.team == run.team and not w.by_team]:
            self._waiting.remove(member)
            run.cids += member.cids
            run.connections += member.connections
        self._waiting.append(run)

    def _settle(self) -> None:
        for run in self._waiting:
            self._add(run.tick, None, **self._describe(run))
        self._waiting.clear()

    def _describe(self, run: _Run) -> dict[str, Any]:
        clock_start = run.tick - run.time
        team = run.team or 0
        load_tick, save_uuid = self._loads.get(team, (None, None)) if team else (None, None)
        if load_tick is not None and load_tick <= clock_start:
            load_tick = save_uuid = None
        begin = max(clock_start if load_tick is None else load_tick, 0)
        by_runners = self._count(self._commands, run.cids, begin, run.tick)
        return {
            "kind": "team" if run.by_team else "solo",
            "team": run.team,
            "clients": run.cids,
            "players": [None if one is None else one.number for one in run.connections],
            "names": run.connections,
            "duration_ticks": run.time,
            "duration_seconds": run.time / TICKS_PER_SECOND,
            "start_tick": clock_start if load_tick is None and 0 <= clock_start <= run.tick else None,
            "loaded": load_tick is not None,
            "load_tick": load_tick,
            "save_uuid": None if save_uuid is None else str(save_uuid),
            "practice": team != 0 and self._practised(team, begin),
            "swaps": self._count(self._swaps, run.cids, begin, run.tick),
            "rcon_commands": by_runners,
            "other_commands": self._count(self._commands, self._commands, begin, run.tick) - by_runners,
        }

    @staticmethod
    def _count(events: dict[int, _Ticks], cids: Iterable[int], first: int, last: int) -> int:
        return sum(events[cid].between(first, last) for cid in cids if cid in events)

    def _practised(self, team: int, begin: int) -> bool:
        changes = self._practice.get(team, [])
        before = [on for tick, on in changes if tick <= begin]
        return (bool(before) and before[-1]) or any(on for tick, on in changes if tick > begin)

    def rows(self) -> list[dict[str, Any]]:
        self._settle()
        for row in self._rows:
            row["names"] = [
                connection.name_at(row["tick"]) if isinstance(connection, Connection) else connection
                for connection in row["names"]
            ]
        return self._rows
