"""`verdicts`: whether the simulation of a run leads to the recorded time, so that an admin may trust it.

A run is verified if every position of everyone who ran it was predicted exactly, and the start and finish lines
give the recorded time. Servers before DDNet 18.3 record no finishes: their runs are those of the map's lines, and
nothing confirms their time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from playhead.runtime.libraries import pa, pc
from playhead.tables import Column, TableSchema
from playhead.tables.value_arrays import array_of
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
    races = {(row["tick"], *row["clients"]): row for row in found["races"].to_pylist()}
    wanted: list[Mapping[str, Any]] = list(runs)
    for race in races.values() if not wanted else ():
        names = [None if player is None else name_of(player, race["tick"]) for player in race["players"]]
        fields = {"run": None, "duration_ticks": None, "loaded": False, "names": names}
        wanted.append({**race, **fields, "first_tick": race["start_tick"]})
    positions = found["physics"].select(["tick", "player", "exact"])
    return RUN_VERDICTS.build_rows([_row(run, races, positions) for run in wanted])


def _row(
    run: Mapping[str, Any], races: Mapping[tuple[int, ...], Mapping[str, Any]], positions: pa.Table
) -> dict[str, Any]:
    race = races.get((run["tick"], *run["clients"])) or _joint(run, races)
    simulated = None if race is None else race["duration_ticks"]
    first = 0 if run["first_tick"] is None else run["first_tick"]
    players = array_of([player for player in run["players"] if player is not None], pa.int32())
    within = pc.and_(pc.greater_equal(positions["tick"], first), pc.less_equal(positions["tick"], run["tick"]))
    part = positions.filter(pc.and_(within, pc.is_in(positions["player"], players)))
    wrong = part.filter(pc.invert(pc.fill_null(part["exact"], True)))
    compared = len(part) - part["exact"].null_count
    inexact = min(wrong["tick"].to_pylist(), default=None)
    reason = _reason(run, race, simulated, compared, len(wrong))
    return {
        **{name: run.get(name) for name in ("run", "tick", "team", "clients", "players", "names")},
        "seconds": run["tick"] / TICKS_PER_SECOND,
        "duration_seconds": None if run["duration_ticks"] is None else run["duration_ticks"] / TICKS_PER_SECOND,
        "simulated_seconds": None if simulated is None else simulated / TICKS_PER_SECOND,
        "compared": compared,
        "exact_positions": compared - len(wrong),
        "inexact_tick": inexact,
        "verified": reason is None,
        "reason": reason,
    }


def _joint(run: Mapping[str, Any], races: Mapping[tuple[int, ...], Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the race of the same people on that tick, in another order."""
    return next(
        (
            race
            for race in races.values()
            if race["tick"] == run["tick"] and {*race["clients"]} == {*run["clients"]}
        ),
        None,
    )


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
