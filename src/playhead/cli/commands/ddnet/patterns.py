"""``playhead ddnet patterns``: statistics of clicks, aim and movement of DDNet players."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from playhead import Replay, ReplayError
from playhead.cli.arguments import Parser, UsageError, any_path, whole_number
from playhead.cli.inputs.options import (
    add_files,
    add_formulas,
    add_json,
    add_player,
    add_strict,
    add_team,
    choose_players,
    choose_team,
    span_checked,
    span_of,
    write_file,
)
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_json, print_out
from playhead.cli.output.tables import print_columns
from playhead.runtime.libraries import pa
from playhead.text.names import counted

#: Columns of the table of players, by which it can be sorted.
_COLUMNS = "name player client seconds inputs fire hook jump period rhythm turn_p95 snaps".split()
#: Those of which the least is first; of other numbers it is the greatest.
_LEAST_FIRST = ("player", "client", "period", "rhythm")
_OF_FIRE = ("period", "rhythm")
#: Fewer presses of fire tell nothing about their regularity: these players are ranked after the others.
_FEW = 20


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    add_player(parser, "Only this player; without it, a line for every one")
    add_team(parser, "Only who was in this team at some time")
    parser.option("--client ID", "Only the players in this slot of the server.", type=whole_number)
    parser.option(
        "--from TIME",
        "First tick: 14:03 or 1:14:03 from the beginning, 843s (seconds), or 42150t (ticks).",
        dest="start",
    )
    parser.option("--to TIME", "Last tick, in the same notation.", dest="end")
    parser.option(
        "--format",
        "json has all figures, with histograms and lists for plots; same_inputs with --player or --client only.",
        dest="form",
        choices=("table", "json"),
        default="table",
    )
    parser.option(
        "--sort",
        "Rank the players of all files by this column; the most regular clicks are first.",
        choices=_COLUMNS,
        default="rhythm",
    )
    parser.option(
        "-o --output FILE", "Write the table of players: FILE.csv, .parquet, .xlsx, .ndjson.", type=any_path
    )
    add_formulas(parser)
    add_json(parser, "One JSON object per player, as --format json.")
    add_strict(parser)


def run(
    files: list[str],
    *,
    player: list[str] | None,
    team: int | None,
    client: int | None,
    start: str | None,
    end: str | None,
    form: str,
    sort: str,
    output: Path | None,
    formulas: bool,
    as_json: bool,
    strict: bool,
) -> None:
    """Show click timing, aim, delays and shared inputs.

    They are statistics of clicks, turns of the aim and sequences of inputs, no verdicts."""
    form = "json" if as_json else form
    if output is not None and (form == "json" or player or client is not None):
        raise UsageError("is a table of all players, without --json, --player and --client", "-o")
    reading = Reading(files, strict=strict, as_json=form != "table")
    rows: list[tuple[str, dict[str, Any]]] = []
    for replay in reading:
        if not reading.can(replay, "patterns"):
            continue
        chosen = None if player is None else choose_players(reading, replay, player)
        if team is not None:
            chosen = [one for one in choose_team(replay, team) if chosen is None or one in chosen]
        if chosen == []:
            continue
        try:
            reports = _reports(replay, chosen, client, start, end)
        except ReplayError as error:
            reading.failed(replay.name, error)
            continue
        except KeyError as error:
            reading.note(replay, error.args[0], option="--player/--client")
            continue
        if form == "json":
            for report in reports:
                print_json({"file": replay.name, **report})
        elif player is None and client is None:
            rows += [(replay.name, _overview(report)) for report in reports]
        else:
            reading.print_title(replay)
            for number, report in enumerate(reports):
                if number:
                    print_out()
                _print_report(report)
        reading.problems(replay)
    if rows:
        rows.sort(key=partial(_place, sort))
    if rows and output is not None:
        table = pa.Table.from_pylist([{"file": file, **row} for file, row in rows])
        write_file(table, output, formulas=formulas)
    elif rows:
        _print_overview(rows, sort, reading.several)
    reading.finish()


def _reports(
    replay: Replay, chosen: list[int] | None, client: int | None, start: str | None, end: str | None
) -> list[dict[str, Any]]:
    first, last = span_of(replay, start, end)
    with span_checked():
        return [
            report
            for player in chosen or (None,)
            for report in replay.patterns(player, client=client, start=first, end=last)
        ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _overview(report: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a player's line."""
    presses = report["presses"]
    return {
        "name": " / ".join(report["names"]) or "-",
        **{name: report[name] for name in ("player", "client", "seconds", "inputs")},
        **{button: presses[button]["presses"] for button in ("fire", "hook", "jump")},
        "period": presses["fire"]["period"]["median"],
        "rhythm": presses["fire"]["rhythm"],
        "turn_p95": report["aim"]["turn"]["p95"],
        "snaps": report["aim"]["snaps"],
    }


