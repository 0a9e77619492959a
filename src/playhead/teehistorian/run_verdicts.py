"""`verdicts`: whether the simulation of a run leads to the recorded time.

A run is verified if every position of everyone who ran it was predicted exactly, and the start and finish lines
give the recorded time. Servers before DDNet 18.3 record no finishes: their runs are those of the map's lines, and
nothing confirms their time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from playhead.runtime.libraries import np, pa, pc
from playhead.tables import Column, TableSchema
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.physics.simulation import Simulation
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

RUN_VERDICTS = TableSchema.of(
    "run_verdicts",
    "One row for each finished run, with its recorded time and that of the simulation. Computed on the map.",
    Column("run", "int32", "Number of the run in `runs`; null if the server recorded no finish."),
    word("tick", "That of the finish."),
    *words("seconds"),
    word("team", "0 is no team."),
    word("clients", "Those who finished together."),
    word("players", "In the order of `clients`; null if unknown."),
    word("names", "Those at the finish, in the order of `clients`."),
    word("duration_seconds", "The recorded time; null if the server recorded no finish."),
    Column(
        "simulated_seconds",
        "float64",
        "From the start line to the finish line; null if they were not touched.",
        "s",
    ),
    Column("compared", "int32", "Positions of the run that were compared."),
    Column("exact_positions", "int32", "Those of them that were predicted."),
    Column(
        "inexact_tick", "int32", "The first tick whose position was not predicted; null if there is none.", "ticks"
    ),
    Column("verified", "bool", "All positions were predicted, and the two times are equal."),
    word("reason", "Why it is not verified; null if it is."),
)


def verdicts(
    simulation: Simulation, runs: Sequence[Mapping[str, Any]], name_of: Callable[[int, int], str | None]
) -> pa.Table:
    """Return table `RUN_VERDICTS`.

    Args:
        runs: those that the server recorded, as `teehistorian.runs.list_runs` returns them.
        name_of: gives the name of a player at a tick.
    """
    found = simulation.read_tables(("physics", "races"))
    races = {(row["tick"], frozenset(row["clients"])): row for row in found["races"].to_pylist()}
    wanted: list[Mapping[str, Any]] = list(runs)
    for race in races.values() if not wanted else ():
        names = [None if player is None else name_of(player, race["tick"]) for player in race["players"]]
        fields = {"run": None, "duration_ticks": None, "loaded": False, "names": names}
        wanted.append({**race, **fields, "first_tick": race["start_tick"]})
    positions = _Compared(found["physics"])
    return RUN_VERDICTS.build_rows([_row(run, races, positions) for run in wanted])


class _Compared:
    """The compared positions of all players: how many of them were predicted, between two ticks."""

    def __init__(self, physics: pa.Table) -> None:
        compared = physics.filter(pc.and_(pc.is_valid(physics["player"]), pc.is_valid(physics["exact"])))
        self._places = _place(compared["player"].to_numpy().astype(np.int64), compared["tick"].to_numpy())
        order = np.argsort(self._places, kind="stable")
        self._places = self._places[order]
        self._wrong = np.flatnonzero(~compared["exact"].to_numpy()[order])
        self._ticks = compared["tick"].to_numpy()[order]

    def between(self, player: int, first: int, last: int) -> tuple[int, int, int | None]:
        """Return how many positions of a player were compared, how many were wrong, and the first wrong tick."""
        start, end = np.searchsorted(self._places, [_place(player, first), _place(player, last + 1)])
        wrong, after = np.searchsorted(self._wrong, [start, end])
        return (
            int(end - start),
            int(after - wrong),
            int(self._ticks[self._wrong[wrong]]) if wrong < after else None,
        )


def _place(player: Any, tick: Any) -> Any:
    return (player << 32) + tick


def _row(
    run: Mapping[str, Any], races: Mapping[tuple[int, frozenset[int]], Mapping[str, Any]], positions: _Compared
) -> dict[str, Any]:
    race = races.get((run["tick"], frozenset(run["clients"])))
    simulated = None if race is None else race["duration_ticks"]
    first = 0 if run["first_tick"] is None else run["first_tick"]
    players = dict.fromkeys(player for player in run["players"] if player is not None)
    parts = [positions.between(player, first, run["tick"]) for player in players]
    compared, wrong = sum(part[0] for part in parts), sum(part[1] for part in parts)
    reason = _reason(run, race, simulated, compared, wrong)
    return {
        **{name: run.get(name) for name in ("run", "tick", "team", "clients", "players", "names")},
        "seconds": run["tick"] / TICKS_PER_SECOND,
        "duration_seconds": None if run["duration_ticks"] is None else run["duration_ticks"] / TICKS_PER_SECOND,
        "simulated_seconds": None if simulated is None else simulated / TICKS_PER_SECOND,
        "compared": compared,
        "exact_positions": compared - wrong,
        "inexact_tick": min((part[2] for part in parts if part[2] is not None), default=None),
        "verified": reason is None,
        "reason": reason,
    }


def _reason(
    run: Mapping[str, Any], race: Mapping[str, Any] | None, simulated: int | None, compared: int, wrong: int
) -> str | None:
    """Return why a run is not verified; None if it is."""
    if run["loaded"]:
        return "a save was loaded"
    if run["first_tick"] is None:
        return "it began before the recording"
    if not compared or None in run["players"]:
        return "who ran it is not known"
    if wrong:
        return "positions differ"
    if race is None or simulated is None:
        return "the simulation did not finish"
    if run["duration_ticks"] is None:
        return "the server recorded no finish"
    if simulated != run["duration_ticks"]:
        return "the times differ"
    return None
