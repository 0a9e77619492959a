"""The tables ``steps`` and ``curves``: the players beside those of another game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.model import Player, ReplayLike
from playhead.presentation.stage import Builds
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import display_name, is_worker
from playhead.sc2.coaching.standing import Minutes, lead, moment_of, opponents_of, players_of
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import words

STEPS = TableSchema.of(
    "steps",
    "Build orders side by side: the first of each thing with the first in the other game, the second with the "
    "second. Equal steps that began one soon after the other are one. Workers, and steps that were not finished, "
    "are left out.",
    *words("player tick seconds"),
    Column("step", "string", "What was built; the second and later ones with their number."),
    Column("times", "int32", "How many began together."),
    *words("supply boosted"),
    Column("against_tick", "int32", "When it began in the other game.", "ticks"),
    Column("against_seconds", "float64", "`seconds` at `against_tick`.", "s"),
    Column("against_times", "int32", "How many began together in the other game."),
    Column("against_supply", "float32", "Supply in the other game.", "supply"),
    Column("against_boosted", "bool", "It had a chrono boost in the other game."),
    Column("later_seconds", "float64", "By how much it was later than in the other game.", "s"),
    Column("lead", "float64", "From -1, a minute later or more, to 1, a minute earlier or more."),
)

CURVES = TableSchema.of(
    "curves",
    "Workers, supply and army of each player at every minute, beside those of the other game's player.",
    *words("player minute tick seconds"),
    *(
        Column(f"{side}{name}", "float64", f"{doc}{' in the other game' if side else ''}.", unit)
        for name, doc, unit in (
            ("workers", "Workers", ""),
            ("supply", "Supply in use", "supply"),
            ("army", "Minerals and vespene in the living army", "resources"),
        )
        for side in ("", "against_")
    ),
    Column("lead", "float64", "From -1 to 1: mean over workers and army of the difference by the larger."),
)

#: Equal steps in a row are one, as in `playhead sc2 buildorder`.
_LINES = Builds("build_order", "product", "build order", notes={"boosted": {True: ""}}, grouped=True)

#: Each player, and the one of the other game that he is compared with.
Pairs = Sequence[tuple[Player, Player | None]]


def rival(player: Player, replay: ReplayLike, other: ReplayLike) -> Player | None:
    """Return the player of the other game with the same race: a winner before others, and one whose opponents have
    the same races before all."""
    race = player.details.get("race")
    enemies = _enemies(player, replay)
    same = [each for each in players_of(other) if race is not None and each.details.get("race") == race]
    return min(same, key=lambda each: (_enemies(each, other) != enemies, each.result != "win"), default=None)


def _enemies(player: Player, replay: ReplayLike) -> list[str]:
    return sorted(str(each.details.get("race")) for each in opponents_of(player, replay))


def steps(pairs: Pairs, replay: ReplayLike, other: ReplayLike) -> pa.Table:
    """Return the table ``steps``."""
    rows = [
        row
        for player, against in pairs
        if against is not None
        for row in _side_by_side(player, _steps(replay, player), _steps(other, against))
    ]
    return STEPS.build_rows(rows)


def _steps(replay: ReplayLike, player: Player) -> dict[str, Mapping[str, Any]]:
    """Return the finished steps of a player by what was built, with the number of the second and later ones."""
    made = [
        row
        for row in replay.table("build_order").to_pylist()
        if row["player"] == player.player and row["outcome"] == "finished" and not is_worker(row["product"])
    ]
    first = {(row["tick"], row["product"]): row for row in reversed(made)}
    counts: dict[str, int] = {}
    found: dict[str, Mapping[str, Any]] = {}
    for line in _LINES.lines(made, replay.info.ticks_per_second or 1.0):
        counts[line.name] = count = counts.get(line.name, 0) + 1
        row = first[line.tick, line.name]
        found[display_name(line.name) + (f" {count}" if count > 1 else "")] = {**row, "times": line.times}
    return found


def _side_by_side(
    player: Player, mine: Mapping[str, Mapping[str, Any]], theirs: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return rows for all steps of either, by the earlier start."""
    columns = ("tick", "seconds", "times", "supply", "boosted")
    rows = []
    for step in {**mine, **theirs}:
        one, two = mine.get(step, {}), theirs.get(step, {})
        row = {"player": player.player, "step": step, **{name: one.get(name) for name in columns}}
        row |= {f"against_{name}": two.get(name) for name in columns}
        if one and two:
            row["later_seconds"] = later = one["seconds"] - two["seconds"]
            row["lead"] = max(-1.0, min(1.0, -later / 60))
        rows.append((min(each["seconds"] for each in (one, two) if each), row))
    return [row for _, row in sorted(rows, key=lambda each: each[0])]


def curves(pairs: Pairs, replay: ReplayLike, minutes: Minutes, beside: Minutes) -> pa.Table:
    """Return the table ``curves``."""
    names = ("workers", "supply", "army")
    rows = []
    for player, against in pairs:
        other = {} if against is None else beside.get(against.player or 0, {})
        for minute, held in minutes.get(player.player or 0, {}).items():
            row: dict[str, Any] = {"player": player.player, **moment_of(minute, replay)}
            mine, theirs = ({name: each[name] for name in names} for each in (held, other.get(minute, held)))
            if minute in other:
                row |= {f"against_{name}": value for name, value in theirs.items()}
                row["lead"] = lead(mine, theirs)
            rows.append({**row, **mine})
    return CURVES.build_rows(rows)