def _place(sort: str, row: tuple[str, dict[str, Any]]) -> tuple[bool, bool, Any]:
    value = row[1][sort]
    falls = isinstance(value, int | float) and sort not in _LEAST_FIRST
    return value is None, sort in _OF_FIRE and row[1]["fire"] < _FEW, -value if falls else value


def _print_overview(rows: list[tuple[str, dict[str, Any]]], sort: str, several: bool) -> None:
    """Print a line for each player of all files."""
    names = {file: os.path.basename(file) for file, _ in rows}
    if len({*names.values()}) < len(names):
        names = {file: file for file in names}
    lines = [[*_COLUMNS, *(["file"] if several else [])]]
    for file, row in rows:
        cells = [each if isinstance(each, str) else _number(each) for each in row.values()]
        lines.append([*cells, *([names[file]] if several else [])])
    print_columns(lines)
    few = f", players with fewer than {_FEW} presses last" if sort in _OF_FIRE else ""
    print_out(
        f"by {sort}{few}; no verdicts. Fire: median period and rhythm (deviation without pauses) in ticks of 20 ms"
    )
    enough = [row for _, row in rows if row["fire"] >= _FEW]
    middle = (
        f"{name} {_number(median(row[name] for row in enough))}" for name in ("period", "rhythm", "turn_p95")
    )
    if enough:
        people = counted(len(enough), "player")
        print_out(f"median of {people} with {_FEW} presses or more: {', '.join(middle)}")


def _print_report(report: dict[str, Any]) -> None:
    print_out(
        f"{' / '.join(report['names']) or '-'}: {report['inputs']} inputs in {_number(report['seconds'])} s, "
        f"player {report['player']}, client {report['client']}"
    )
    keys = ("count", "median", "mean", "deviation", "p5", "p95", "least", "greatest")
    measured = [
        *((f"{button} period", presses["period"]) for button, presses in report["presses"].items()),
        *((f"{button} held", presses["held"]) for button, presses in report["presses"].items()),
        ("aim turn", report["aim"]["turn"]),
        *((f"{name} delay", effect["delay"]) for name, effect in report["effects"].items()),
    ]
    rows = [[label, *(_number(figures[key]) for key in keys)] for label, figures in measured]
    print_out()
    print_columns([["", *keys], *rows])
    print_out("periods, times held and delays in ticks of 20 ms; turns in degrees a tick")
    for name, effect in report["effects"].items():
        print_out(f"{name}: {effect['without_effect']} presses without a movement within a second")
    for button, presses in report["presses"].items():
        for stretch in presses["most_regular_stretches"][:3]:
            print_out(
                f"{button}: ticks {stretch['first_tick']} to {stretch['last_tick']}: "
                f"{stretch['presses']} presses, period {_number(stretch['period_mean'])}, "
                f"deviation {_number(stretch['period_deviation'])}"
            )
    aim = report["aim"]
    print_out(
        f"aim: {aim['snaps']} snaps, {aim['snaps_with_press']} of them on the tick of a hook or shot, "
        f"{aim['snaps_taken_back']} taken back"
    )
    for same in report["same_inputs"][:10]:
        print_out(
            f"same inputs: ticks {same['first_tick']} to {same['last_tick']} as {same['other_name']!r} "
            f"(player {same['other_player']}), {same['ticks_later']} ticks later: {same['inputs']} inputs, "
            f"{same['different_aims']} different aims"
        )
    if not report["same_inputs"]:
        print_out("same inputs: none in another player's")
