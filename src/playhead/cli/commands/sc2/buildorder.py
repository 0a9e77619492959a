"""``playhead sc2 buildorder``: what each player built, in the notation that players use."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from playhead import Replay
from playhead.cli.arguments import Parser
from playhead.cli.inputs.options import add_files, add_json, add_player, add_strict, choose_players
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_json, print_out
from playhead.clock import format_displayed
from playhead.model import Player

_TABLE = "build_order"


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    add_player(parser)
    parser.flag("--no-workers", "Leave out workers.")
    add_json(parser, "Print one JSON object per row of the table build_order.")
    add_strict(parser)


def run(files: list[str], *, player: list[str] | None, no_workers: bool, as_json: bool, strict: bool) -> None:
    """Print build orders: supply, time and what was built.

    Chrono boosts and entries that were not finished say so. Equal entries within seconds are one line with their
    number.
    """
    reading = Reading(files, strict=strict, as_json=as_json)
    for replay in reading:
        if _TABLE not in replay.tables:
            reading.lacks(replay, "has no build orders", all_of_it=True)
            continue
        numbers = None if player is None else choose_players(reading, replay, player)
        chosen = _chosen(replay, numbers)
        if numbers == []:
            continue
        with reading.guard(replay):
            rows = replay.table(_TABLE).to_pylist()
            if not rows:
                reading.lacks(replay, f"has no build orders: {replay.why_empty(_TABLE)[_TABLE]}", all_of_it=True)
                continue
            if no_workers:
                left_out = _workers(replay)
                rows = [row for row in rows if row["product"] not in left_out]
            if not as_json:
                reading.print_title(replay)
            for place, (number, players) in enumerate(chosen.items()):
                mine = [row for row in rows if row["player"] == number]
                for row in mine if as_json else ():
                    print_json({"file": replay.name, **row})
                for line in () if as_json else _lines(replay, mine, players, first=place == 0):
                    print_out(line)
            reading.problems_so_far(replay)
    reading.finish()


def _chosen(replay: Replay, numbers: Collection[int] | None) -> dict[int, list[Player]]:
    """Return the players to show by number; two players of one army share a number."""
    found: dict[int, list[Player]] = {}
    for each in replay.players:
        if each.player is not None and (numbers is None or each.player in numbers):
            found.setdefault(each.player, []).append(each)
    return found


def _workers(replay: Replay) -> set[str]:
    """Return the names of the types of workers."""
    rows = replay.table("unit_types", columns=["catalog_key", "unit_class"]).to_pylist()
    return {row["catalog_key"] for row in rows if row["unit_class"] == "worker"}


def _lines(
    replay: Replay, rows: Sequence[Mapping[str, Any]], players: Sequence[Player], *, first: bool
) -> Iterator[str]:
    if not first:
        yield ""
    names = " and ".join(player.name or "-" for player in players)
    title, clock = replay.presentation.wording.title, replay.clock
    yield f"{players[0].player} {names} ({players[0].character or '-'})"
    if not rows:
        yield "  nothing"
    builds, rate = replay.presentation.builds, replay.info.ticks_per_second or 1.0
    for line in () if builds is None else builds.lines(rows, rate):
        what = (title(line.name) or spoken_name(line.name)) + line.more
        when = format_displayed(line.tick / rate) if clock is None else clock.displayed(line.tick)
        yield f"{line.supply:>5g}  {when:>5}  {what}"


def spoken_name(name: str) -> str:
    """Return a name of the game data in words: ``SupplyDepot`` is Supply Depot, ``LurkerMP`` is Lurker."""
    return re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[A-Z][a-z])", " ", re.sub(r"MP$", "", name))
