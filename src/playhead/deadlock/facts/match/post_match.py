"""Tables ``post_match_damage``, ``…_paths``, ``…_objectives``, ``…_items``, ``…_deaths``: lists of the summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import TEAM, TIME, name_columns
from playhead.deadlock.facts.post_match import TEAMS, summary
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.errors import CorruptReplay
from playhead.runtime.libraries import pa
from playhead.source2.messages.definitions import enumeration
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

_PLAYER = Column("player", "int32", "Number of the player: player_slot of the summary.")
_SECONDS = Column("match_seconds", "int32", "The game's time, by the summary.", "s")
_MATRIX, _PATHS = "CMsgMatchPlayerDamageMatrix", "CMsgMatchPlayerPathsData"

DAMAGE_MATRIX = TableSchema.of(
    "post_match_damage",
    "One row for each player, target, source and time of damage_matrix: damage, healing and more (`stat`). "
    "Sources of a category repeat those of its abilities and items.",
    *TIME,
    _PLAYER,
    Column("target_player", "int32", "target_player_slot: number of the target."),
    Column("source", "category", "source_name: the ability, item or category."),
    Column("stat", "category", "stat_type without its prefix: Damage, Healing, Regen …"),
    _SECONDS,
    Column("value", "int64", "Amount since the time before."),
    Column("total", "int64", "Sum since the start of the match, as the summary has it."),
)
PATHS = TableSchema.of(
    "post_match_paths",
    "One row for each player and time of match_paths: the place, as the summary has it.",
    *TIME,
    _PLAYER,
    Column("path_seconds", "float64", "Number of the place times interval_s.", "s"),
    Column("x", "float64", "x_pos in steps of x_resolution, from x_min to x_max.", "world units"),
    Column("y", "float64", "y_pos, as `x`.", "world units"),
    Column("health", "int32", "Health, as the summary counts it."),
    Column("combat", "category", "combat_type without its prefix."),
    Column("movement", "category", "move_type without its prefix."),
)
OBJECTIVES = TableSchema.of(
    "post_match_objectives",
    "One row for each objective of the summary.",
    *TIME,
    TEAM,
    Column("objective", "category", "team_objective_id without its prefix, or else legacy_objective_id."),
    Column("destroyed_seconds", "int32", "destroyed_time_s; null if it stands.", "s"),
    Column("first_damage_seconds", "int32", "first_damage_time_s; null without damage.", "s"),
    Column("creep_damage", "int64", "Damage by troopers."),
    Column("creep_damage_mitigated", "int64", "Damage by troopers that it did not take."),
    Column("player_damage", "int64", "Damage by players."),
    Column("player_damage_mitigated", "int64", "Damage by players that it did not take."),
    Column("player_spirit_damage", "int64", "Spirit damage by players."),
)
ITEMS = TableSchema.of(
    "post_match_items",
    "One row for each item and each point of an ability that a player bought, by the summary.",
    *TIME,
    _PLAYER,
    _SECONDS,
    *name_columns("item", "the item or ability"),
    Column("sold_seconds", "int32", "sold_time_s; null if it was kept.", "s"),
    *name_columns("imbued_ability", "the ability that the item improves"),
    Column("flags", "int64", "The game's bits of the purchase."),
)
DEATHS = TableSchema.of(
    "post_match_deaths",
    "One row for each death of a hero, by the summary.",
    *TIME,
    _PLAYER,
    _SECONDS,
    Column("killer_player", "int32", "killer_player_slot; null without one."),
    Column("time_to_kill", "float64", "time_to_kill_s: from the first damage to the death.", "s"),
    Column("death_seconds", "int32", "death_duration_s: time until the hero came back.", "s"),
    *(Column(axis, "float64", f"death_pos.{axis}.", "world units") for axis in "xyz"),
    *(Column(f"killer_{axis}", "float64", f"killer_pos.{axis}.", "world units") for axis in "xyz"),
)


@TABLES.maker_of(DAMAGE_MATRIX, PATHS, OBJECTIVES, ITEMS, DEATHS)
class PostMatchLists(DeadlockFacts):
    """The tables of lists of the summary."""

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._rows_of: dict[str, list[dict[str, Any]]] = {schema.name: [] for schema in self.schemas}

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, "k_EUserMsg_PostMatchDetails", self._on_details)

    def _on_details(self, tick: int, fields: Mapping[Any, Any]) -> None:
        info = summary(self.match, tick, fields)
        for schema, rows in (
            (DAMAGE_MATRIX, self._damage(tick, info.get("damage_matrix") or {})),
            (PATHS, self._places(info.get("match_paths") or {})),
            (OBJECTIVES, map(self._objective, info.get("objectives", ()))),
            (ITEMS, _of_players(info, "items", _item)),
            (DEATHS, _of_players(info, "death_details", _death)),
        ):
            self._rows_of[schema.name].extend({"tick": tick, **row} for row in rows)

    def _words(self, name: str) -> Mapping[Any, str]:
        """Return the names of an enumeration without their prefix, by number and by name."""
        numbers = enumeration(name, self.match.game)
        words = {each: each.removeprefix("k_e").partition("_")[2] or each for each in numbers}
        return {**words, **{number: words[each] for each, number in numbers.items()}}

    def _damage(self, tick: int, matrix: Mapping[Any, Any]) -> Iterator[dict[str, Any]]:
        times: Sequence[int] = matrix.get("sample_time_s", ())
        details = matrix.get("source_details") or {}
        words = self._words(f"{_MATRIX}.EStatType")
        sources = list(zip_longest(details.get("source_name", ()), details.get("stat_type", ())))
        for dealer in matrix.get("damage_dealers", ()):
            for each in dealer.get("damage_sources", ()):
                place = each.get("source_details_index", 0)
                source, stat = sources[place] if place < len(sources) else (str(place), None)
                for target in each.get("damage_to_players", ()):
                    totals = target.get("damage", ())
                    if len(totals) > len(times):
                        wrong = CorruptReplay(f"expected {len(times)} times of damage, found {len(totals)} values")
                        self.match.problem(wrong, tick, "one entry of the matrix of damage")
                        continue
                    head = {
                        "player": dealer.get("dealer_player_slot", 0),
                        "target_player": target.get("target_player_slot", 0),
                        "source": source,
                        "stat": words.get(0 if stat is None else stat, None if stat is None else str(stat)),
                    }
                    before = 0  # the values are those of the last times
                    for seconds, total in zip(times[len(times) - len(totals) :], totals, strict=True):
                        yield head | {"match_seconds": seconds, "value": total - before, "total": total}
                        before = total

    def _places(self, paths: Mapping[Any, Any]) -> Iterator[dict[str, Any]]:
        combats, moves = (self._words(f"{_PATHS}.{name}") for name in ("ECombatType", "EMoveType"))
        interval = paths.get("interval_s", 0.0)
        for path in paths.get("paths", ()):
            lists = (path.get(name, ()) for name in ("x_pos", "y_pos", "health", "combat_type", "move_type"))
            for number, (x, y, health, combat, move) in enumerate(zip_longest(*lists)):
                yield {
                    "player": path.get("player_slot", 0),
                    "path_seconds": number * interval,
                    "x": _coordinate(paths, path, "x", x),
                    "y": _coordinate(paths, path, "y", y),
                    "health": health,
                    "combat": combats.get(combat, combat),
                    "movement": moves.get(move, move),
                }

    def _objective(self, fields: Mapping[Any, Any]) -> dict[str, Any]:
        found = next(
            (
                self._words(enum).get(fields[name], str(fields[name]))
                for name, enum in (
                    ("team_objective_id", "ECitadelTeamObjective"),
                    ("legacy_objective_id", "ECitadelObjective"),
                )
                if name in fields
            ),
            None,
        )
        same = {column.name: fields.get(column.name) for column in OBJECTIVES.columns[-5:]}
        return same | {
            "team": TEAMS.get(fields.get("team", 0)),
            "objective": found,
            "destroyed_seconds": fields.get("destroyed_time_s") or None,
            "first_damage_seconds": fields.get("first_damage_time_s") or None,
        }

    def tables(self) -> Mapping[str, pa.Table]:
        name = self.match.names.name
        for row in self._rows_of[ITEMS.name]:
            row["item"], row["imbued_ability"] = name(row["item_id"]), name(row["imbued_ability_id"])
        return {schema.name: self.match.table(schema, self._rows_of[schema.name]) for schema in self.schemas}


def _coordinate(paths: Mapping[Any, Any], path: Mapping[Any, Any], axis: str, place: int | None) -> float | None:
    """Return the coordinate of a place: a step of the path's box."""
    low, high = path.get(f"{axis}_min", 0.0), path.get(f"{axis}_max", 0.0)
    steps = paths.get(f"{axis}_resolution", 0)
    return None if place is None or not steps else float(low + (high - low) * place / steps)


def _of_players(info: Mapping[Any, Any], name: str, made: Any) -> Iterator[dict[str, Any]]:
    """Yield a row for each entry of a list of each player."""
    for player in info.get("players", ()):
        for entry in player.get(name, ()):
            yield {"player": player.get("player_slot"), "match_seconds": entry.get("game_time_s"), **made(entry)}


def _item(entry: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        "item_id": entry.get("item_id") or None,
        "sold_seconds": entry.get("sold_time_s") or None,
        "imbued_ability_id": entry.get("imbued_ability_id") or None,
        "flags": entry.get("flags"),
    }


def _death(entry: Mapping[Any, Any]) -> dict[str, Any]:
    row = {
        "killer_player": entry.get("killer_player_slot"),
        "time_to_kill": entry.get("time_to_kill_s"),
        "death_seconds": entry.get("death_duration_s"),
    }
    for prefix, field in (("", "death_pos"), ("killer_", "killer_pos")):
        place = entry.get(field)
        row |= {f"{prefix}{axis}": None if place is None else place.get(axis, 0.0) for axis in "xyz"}
    return row
