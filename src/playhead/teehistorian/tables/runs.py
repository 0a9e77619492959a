"""Tables ``runs``, ``finishes``, ``saves`` and ``teams``: races, and the teams that run them.

A run is finished, with facts deduced about the time before the finish.

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
from playhead.teehistorian.state.tracker import ConnectionTracker, RareMessage, command_origin
from playhead.teehistorian.stream import extensions as ex
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, ConsoleCommand, Extra
from playhead.teehistorian.stream.text import printable
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder

#: The DDRace team of a finish.
TEAM_NOTE = "0 is no team. Null before DDNet 15.6, which does not record it."


@dataclass(slots=True)
class _Run:
    tick: int
    time: int
    team: int | None
    by_team: bool
    joined: bool = False  # part of the run of its team
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


class _Practice:
    """A team's changes of practice, by ascending ticks."""

    def __init__(self) -> None:
        self._changes: list[tuple[int, bool]] = []
        self._last_on = -1

    def add(self, tick: int, on: bool) -> None:
        self._changes.append((tick, on))
        if on:
            self._last_on = tick

    def since(self, begin: int) -> bool:
        """Return whether the team was in practice at `begin` or later."""
        before = bisect_right(self._changes, begin, key=lambda change: change[0])
        return self._last_on > begin or (before > 0 and self._changes[before - 1][1])


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

    handles = (ConsoleCommand, ex.LoadSuccess, ex.TeamPractice, ex.PlayerSwap, ex.PlayerFinish, ex.TeamFinish)

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self._loads: dict[int, tuple[int, UUID]] = {}  # last load of each team
        self._practice: dict[int, _Practice] = {}
        self._swaps: dict[int, _Ticks] = {}
        self._commands: dict[int, _Ticks] = {}
        self._waiting: list[_Run] = []  # finishes of the current tick
        self._members: dict[int | None, list[_Run]] = {}  # those of players that a finish of their team may join

    def on_message(self, rare: RareMessage) -> None:
        tick = rare.tick
        if self._waiting and self._waiting[0].tick != tick:
            self._settle()
        message = rare.message
        if isinstance(message, ConsoleCommand):
            if command_origin(message.cid, message.flags) != "chat":
                self._commands.setdefault(max(message.cid, -1), _Ticks()).add(tick)
            return
        match rare.extension:
            case ex.LoadSuccess(team, save_uuid):
                self._loads[team] = (tick, save_uuid)
            case ex.TeamPractice(team, practice):
                self._practice.setdefault(team, _Practice()).add(tick, bool(practice))
            case ex.PlayerSwap(cid, _):
                self._swaps.setdefault(cid, _Ticks()).add(tick)
            case ex.PlayerFinish(cid, time):
                connection = rare.connection
                finished_team = None if connection is None else connection.identity.team
                run = _Run(tick, time, finished_team, False, cids=[cid], connections=[connection])
                self._waiting.append(run)
                self._members.setdefault(finished_team, []).append(run)
            case ex.TeamFinish(team, time):
                self._finish_team(_Run(tick, time, team, True))
            case _:
                pass

    def _finish_team(self, run: _Run) -> None:
        for member in self._members.pop(run.team, ()):
            member.joined = True
            run.cids += member.cids
            run.connections += member.connections
        self._waiting.append(run)

    def _settle(self) -> None:
        for run in self._waiting:
            if not run.joined:
                self._add(run.tick, None, **self._describe(run))
        self._waiting.clear()
        self._members.clear()

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
            "practice": team in self._practice and team != 0 and self._practice[team].since(begin),
            "swaps": self._count(self._swaps, run.cids, begin, run.tick),
            "rcon_commands": by_runners,
            "other_commands": self._count(self._commands, self._commands, begin, run.tick) - by_runners,
        }

    @staticmethod
    def _count(events: dict[int, _Ticks], cids: Iterable[int], first: int, last: int) -> int:
        return sum(events[cid].between(first, last) for cid in cids if cid in events)

    def rows(self) -> list[dict[str, Any]]:
        self._settle()
        for row in self._rows:
            row["names"] = [
                connection.name_at(row["tick"]) if isinstance(connection, Connection) else connection
                for connection in row["names"]
            ]
        return self._rows


FINISHES = TableSchema.of(
    "finishes",
    "One row for each finish as it is recorded: of every player, and of a team of two or more also one "
    "of the team. Since 18.3; older files do not say who finished.",
    *words("tick seconds"),
    word("kind", "player or team."),
    word("client", "Null for a team."),
    *words("player name"),
    word("team", TEAM_NOTE),
    word("duration_ticks", "The time that counts, saved time included."),
    *words("duration_seconds"),
)


@TABLES.maker_of(FINISHES)
class Finishes(RowBuilder):
    """Builds table ``finishes``."""

    handles = (ex.PlayerFinish, ex.TeamFinish)

    def on_message(self, rare: RareMessage) -> None:
        match rare.extension:
            case ex.PlayerFinish(cid, time):
                connection = rare.connection
                team = None if connection is None else connection.identity.team
                values = {"kind": "player", "client": cid}
            case ex.TeamFinish(team, time):
                connection = None
                values = {"kind": "team"}
            case _:
                return
        values |= {"team": team, "duration_ticks": time, "duration_seconds": time / TICKS_PER_SECOND}
        self._add(rare.tick, connection, **values)


