"""``playhead stats``: what players did over many matches."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import playhead
from playhead.cli.arguments import EXIT_FAILED, EXIT_PROBLEMS, Exit, Parser, UsageError, any_path, bounded
from playhead.cli.inputs.options import add_formulas, add_json, write_file
from playhead.cli.output.standard import print_err, print_error, print_json, print_note
from playhead.cli.output.tables import print_table
from playhead.runtime.libraries import pa, pc
from playhead.tables.value_arrays import array_of
from playhead.text.names import counted, unknown_name

#: Columns of a table for people; the others are in JSON, CSV and the library.
_SHOWN = 14
_DIGITS = 3
#: Facts of players that people ask --where for, and how to ask.
_OF_PLAYERS = {
    "player": "--player {value!r} chooses a player",
    "name": "--player {value!r} chooses a player",
    "result": "the columns wins and losses count it",
    **{name: f"--by {name} has a row for each" for name in "opponent side character race hero team".split()},
}


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "inputs",
        metavar="FILE|DIR|LAKE...",
        nargs="+",
        help="Replays, folders, patterns, packs or lists; or one lake.",
    )
    parser.option(
        "--by NAME[,NAME]",
        "What a row is for: player (the default), map, side, matchup, opening, reason, month and others.",
        default="player",
    )
    parser.option(
        "--per WORD",
        "What counts are divided by.",
        choices=("match", "round", "minute", "total"),
        default="match",
    )
    parser.flag("--percentiles", "Also the percentile of each number among the rows of the same game.")
    parser.option("--least N", "Leave out rows of fewer matches.", type=bounded(int, 1), default=1)
    parser.option(
        "--where NAME=VALUE", "Only matches with this fact: game=cs2, map='*LE' (repeat).", action="append"
    )
    parser.option("--player NAME", "Only rows of players whose name contains this (repeat).", action="append")
    parser.option("--columns NAME[,NAME]", "Only these numbers.")
    parser.option("--sort NAME", "Rank the rows by this number, the greatest first.")
    parser.option(
        "-o --output FILE", "Write every row and number: FILE.csv, .parquet, .xlsx, .ndjson.", type=any_path
    )
    add_formulas(parser)
    parser.option("--rows N", "Greatest number of rows to show as a table.", type=bounded(int, 1), default=100)
    parser.option("--jobs N", "Number of processes; one per core by default.", type=bounded(int, 0))
    add_json(parser, "Print one JSON object per row, with every number.")


def run(
    inputs: list[str],
    *,
    by: str,
    per: str,
    percentiles: bool,
    least: int,
    where: list[str] | None,
    player: list[str] | None,
    columns: str | None,
    sort: str | None,
    output: Path | None,
    formulas: bool,
    rows: int,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Compare players, maps, sides and more over many matches."""
    from playhead.corpus import is_lake, open_lake

    dimensions = by.split(",") if player is None or "player" in by.split(",") else ["player", *by.split(",")]
    from_lake = len(inputs) == 1 and is_lake(inputs[0])
    matches: Any = open_lake(inputs[0]) if from_lake else playhead.scan(inputs, jobs=jobs)
    try:
        if where:
            matches = matches.filter(**dict(map(_condition, where)))
        found = matches.player_stats(dimensions, per=per, percentiles=percentiles, least=least)
        if player is not None:
            named = "|".join(map(re.escape, player))
            found = found.filter(pc.match_substring_regex(found["name"], named, ignore_case=True))
        if sort is not None:
            _chosen(found.column_names, dimensions, [sort])
            found = found.sort_by([(sort, "descending")])
        if columns is not None:
            found = found.select(_chosen(found.column_names, dimensions, columns.split(",")))
    except (KeyError, ValueError, playhead.ReplayError) as error:
        print_error(str(error.args[0] if isinstance(error, KeyError) else error))
        raise Exit(EXIT_FAILED) from None
    if not found.num_rows:
        if where or player or least > 1:
            print_note("no match fits" + (f"; --least leaves out rows of fewer than {least}" if least > 1 else ""))
        else:
            print_note(_why_empty(matches, dimensions))
    elif output is not None:
        write_file(found, output, formulas=formulas)
    elif as_json:
        for row in found.to_pylist():
            print_json(row)
    else:
        names = _with_values(found)
        first = [*names[:_SHOWN], *(name for name in names[_SHOWN:] if name == sort)]
        shown = found if columns is not None else found.select(first)
        print_table(_rounded(shown), rows=rows)
        if more := [name for name in _with_values(found) if name not in shown.column_names]:
            print_note(f"{counted(len(more), 'more column')}, by --columns NAME or --json: {', '.join(more)}")
    failed = [row for row in matches.info().select(["file", "error"]).to_pylist() if row["error"] is not None]
    for row in failed if as_json else ():
        print_json(row)
    damaged = getattr(matches, "problems_so_far", {})  # of a lake, its export told them
    for file, problems in damaged.items():
        for problem in problems:
            print_err(f"playhead: problem: {file}: {problem}")
    if failed:
        print_note(f"{counted(len(failed), 'input')} could not be read: playhead info tells why")
        if not from_lake:  # of a lake, its export failed
            raise Exit(EXIT_FAILED)
    if damaged:
        raise Exit(EXIT_PROBLEMS)


def _condition(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--where {text!r}: expected NAME=VALUE")
    if name in _OF_PLAYERS:
        known = "game, map, version, matchup, played_at, winner_name and other columns of table info"
        way = _OF_PLAYERS[name].format(value=value)
        raise UsageError(f"{name} is a fact of a player: {way}; here are {known}", "--where")
    return name, value


def _why_empty(matches: Any, dimensions: list[str]) -> str:
    """Return what recordings lack, with the reason of the first of several replays if they are files."""
    from playhead.corpus.reading.statistics import COUNTED

    table = next((COUNTED[name] for name in dimensions if name in COUNTED), None)
    text = f"no recording has {table}" if table else "no recording says what its players did"
    for file in getattr(matches, "files", ())[:1]:
        with suppress(playhead.ReplayError, OSError), playhead.open(file) as replay:
            tables = [name for name in ((table,) if table else ("player_stats", "runs")) if name in replay.tables]
            reason = next(iter(replay.why_empty(*tables).values()), "")
            return text + (reason and f"; {replay.name}: {reason.partition(':')[0]}")
    return text


def _chosen(known: list[str], by: list[str], wanted: list[str]) -> list[str]:
    """Return the columns of the dimensions, the matches, and the wanted ones."""
    for name in wanted:
        if name not in known:
            raise KeyError(unknown_name(name, known, "column"))
    return [*dict.fromkeys(each for each in ("game", *by, "name", "matches", *wanted) if each in known)]


def _with_values(table: pa.Table) -> list[str]:
    return [name for name in table.column_names if table[name].null_count < table.num_rows]


def _rounded(table: pa.Table) -> pa.Table:
    """Return a table with numbers as short as people read them."""
    for place, name in enumerate(table.column_names):
        if pa.types.is_floating(table[name].type):
            values = [None if value is None else round(value, _DIGITS) for value in table[name].to_pylist()]
            table = table.set_column(place, name, array_of(values, pa.float64()))
    return table
