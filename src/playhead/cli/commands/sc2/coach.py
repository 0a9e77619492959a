"""``playhead sc2 coach``: why each player lost, and what the opponents had at each minute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import playhead
from playhead import Replay
from playhead.cli.arguments import Parser
from playhead.cli.inputs.options import (
    add_against,
    add_files,
    add_json,
    add_player,
    add_strict,
    check_another,
    choose_players,
)
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_json, print_out
from playhead.cli.output.tables import print_rows
from playhead.clock import format_displayed

#: What `lead` means in the tables that are printed.
_LEADS = {
    "standing": "mean over workers, army, income, bases and upgrades of the difference by the larger",
    "steps": "+100 % a minute earlier than in the other game, or more; -100 % a minute later, or more",
}


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    add_player(parser)
    add_against(parser)
    add_json(parser, "Print one JSON object per row of every table for coaches.")
    add_strict(parser)


def run(files: list[str], *, player: list[str] | None, against: Path | None, as_json: bool, strict: bool) -> None:
    """Print why players lost, and the standing at each minute.

    The reasons follow from the tables by stated rules. With `--against`, each build order stands beside that of
    the player of the same race in the other game. Of several games, the commonest reasons follow at the end.
    """
    reading = Reading(files, strict=strict, as_json=as_json)
    other = None if against is None else playhead.open(against)
    games: list[list[dict[str, Any]]] = []
    for replay in reading:
        make = replay.presentation.coach
        if make is None or (other is not None and other.format != replay.format):
            reading.lacks(replay, "has no tables for coaches", all_of_it=True)
            continue
        if not check_another(reading, replay, other):
            continue
        numbers = None if player is None else choose_players(reading, replay, player)
        if numbers == []:
            continue
        with reading.guard(replay):
            try:
                made = make(replay, other)
                if "reasons" in replay.info.details.get("not_recorded", ()):
                    reading.misses(replay, f"has no reasons: {replay.why_empty('reasons')['reasons']}")
                if other is not None and not made["steps"][1].num_rows:
                    reading.misses(
                        replay, f"has no player of a race that {other.name} has too: nothing is compared"
                    )
            except NotImplementedError as error:
                reading.lacks(replay, str(error), all_of_it=True)
                continue
            tables = {
                name: [row for row in table.to_pylist() if numbers is None or row["player"] in numbers]
                for name, (_, table) in made.items()
            }
            if as_json:
                for name, rows in tables.items():
                    for row in rows:
                        print_json({"file": replay.name, "table": name, **row})
            else:
                reading.print_title(replay)
                _print(replay, tables)
                named = numbers if numbers is not None else [each.player for each in replay.players]
                games.append([row for row in tables["reasons"] if row["player"] in named])
            reading.problems_so_far(replay)
    if len(games) > 1:
        _print_season(games)
    reading.finish()


def _print_season(games: list[list[dict[str, Any]]]) -> None:
    """Print in how many games each reason was found, the commonest first, and of those the lost ones."""
    every: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for rows in games:
        every.update({row["reason"] for row in rows})
        lost.update({row["reason"] for row in rows if row["result"] == "loss"})
    print_out("")
    print_out(f"the commonest reasons in {len(games)} games")
    print_rows([{"reason": reason, "games": count, "lost": lost[reason]} for reason, count in every.most_common()])


def _print(replay: Replay, tables: Mapping[str, list[dict[str, Any]]]) -> None:
    shown = {each.player: each for each in replay.players}
    for place, number in enumerate(dict.fromkeys(row["player"] for row in tables["measures"])):
        player = shown[number]
        if place:
            print_out("")
        print_out(f"{number} {player.name or '-'} ({player.result or 'no result'})")
        for row in tables["reasons"]:
            if row["player"] == number:
                print_out(f"  {format_displayed(row['seconds']):>5}  {row['reason']}: {row['text']}")
        for name, lead in _LEADS.items():
            rows = [_plain(row) for row in tables.get(name, ()) if row["player"] == number]
            if rows:
                print_out("")
                print_rows(rows)
                print_out(f"lead: {lead}")


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row for people: times as the game shows them, and the player's value with that of the opponents."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        role = name.removesuffix("seconds")
        if name in ("player", "minute") or name.endswith("tick") or name.startswith("opponent_"):
            continue
        if f"opponent_{name}" in row:
            found[name] = " / ".join(f"{each:.0f}" for each in (value, row[f"opponent_{name}"]))
        elif name == "lead":
            found[name] = None if value is None else f"{round(100 * value):+d} %"
        elif role != name and f"{role}tick" in row:
            found[f"{role}time"] = None if value is None else format_displayed(value)
        else:
            found[name] = round(value, 1) if isinstance(value, float) else value
    return found