#: Packer size of servers before version_minor 9, which truncate longer texts.
_CUT_SIZE = 2048
_FIRST_MINOR_WITHOUT_CUTS = 9


SAVES = TableSchema.of(
    "saves",
    "One row for each save and load of a team, also failed ones. A failed save is not always recorded: "
    "one that the server refuses at once (no team, run not started) leaves only its command. Since 14.0.2.",
    *words("tick seconds"),
    word("event", "save or load."),
    Column("success", "bool", "It worked."),
    *words("team"),
    word("client", "The last member of that team who used /save or /load before. Deduced; null if there is none."),
    *words("player name save_uuid"),
    word("names", "Those in the save text, as far as it goes; null for a failure."),
    Column("save", "string", "The save text: lines of numbers, one for the team and one a tee."),
    word("bytes", "That of the whole payload."),
    Column(
        "cut",
        "bool",
        "Servers before version_minor 9 cut a payload at 2048 bytes; one of exactly that size is incomplete.",
    ),
    group="log",
)


@TABLES.maker_of(SAVES)
class Saves(RowBuilder):
    """Builds table ``saves``."""

    handles = (ConsoleCommand, ex.SaveSuccess, ex.SaveFailure, ex.LoadSuccess, ex.LoadFailure)

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self._asked: dict[tuple[str, int], Connection] = {}

    def on_message(self, rare: RareMessage) -> None:
        message = rare.message
        if isinstance(message, ConsoleCommand):
            self._remember(message, rare.clients)
            return
        extension = rare.extension
        if not isinstance(extension, ex.SaveSuccess | ex.SaveFailure | ex.LoadSuccess | ex.LoadFailure):
            return
        event = "save" if isinstance(extension, ex.SaveSuccess | ex.SaveFailure) else "load"
        save = printable(extension.save) if isinstance(extension, ex.SaveSuccess | ex.LoadSuccess) else None
        success = save is not None
        size = len(message.data) if isinstance(message, Extra) else 0
        connection = self._asked.pop((event, extension.team), None)
        self._add(
            rare.tick,
            connection,
            event=event,
            success=success,
            team=extension.team,
            client=None if connection is None else connection.cid,
            save_uuid=str(extension.save_uuid) if isinstance(extension, ex.SaveSuccess | ex.LoadSuccess) else None,
            names=None if save is None else save_players(save),
            save=save,
            bytes=size,
            cut=success and size == _CUT_SIZE and (self.header.version_minor or 0) < _FIRST_MINOR_WITHOUT_CUTS,
        )

    def _remember(self, message: ConsoleCommand, clients: ConnectionTracker) -> None:
        if message.command in ("save", "load") and command_origin(message.cid, message.flags) == "chat":
            connection = clients.current(message.cid)
            if connection is not None and connection.identity.team is not None:
                self._asked[message.command, connection.identity.team] = connection


def save_players(save: str) -> list[str]:
    """Return the names of the tees in a save text.

    The first line counts the tees in its second field; each has a line, its name first.
    """
    first, *lines = save.split("\n")
    fields = first.split("\t")
    count = int(fields[1]) if len(fields) > 1 and fields[1].isdecimal() and len(fields[1]) < 4 else 0
    return [line.split("\t")[0] for line in lines[:count] if line]


TEAMS = TableSchema.of(
    "teams",
    "One row for each change of a DDRace team. Since 15.6; swaps since 16.2.",
    *words("tick seconds"),
    word(
        "event",
        "team: `client` went from `previous_team` to `team`; practice: `team` entered or left practice; "
        "swap: `client` and `target_client` swapped places.",
    ),
    word("client", "Null for practice, which is about a team."),
    *words("player name"),
    word("team", "The one after the event; 0 is no team."),
    Column("previous_team", "int32", "Team before it; null for practice."),
    word("practice", "From now on; null for other events."),
    word("target_client", "The other in a swap; else null."),
    *words("target_player"),
)


@TABLES.maker_of(TEAMS)
class Teams(RowBuilder):
    """Builds table ``teams``."""

    handles = (ex.PlayerTeam, ex.TeamPractice, ex.PlayerSwap)

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self._teams: dict[int, int] = {}

    def on_message(self, rare: RareMessage) -> None:
        match rare.extension:
            case ex.PlayerTeam(cid, team):
                previous = self._teams.get(cid, 0)
                self._teams[cid] = team
                values = {"event": "team", "client": cid, "team": team, "previous_team": previous}
                self._add(rare.tick, rare.connection, **values)
            case ex.TeamPractice(team, practice):
                self._add(rare.tick, None, event="practice", team=team, practice=bool(practice))
            case ex.PlayerSwap(cid, other):
                team = self._teams.get(cid, 0)
                values = {"event": "swap", "client": cid, "team": team, "previous_team": team}
                swapped = rare.clients.current(other)
                values["target_player"] = None if swapped is None else swapped.number
                self._add(rare.tick, rare.connection, target_client=other, **values)
            case _:
                pass
