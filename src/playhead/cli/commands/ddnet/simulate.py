"""``playhead ddnet simulate``: a recording played again on its map."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.cli.arguments import EXIT_PROBLEMS, Exit, Parser, UsageError
from playhead.cli.inputs.options import (
    add_files,
    add_json,
    add_player,
    add_session,
    add_simulated_map,
    add_strict,
    add_team,
    choose_players,
    choose_team,
    span_of,
)
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_err, print_json, print_out
from playhead.runtime.heap import return_large_blocks

if TYPE_CHECKING:
    from playhead.teehistorian.physics.simulation import Simulation

_LEAST = 99.0
_CAUSES = {
    "teleport": "a tee moved farther than any can",
    "inputs": "several inputs on one tick, or inputs recorded at their arrival",
    "contact": "another tee was near or hooked",
    "other": "nothing that the recording shows",
}


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    add_simulated_map(parser, required=True)
    parser.option("-o --output DIR", "Write all tables to this folder.", type=Path)
    parser.option(
        "--demo OUT.demo",
        "Write a demo for DDNet's client. It repeats the players' inputs; codes of saves and timeouts are hidden.",
        type=Path,
    )
    parser.option("--from TIME", "First tick of the share, tables and demo: 14:03, 42153t.", dest="start")
    parser.option("--to TIME", "Last tick of them.", dest="end")
    add_player(parser)
    add_team(parser, "Only who was in this team at some time")
    add_session(parser, "Only this connection")
    parser.option(
        "--format", "Format of the tables.", dest="form", choices=("parquet", "csv", "ndjson"), default="parquet"
    )
    parser.option(
        "--least PERCENT",
        "Exit status 3 if a smaller share of the positions, or of those of the chosen part, is predicted exactly.",
        type=float,
        default=_LEAST,
    )
    add_json(parser, "Print one JSON object per file.")
    add_strict(parser)


def run(
    files: list[str],
    *,
    map: Path,
    other_map: bool,
    output: Path | None,
    demo: Path | None,
    start: str | None,
    end: str | None,
    player: list[str] | None,
    team: int | None,
    session: int | None,
    form: str,
    least: float,
    as_json: bool,
    strict: bool,
) -> None:
    """Play a recording again on its map.

    Velocity, hooks and jumps are checked against the recorded positions.

    Prints the share of exactly predicted positions and the likely causes of the others, for the whole recording;
    and the share for the part that --from, --to, --player, --team and --session choose. Nothing is downloaded.
    """
    if output is not None:
        return_large_blocks()
    reading = Reading(files, strict=strict, as_json=as_json)
    if reading.several and (output is not None or demo is not None):
        raise UsageError("takes one file", "--demo" if output is None else "-o")
    uncertain = False
    for replay in reading:
        if not reading.can(replay, "simulate"):
            continue
        chosen = None if player is None else choose_players(reading, replay, player)
        if team is not None:
            chosen = [one for one in choose_team(replay, team) if chosen is None or one in chosen]
        if session is not None:
            known = [one.player for one in replay.players]
            chosen = [one for one in (known if chosen is None else chosen) if one == session]
        if chosen == []:
            option = "--team" if session is None else "--session"
            reading.note(replay, f"nobody was in that {option.removeprefix('--')}", option=option)
            continue
        first, last = span_of(replay, start, end)
        part: dict[str, Any] = {"start": first, "end": last, "players": chosen}
        with reading.guard(replay, OSError, ValueError):
            simulation = replay.simulate(map, other_map=other_map)
            shown = [batch.column("exact") for batch in simulation.batches(**part)] if any(part.values()) else []
            written = [] if output is None else simulation.export(output, format=form, **part)
            if demo is not None:
                written.append(simulation.write_demo(demo, **part))
            counts = simulation.exactness  # known by now if a whole recording was written
            compared, exact = (counts[name] for name in ("compared", "exact"))
            if any(part.values()):
                exact = sum(column.true_count for column in shown)
                compared = exact + sum(column.false_count for column in shown)
            uncertain |= _share(exact, compared) < least
            if as_json:
                facts = {"map": simulation.map.name, "map_sha256": simulation.map.sha256, **counts}
                chosen_part = {"part_compared": compared, "part_exact": exact} if any(part.values()) else {}
                files_written = {"written": [str(path) for path in written], "problems": list(simulation.problems)}
                print_json({"file": replay.name, **facts, **chosen_part, **files_written})
            else:
                reading.print_title(replay)
                _print(simulation, (compared, exact) if any(part.values()) else None)
                for path in written:
                    print_out(path)
            for text in simulation.problems:
                print_err(f"playhead: problem: {replay.name}: {text}")
            reading.problems(replay)
    reading.finish()
    if uncertain:
        raise Exit(EXIT_PROBLEMS)


def _print(simulation: Simulation, part: tuple[int, int] | None) -> None:
    counts = simulation.exactness
    print_out(f"map         {simulation.map.name} ({simulation.map.sha256[:8]})")
    print_out(f"compared    {counts['compared']} positions of tees")
    print_out(f"exact       {counts['exact']} ({_share(counts['exact'], counts['compared']):.3f} %)")
    if part is not None:
        print_out(f"this part   {part[0]} positions, {part[1]} exact ({_share(part[1], part[0]):.3f} %)")
    print_out(f"breaks      {counts['breaks']}: a certain state was lost")
    for cause, text in _CAUSES.items():
        if counts[f"breaks_{cause}"]:
            print_out(f"            {counts[f'breaks_{cause}']}: {text}")
    print_out(f"guessed     {counts['guessed']}: inputs that only the positions tell")
    print_out(f"respawns    {counts['respawns']}: kills and spawns within a tick")


def _share(exact: int, compared: int) -> float:
    return 100 * exact / compared if compared else 100.0
