"""Tables ``post_match`` and ``post_match_…``: the summary that the server sends after the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.match import DeadlockFacts
from playhead.deadlock.sources.names import hero_name
from playhead.errors import CorruptReplay
from playhead.source2.messages.definitions import enumeration
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

CONTENTS = "CMsgMatchMetaDataContents"
#: Teams of the summary: 0 is the Hidden King, 1 the Archmother; other numbers are no team.
TEAMS = {0: 2, 1: 3, "k_ECitadelLobbyTeam_Team0": 2, "k_ECitadelLobbyTeam_Team1": 3}
_TOTALS = "kills deaths assists net_worth last_hits denies level ability_points assigned_lane mvp_rank".split()
_MATRIX, _PATHS = "CMsgMatchPlayerDamageMatrix", "CMsgMatchPlayerPathsData"

_TIME = words("tick! seconds game_seconds")
_OF_PLAYER = (*_TIME, word("player", "player_slot of the summary."))
_SECONDS = word("match_seconds")

POST_MATCH = TableSchema.of(
    "post_match",
    "One row for each number in the message PostMatchDetails (CMsgMatchMetaDataContents): totals of each "
    "player, and its counters at each time of the summary, alone or by source of souls.",
    *_OF_PLAYER,
    word("account_id", "The lower half of the Steam id."),
    *words("hero hero_id team side"),
    word("match_seconds", "Null for totals."),
    Column("souls_source", "category", "Source of the souls (EGoldSource without its prefix); null otherwise."),
    word("stat", "Name of the field."),
    word("value", "A sum since the start of the match."),
    group="log",
)
DAMAGE_MATRIX = TableSchema.of(
    "post_match_damage",
    "One row for each player, target, source and time of damage_matrix: damage, healing and more (`stat`). "
    "Sources of a category repeat those of its abilities and items.",
    *_OF_PLAYER,
    *words("target_player"),
    word("inflictor", "source_name: also a category of them."),
    word("stat", "stat_type without its prefix: Damage, Healing, Regen …"),
    _SECONDS,
    word("value", "Amount since the time before."),
    word("total", "Since the start of the match, by the summary."),
    group="log",
)
PATHS = TableSchema.of(
    "post_match_paths",
    "One row for each player and time of match_paths: the place, in steps of x_resolution and y_resolution.",
    *_OF_PLAYER,
    word("match_seconds", "Number of the place times interval_s."),
    *words("x y health"),
    Column("combat", "category", "combat_type without its prefix."),
    Column("movement", "category", "move_type without its prefix."),
    group="log",
)
OBJECTIVES = TableSchema.of(
    "post_match_objectives",
    "One row for each objective of the summary.",
    *_TIME,
    *words("team side"),
    Column("objective", "category", "team_objective_id without its prefix, or else legacy_objective_id."),
    Column("destroyed_seconds", "float64", "destroyed_time_s; null if it stands.", "s"),
    Column("first_damage_seconds", "float64", "first_damage_time_s; null without damage.", "s"),
    Column("creep_damage", "int64", "Damage by troopers."),
    Column("creep_damage_mitigated", "int64", "Damage by troopers that it did not take."),
    Column("player_damage", "int64", "Damage by players."),
    Column("player_damage_mitigated", "int64", "Damage by players that it did not take."),
    Column("player_spirit_damage", "int64", "Spirit damage by players."),
    group="log",
)
ITEMS = TableSchema.of(
    "post_match_items",
    "One row for each item and each point of an ability that a player bought, by the summary.",
    *_OF_PLAYER,
    _SECONDS,
    word("item", "Abilities too."),
    *words("item_id"),
    Column("sold_seconds", "float64", "sold_time_s; null if it was kept.", "s"),
    Column("imbued_ability", "category", "Ability that the item improves."),
    Column("imbued_ability_id", "int64", "Number of that ability."),
    word("flags", "Of the purchase."),
    group="log",
)
DEATHS = TableSchema.of(
    "post_match_deaths",
    "One row for each death of a hero, by the summary.",
    *_OF_PLAYER,
    _SECONDS,
    *words("attacker_player"),
    Column("time_to_kill_seconds", "float64", "From the first damage to the death: time_to_kill_s.", "s"),
    word("respawn_seconds", "death_duration_s."),
    *words("x y z attacker_x attacker_y attacker_z"),
    group="log",
)


@TABLES.maker_of(POST_MATCH, DAMAGE_MATRIX, PATHS, OBJECTIVES, ITEMS, DEATHS)
class PostMatch(DeadlockFacts):
    """The tables of the summary."""

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, "k_EUserMsg_PostMatchDetails", self._on_details)

    def _on_details(self, tick: int, fields: Mapping[Any, Any]) -> None:
        details = fields.get("match_details", b"")
        contents = self.match.contents(tick, CONTENTS, details, "the summary of the match")
        if contents is None:
            return
        info: Mapping[Any, Any] = contents.get("match_info") or {}
        for schema, rows in (
            (POST_MATCH, self._numbers(info)),
            (DAMAGE_MATRIX, self._damage(tick, info.get("damage_matrix") or {})),
            (PATHS, self._places(info.get("match_paths") or {})),
            (OBJECTIVES, map(self._objective, info.get("objectives", ()))),
            (ITEMS, _of_players(info, "items", _item)),
            (DEATHS, _of_players(info, "death_details", _death)),
        ):
            self.rows[schema.name].extend({"tick": tick, **row} for row in rows)

    def _numbers(self, info: Mapping[Any, Any]) -> Iterator[dict[str, Any]]:
        sources = {
            number: name for name, number in enumeration(f"{CONTENTS}.EGoldSource", self.match.game).items()
        }
        for player in info.get("players", ()):
            hero = player.get("hero_id") or None
            head = {
                "player": player.get("player_slot"),
                "account_id": player.get("account_id"),
                "hero_id": hero,
                "hero": hero_name(hero),
                "team": TEAMS.get(player.get("team") or 0),
            }
            for row in _stats(player, sources):
                yield head | row

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
                        "inflictor": source,
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
                    "match_seconds": number * interval,
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


def _stats(player: Mapping[Any, Any], sources: Mapping[Any, str]) -> Iterator[dict[str, Any]]:
    """Yield the numbers of a player: totals, then the counters at each time."""
    for name in _TOTALS:
        if name in player:
            yield {"stat": name, "value": player[name]}
    for stats in player.get("stats", ()):
        at = {"match_seconds": stats.get("time_stamp_s")}
        for name, value in stats.items():
            if isinstance(name, str) and isinstance(value, int) and name != "time_stamp_s":
                yield at | {"stat": name, "value": value}
        for entry in stats.get("gold_sources", ()):
            source = entry.get("source")
            of = str(sources.get(source, source)).removeprefix("k_e")
            for name, value in entry.items():
                if name != "source" and isinstance(value, int):
                    yield at | {"stat": str(name), "value": value, "souls_source": of}


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
        "attacker_player": entry.get("killer_player_slot"),
        "time_to_kill_seconds": entry.get("time_to_kill_s"),
        "respawn_seconds": entry.get("death_duration_s"),
    }
    for prefix, field in (("", "death_pos"), ("attacker_", "killer_pos")):
        place = entry.get(field)
        row |= {f"{prefix}{axis}": None if place is None else place.get(axis, 0.0) for axis in "xyz"}
    return row
