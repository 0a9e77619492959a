"""``playhead ddnet runs``: finished runs with their times, and one of them as a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playhead import Replay, ReplayError
from playhead.cli.arguments import Parser, UsageError, whole_number
from playhead.cli.inputs.options import (
    add_files,
    add_json,
    add_player,
    add_simulated_map,
    add_strict,
    add_team,
    choose_players,
)
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_json, print_out
from playhead.cli.output.tables import print_columns
from playhead.clock import format_seconds
from playhead.runtime.libraries import pa

#: The first ``version_minor`` with recorded finishes (DDNet 18.3).
_FINISHES_FROM = 8


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    parser.option("--run N", "Only this run, by its column `run`.", dest="number", type=whole_number)
    add_player(parser, "Only runs of this player; with --arrays, the one to write")
    add_team(parser, "Only runs of this team")
    parser.option("--slice OUT", "Write the run as a recording of its own.", dest="cut", type=Path)
    parser.option("--arrays OUT", "Write state and input at every tick (.parquet or .csv).", type=Path)
    parser.option("--trace OUT", "Write the paths for plots (.parquet or .csv).", type=Path)
    parser.option("--ghost OUT", "Write the run as a ghost for DDNet's client; needs the map.", type=Path)
    add_simulated_map(parser)
    add_json(parser, "Print one JSON object per run, with all facts.")
    add_strict(parser)


def run(
    files: list[str],
    *,
    number: int | None,
    player: list[str] | None,
    team: int | None,
    cut: Path | None,
    arrays: Path | None,
    trace: Path | None,
    ghost: Path | None,
    map: Path | None,
    other_map: bool,
    as_json: bool,
    strict: bool,
) -> None:
    """List finished runs (DDNet 18.3 and later).

    Each has start, finish, time, team, load and save, practice."""
    wanted = [out for out in (cut, arrays, trace, ghost) if out is not None]
    if wanted and number is None:
        raise UsageError("--slice, --arrays, --trace and --ghost need it", "--run")
    if ghost is not None and map is None:
        raise UsageError("needs --map FILE|DIR", "--ghost")
    lines = [["file", "run", "start", "finish", "time", "team", "player", "name", "what else"]]
    reading = Reading(files, strict=strict, as_json=as_json)
    if wanted and reading.several:
        raise UsageError("needs exactly one file", "--run")
    for replay in reading:
        if not reading.can(replay, "runs"):
            continue
        try:
            chosen = None if player is None else choose_players(reading, replay, player)
            if chosen == []:
                continue
            if number is not None and wanted:
                _write(replay, number, chosen, cut, arrays, trace)
                if ghost is not None and map is not None:
                    _write_ghost(replay, number, chosen, ghost, replay.simulate(map, other_map=other_map))
                for out in wanted:
                    print_out(out)
            else:
                found = [
                    one
                    for one in replay.runs()
                    if (chosen is None or {*chosen} & {*one["players"]})
                    and team in (None, one["team"])
                    and number in (None, one["run"])
                ]
                if not found:
                    reading.misses(replay, _why_none(replay, number, player, team))
                for one in found if as_json else ():
                    print_json({"file": replay.name, **one})
                lines += (_line(replay, one) for one in found)
        except KeyError as error:
            raise UsageError(error.args[0], "--run/--player") from None
        except (ReplayError, OSError) as error:
            reading.failed(replay.name, error)
            continue
        except ValueError as error:
            raise UsageError(str(error), "--run") from None
        reading.problems(replay)
    if not as_json and len(lines) > 1:
        print_columns(lines)
    reading.finish()


def _why_none(replay: Replay, number: int | None, player: list[str] | None, team: int | None) -> str:
    """Return why there is no run to list: old servers do not record finishes."""
    minor = replay.info.build
    if minor is None or int(minor) < _FINISHES_FROM:
        return "has no finishes: its server is older than DDNet 18.3"
    if number is not None:
        return f"has no such run {number}"
    if team is not None:
        return f"has no finished run of team {team}"
    return "has no finished run" + ("" if player is None else f" of {' or '.join(player)}")


def _line(replay: Replay, run: dict[str, Any]) -> list[str]:
    facts = {
        "loaded": run["loaded"],
        f"saved {_time(run['saved_tick'])}": run["saved_tick"] is not None,
        "practice": run["practice"],
        f"{run['swaps']} swaps": run["swaps"],
        f"{run['rcon_commands']} rcon": run["rcon_commands"],
    }
    return [
        Path(replay.name).name,
        str(run["run"]),
        _time(run["first_tick"]),
        _time(run["tick"]),
        f"{run['duration_seconds']:.2f} s",
        "-" if run["team"] is None else str(run["team"]),
        _all(run["players"]),
        _all(run["names"]),
        ", ".join(fact for fact, holds in facts.items() if holds) or "-",
    ]


def _all(values: Iterable[object]) -> str:
    return ", ".join("-" if value is None else str(value) for value in values)


def _time(tick: int | None) -> str:
    from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

    return "-" if tick is None else format_seconds(tick / TICKS_PER_SECOND)


def _write(
    replay: Replay, run: int, chosen: list[int] | None, cut: Path | None, arrays: Path | None, trace: Path | None
) -> None:
    """Write a run; with `chosen` players, the arrays of the first of them who ran it."""
    if cut is not None:
        replay.write_run(cut, run)
    if arrays is not None:
        runners = [
            one for one in chosen or () if run < len(replay.runs()) and one in replay.runs()[run]["players"]
        ]
        _write_table(arrays, pa.table(replay.run_arrays(run, next(iter(runners or chosen or ()), None))))
    if trace is not None:
        _write_table(trace, replay.run_trace(run))


def _write_ghost(replay: Replay, run: int, chosen: list[int] | None, ghost: Path, simulation: Any) -> None:
    """Write a run as a ghost; with `chosen` players, of the first of them who ran it."""
    runs = replay.runs()
    if not 0 <= run < len(runs):
        raise KeyError(f"no run {run}; there are {len(runs)}, from 0 on")
    found = runs[run]
    simulation.write_ghost(ghost, found, next((one for one in chosen or () if one in found["players"]), None))


def _write_table(path: Path, table: pa.Table) -> None:
    from playhead.io.atomic import whole_file

    with whole_file(path) as temporary:
        if path.suffix == ".csv":
            from pyarrow import csv

            csv.write_csv(table, temporary)
        else:
            from pyarrow import parquet

            parquet.write_table(table, temporary)
