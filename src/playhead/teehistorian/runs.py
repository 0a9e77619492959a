"""Single runs: their runners, first and last tick, and the state and input of a runner on every tick.

`tables.runs` defines a run and its deduced columns. A run begins in its recording at ``first_tick``: the start of
its clock, or the load of a save.

A run is verified if every position of everyone who ran it was predicted exactly, and the start and finish lines
give the recorded time. Servers before DDNet 18.3 record no finishes: their runs are those of the map's lines, and
nothing confirms their time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from playhead.errors import LimitExceeded
from playhead.runtime.libraries import np, pa, pc
from playhead.tables import Column, TableSchema
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.physics.simulation import Simulation
from playhead.teehistorian.state.seek import TILE, Tee
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND
from playhead.teehistorian.stream.ticks import INPUT_FIELDS

if TYPE_CHECKING:
    from playhead.teehistorian.tables.window import Window


#: Longest run, in ticks, for which arrays are built: one day. A damaged file can contain any time.
LONGEST_RUN = 24 * 60 * 60 * TICKS_PER_SECOND


class RunSource(Protocol):
    """The part of a replay that this module uses."""

    def read_tables(self, names: Iterable[str]) -> Mapping[str, pa.Table]:
        """Return tables by name."""

    def at(self, when: int) -> Sequence[Tee]:
        """Return every tee at a tick."""

    def window(self, start: int, end: int, *, client: int | None = None) -> Window:
        """Return positions, inputs and messages of some ticks."""


def list_runs(replay: RunSource) -> list[dict[str, Any]]:
    """Return every finished run, JSON-ready: the columns of table ``runs`` and

    * ``run``: its number, from 0 in the order of the finishes;
    * ``first_tick``: its first tick in this recording; None if its clock started before the recording;
    * ``saved_tick``: for a loaded run, the tick of its save; None if the save is not in this recording.
    """
    tables = replay.read_tables(["runs", "saves"])
    saves = {
        row["save_uuid"]: row["tick"]
        for row in tables["saves"].to_pylist()
        if row["event"] == "save" and row["success"] and row["save_uuid"] is not None
    }
    return [
        {
            "run": number,
            **row,
            "first_tick": row["load_tick"] if row["loaded"] else row["start_tick"],
            "saved_tick": saves.get(row["save_uuid"]) if row["loaded"] else None,
        }
        for number, row in enumerate(tables["runs"].to_pylist())
    ]


def find_run(replay: RunSource, number: int) -> dict[str, Any]:
    """Return one run of `list_runs`.

    Raises:
        KeyError: there is no run of that number.
        ValueError: the run began before the recording.
    """
    runs = list_runs(replay)
    if not 0 <= number < len(runs):
        raise KeyError(f"no run {number}; there are {len(runs)}, from 0 on")
    run = runs[number]
    if run["first_tick"] is None or run["first_tick"] > run["tick"]:
        raise ValueError(f"run {number} began before this recording")
    return run


def run_arrays(replay: RunSource, number: int, player: int | None = None) -> dict[str, pa.Array]:
    """Return state and input of a runner on every tick of a run, from its first tick to the finish.

    Arrays of equal length; ``to_numpy()`` of those without nulls costs no copy:

    * ``tick`` (int32) and ``seconds`` since the first tick (float64);
    * ``alive`` (bool) and ``x``, ``y`` (int32, map units): the position of the tee, the last one if it is gone;
      null before its first position;
    * the ten fields of the input that acts on the tick (int32); null before the first input.

    Args:
        replay: the recording.
        number: number of the run in `list_runs`.
        player: number of the runner; the first runner by default.

    Raises:
        KeyError: there is no such run, or no runner of that number.
        ValueError: the run began before the recording.
        LimitExceeded: the run is longer than `LONGEST_RUN`.
    """
    run = find_run(replay, number)
    client, player = _runner(run, player)
    first, last = run["first_tick"], run["tick"]
    if last - first >= LONGEST_RUN:
        raise LimitExceeded(f"a run of {last - first} ticks is above the limit of {LONGEST_RUN}", tick=last)
    tee = next((tee for tee in replay.at(first) if tee.client == client), None)
    here = tee is not None and tee.x is not None and tee.y is not None
    place: tuple[Any, ...] = (here, tee.x, tee.y) if tee is not None and here else (False, None, None)
    held: tuple[Any, ...] = (None,) * len(INPUT_FIELDS)
    if tee is not None and tee.input is not None:
        held = tuple(tee.input)
    places, inputs = {first: place}, {first: held}
    window = replay.window(first, last, client=client)
    for row in window.positions.to_pylist():
        if row["player"] == player:
            places[row["tick"]] = (row["event"] != "gone", int(row["x"]), int(row["y"]))
    for row in window.inputs.to_pylist():
        if row["player"] == player:
            inputs[row["tick"]] = tuple(int(row[field]) for field in INPUT_FIELDS)
    ticks = range(first, last + 1)
    columns: dict[str, pa.Array] = {
        "tick": pa.array(ticks, pa.int32()),
        "seconds": pa.array([(tick - first) / TICKS_PER_SECOND for tick in ticks], pa.float64()),
    }
    held_names = (("alive", pa.bool_()), ("x", pa.int32()), ("y", pa.int32()))
    columns |= _dense(places, held_names, last)
    columns |= _dense(inputs, [(field, pa.int32()) for field in INPUT_FIELDS], last)
    return columns


def run_trace(replay: RunSource, number: int) -> pa.Table:
    """Return the paths of all runners of a run, for plots: ``player``, ``name``, ``tick``, ``seconds`` since the
    first tick, ``tile_x``, ``tile_y``; one row per tick on which the tee exists.

    Raises:
        KeyError, ValueError, LimitExceeded: as for `run_arrays`.
    """
    run = find_run(replay, number)
    parts = []
    for player, name in zip(run["players"], run["names"], strict=True):
        if player is None:
            continue
        dense = pa.table(run_arrays(replay, number, player))
        dense = dense.filter(dense["alive"])
        count = dense.num_rows
        parts.append(
            pa.table(
                {
                    "player": pa.array([player] * count, pa.int32()),
                    "name": pa.array([name] * count, pa.string()),
                    "tick": dense["tick"],
                    "seconds": dense["seconds"],
                    "tile_x": pc.divide(dense["x"].cast(pa.float64()), scalar_of(float(TILE), pa.float64())),
                    "tile_y": pc.divide(dense["y"].cast(pa.float64()), scalar_of(float(TILE), pa.float64())),
                }
            )
        )
    if not parts:
        raise KeyError(f"it is not known who ran run {number}")
    return pa.concat_tables(parts)


def _runner(run: Mapping[str, Any], player: int | None) -> tuple[int, int]:
    """Return client id and number of a runner."""
    known = {one: cid for cid, one in zip(run["clients"], run["players"], strict=True) if one is not None}
    if player is None:
        player = next(iter(known), None)
    if player is None or player not in known:
        there = ", ".join(map(str, known)) or "none that are known"
        raise KeyError(f"no player {player} in run {run['run']}; there are {there}")
    return known[player], player


def _dense(
    changes: Mapping[int, tuple[Any, ...]], fields: Iterable[tuple[str, pa.DataType]], last: int
) -> dict[str, pa.Array]:
    """Return columns with one value per tick from columns of changes; the first change is at the first tick."""
    ticks = sorted(changes)
    counts = [after - tick for tick, after in zip(ticks, [*ticks[1:], last + 1], strict=True)]
    held = pa.array([place for place, count in enumerate(counts) for _ in range(count)], pa.int32())
    return {
        name: pa.array([changes[tick][place] for tick in ticks], kind).take(held)
        for place, (name, kind) in enumerate(fields)
    }


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
