"""``playhead ddnet verify-runs``: finished runs, each played again on its map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playhead.cli.arguments import EXIT_PROBLEMS, Exit, Parser
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
from playhead.cli.output.standard import print_json, print_note, print_out
from playhead.cli.output.tables import print_columns


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    add_simulated_map(parser, required=True)
    add_player(parser, "Only runs of this player")
    add_team(parser, "Only runs of this team")
    add_json(parser, "Print one JSON object per run, with all facts.")
    add_strict(parser)


def run(
    files: list[str],
    *,
    map: Path,
    other_map: bool,
    player: list[str] | None,
    team: int | None,
    as_json: bool,
    strict: bool,
) -> None:
    """Tell whether finished runs are what they seem.

    A finish is a line, with the recorded and the simulated time.

    A run is verified if all its positions follow from its inputs on the map, and the two times are equal. The exit
    status is 3 if one is not. Nothing is downloaded.
    """
    lines = [["file", "run", "finish", "names", "recorded", "simulated", "exact", "first inexact", "verdict"]]
    doubtful = False
    reading = Reading(files, strict=strict, as_json=as_json)
    for replay in reading:
        if not reading.can(replay, "simulate"):
            continue
        chosen = None if player is None else choose_players(reading, replay, player)
        if chosen == []:
            continue
        with reading.guard(replay, OSError, ValueError):
            rows = replay.verify_runs(map, other_map=other_map).to_pylist()
            kept = [
                row
                for row in rows
                if (chosen is None or {*chosen} & {*row["players"]}) and (team is None or row["team"] == team)
            ]
            if not kept:
                print_note(f"{replay.name}: no {'finished' if chosen is None and team is None else 'such'} run")
            doubtful |= not all(row["verified"] for row in kept)
            for row in kept if as_json else ():
                print_json({"file": replay.name, **row})
            lines += (_line(replay.name, row) for row in kept)
            reading.problems(replay)
    if not as_json and len(lines) > 1:
        print_columns(lines)
        print_out(f"{sum(line[-1] == 'verified' for line in lines)} of {len(lines) - 1} runs are verified")
    reading.finish()
    if doubtful:
        raise Exit(EXIT_PROBLEMS)


def _line(file: str, row: dict[str, Any]) -> list[str]:
    share = 100 * row["exact_positions"] / row["compared"] if row["compared"] else 0.0
    names = row["names"] or [f"client {client}" for client in row["clients"]]
    return [
        Path(file).name,
        "-" if row["run"] is None else str(row["run"]),
        f"{row['tick']}t",
        ", ".join(name or "-" for name in names),
        *(
            "-" if row[name] is None else f"{row[name]:.2f} s"
            for name in ("duration_seconds", "simulated_seconds")
        ),
        f"{share:.3f} %",
        "-" if row["inexact_tick"] is None else f"{row['inexact_tick']}t",
        "verified" if row["verified"] else f"not verified: {row['reason']}",
    ]
