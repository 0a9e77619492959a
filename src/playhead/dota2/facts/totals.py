"""Table ``combat_totals``: sums of the combat log by player, unit and cause."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.shared_log import SharedLog, of_kinds
from playhead.dota2.sources.combat_log import DAMAGE_TYPES, NAMES
from playhead.dota2.sources.entities import NAME_TABLE
from playhead.dota2.sources.hero_lives import HERO_LIFE_FIELDS, HeroLives, LoggedDeath
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.roster import roster_fields
from playhead.runtime.libraries import cast_array, pa, pc
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import float64_numbers, numbers_in, to_list
from playhead.tables.number_columns import equal_rows, group_sums, int32_numbers
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.tables.vocabulary import word, words

COMBAT_TOTALS = TableSchema.of(
    "combat_totals",
    "Sums of the combat log: one row for each player, kind, unit and cause. An entry counts for the source "
    "(`attacker_owner`, for example the hero of a summon, else `attacker`), damage taken by a hero for the hero "
    "without its illusions. Deaths as in table `kills`, with clones. A unit that dies by itself is no kill and no "
    "deny.",
    *words("player hero"),
    word(
        "kind",
        "damage (dealt), damage_taken, heal, kill (of a unit that is not known to be of the own side), deny "
        "(of one that is), killed_by (deaths of the hero), ability_use, item_use, or stun (MODIFIER_ADD entries "
        "with a stun_duration).",
    ),
    word("unit_type", "The other unit: target of what the player did, source of what the hero took."),
    *words("is_hero is_illusion"),
    word("inflictor", "Null for attacks."),
    word("damage_type", "physical, magical or pure; null for other kinds of rows."),
    word("count", "Entries."),
    word("total", "Health for damage and heal, seconds for stun, else entries."),
    Column("largest", "float64", "The largest single value; null for kinds without one."),
)


class _Kind(NamedTuple):
    """One kind of sum, of a column or of entries; if it `takes`, the player is the target, and the unit the
    source."""

    types: tuple[str, ...]
    takes: bool
    value: str | None


_KINDS = {
    "damage": _Kind(("DAMAGE",), False, "value"),
    "damage_taken": _Kind(("DAMAGE",), True, "value"),
    "heal": _Kind(("HEAL",), False, "value"),
    "kill": _Kind(("DEATH",), False, None),
    "deny": _Kind(("DEATH",), False, None),
    "killed_by": _Kind(("DEATH",), True, None),
    "ability_use": _Kind(("ABILITY", "ABILITY_TRIGGER"), False, None),
    "item_use": _Kind(("ITEM",), False, None),
    "stun": _Kind(("MODIFIER_ADD",), False, "stun_seconds"),
}
_OF_DEATH = ("target_player", "tick", "will_reincarnate")
_WHOSE = ("source", "attacker", "target")
_FLAGS = ("attacker_is_illusion", "target_is_hero", "target_is_illusion", "will_reincarnate")
_KEYS = (
    *(f"{name}_of" for name in _WHOSE),
    *(*_WHOSE, "inflictor", "damage_type_id"),
    *("attacker_is_hero", "attacker_is_illusion", "target_is_hero", "target_is_illusion"),
)
# Null as a number.
_NOTHING = -(1 << 31)
_NAMES = ("attacker", "attacker_owner", "target", "inflictor")
_READ = (
    *("log_type", "attacker", "attacker_owner", "target", "inflictor", "value", "stun_seconds", "damage_type_id"),
    *("attacker_is_hero", "attacker_is_illusion", "target_is_hero", "target_is_illusion", "will_reincarnate"),
    *("tick", "target_player", "attacker_team", "target_team"),
)


@TABLES.maker_of(COMBAT_TOTALS)
class CombatTotals(PlayerFacts):
    jobs: ClassVar = Jobs(6, anew=True, slow_to_join=True, extra=20)
    string_tables: ClassVar = (NAMES, NAME_TABLE)
    fields = roster_fields(HERO_LIFE_FIELDS)

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._lives = HeroLives.of(self.match, playback)
        types = {kind for each in _KINDS.values() for kind in each.types}
        self._log = SharedLog.of(self.match, playback, types, _READ)

    def tables(self) -> Mapping[str, pa.Table]:
        log = dict(self._log.columns)
        # One dictionary for the columns of names.
        alike = pa.chunked_array([log[name] for name in _NAMES]).unify_dictionaries()
        names = alike.chunk(0).dictionary.to_pylist()
        log |= {name: chunk.indices for name, chunk in zip(_NAMES, alike.chunks, strict=True)}
        log["source"] = pc.coalesce(log["attacker_owner"], log["attacker"])
        players = array_of([self._roster.player_named(name) for name in names], pa.int32())
        for name in _WHOSE:
            log[f"{name}_of"] = pc.take(players, log[name])
        teams = {seat.player: seat.team for seat in self._roster.seats}
        sides = array_of([teams.get(player) for player in to_list(players)], pa.int32())
        for name, unit in (("attacker_team", "source"), ("target_team", "target")):
            log[name] = pc.coalesce(cast_array(log[name], pa.int32()), pc.take(sides, log[unit]))
        is_hero = array_of([name.startswith("npc_dota_hero_") for name in names], pa.bool_())
        log["attacker_is_hero"] = pc.or_(_true(log["attacker_is_hero"]), _true(pc.take(is_hero, log["source"])))
        for name in _FLAGS:
            log[name] = _true(log[name])
        log["counts"] = self._counted(log)
        log["kill"], log["deny"] = self._kills_and_denies(log)
        for name in ("value", "stun_seconds"):
            log[name] = cast_array(pc.fill_null(log[name], scalar_of(0, log[name].type)), pa.float64())
        numbers = {name: int32_numbers(log[name], _NOTHING) for name in _KEYS}
        columns: dict[str, list[Any]] = {name: [] for name in COMBAT_TOTALS.column_names}
        for name, kind in _KINDS.items():
            for column, values in self._sums(name, kind, log, numbers).items():
                columns[column] += values
        heroes = self._roster.hero_names()
        columns["hero"] = [heroes.get(player) for player in columns["player"]]
        for name in ("unit_type", "inflictor"):
            columns[name] = [None if code == _NOTHING else names[code] for code in columns[name]]
        return {COMBAT_TOTALS.name: COMBAT_TOTALS.build(columns)}

    def part(self) -> None:
        """The log is a part of the match."""

    def joined(self, earlier: Sequence[None]) -> Mapping[str, pa.Table]:
        return self.tables()

    def _sums(
        self, name: str, kind: _Kind, log: Mapping[str, pa.Array], numbers: Mapping[str, array[int]]
    ) -> dict[str, list[Any]]:
        """Return the columns of one kind, names as their codes; `numbers`: columns of the log, and players."""
        # Of modifiers the field of the source has another meaning.
        source = "attacker" if name == "stun" else "source"
        mine, unit, side = ("target", source, "attacker") if kind.takes else (source, "target", "target")
        chosen = pc.and_(of_kinds(log["log_type"], kind.types.__contains__), pc.is_valid(log[f"{mine}_of"]))
        if name == "stun":
            chosen = pc.and_(chosen, pc.greater(log["stun_seconds"], scalar_of(0.0, pa.float64())))
        if kind.takes:
            chosen = pc.and_(chosen, pc.invert(log["target_is_illusion"]))
        if "DEATH" in kind.types:
            chosen = pc.and_(chosen, log["counts"])
        if name in ("kill", "deny"):
            chosen = pc.and_(chosen, log[name])
        rows = pc.indices_nonzero(chosen)
        amounts = float64_numbers(pc.take(log[kind.value or "value"], rows))
        keys = {
            "player": numbers[f"{mine}_of"],
            "unit_type": numbers[unit],
            "is_hero": numbers[f"{side}_is_hero"],
            "is_illusion": numbers[f"{side}_is_illusion"],
            "inflictor": numbers["inflictor"],
            "damage_type": numbers["damage_type_id"],
        }
        places = numbers_in(rows.buffers()[1], "q", rows.offset, len(rows))
        first, counts, totals, maxima = group_sums(equal_rows(list(keys.values()), places), amounts)
        firsts = [places[place] for place in first]
        is_damage = "DAMAGE" in kind.types
        return {
            **{key: [column[row] for row in firsts] for key, column in keys.items()},
            **{key: [keys[key][row] == 1 for row in firsts] for key in ("is_hero", "is_illusion")},
            "kind": [name] * len(counts),
            "damage_type": [DAMAGE_TYPES.get(keys["damage_type"][row]) if is_damage else None for row in firsts],
            "count": list(counts),
            "total": list(map(float, counts)) if kind.value is None else list(totals),
            "largest": [None] * len(counts) if kind.value is None else list(maxima),
        }

    def _kills_and_denies(self, log: Mapping[str, pa.Array]) -> tuple[pa.Array, pa.Array]:
        """Return which entries may be a kill and which a deny; unknown sides are no deny."""
        same_side = pc.equal(log["attacker_team"], log["target_team"])
        by_itself = pc.and_(
            _true(pc.equal(log["attacker"], log["target"])),
            pc.invert(pc.or_(log["attacker_is_illusion"], log["target_is_illusion"])),
        )
        # Two units with the same name, as neutral creeps, may be of different sides.
        by_itself = pc.and_(by_itself, pc.fill_null(same_side, scalar_of(True, pa.bool_())))
        denied = pc.and_(_true(same_side), pc.invert(by_itself))
        return pc.invert(pc.or_(by_itself, denied)), denied

    def _counted(self, log: Mapping[str, pa.Array]) -> pa.Array:
        """Return which entries are no DEATH that the game does not count, as of a hero that comes back at once."""
        is_hero = pc.and_(pc.is_valid(log["target_player"]), pc.invert(log["target_is_illusion"]))
        of_heroes = pc.and_(is_hero, of_kinds(log["log_type"], "DEATH".__eq__))
        rows = pc.indices_nonzero(of_heroes)
        deaths = map(LoggedDeath, *(to_list(log[name].take(rows)) for name in _OF_DEATH))
        counted = array_of(self._lives.counted(list(deaths)), pa.bool_())
        return pc.replace_with_mask(pc.invert(log["will_reincarnate"]), of_heroes, counted)


def _true(flags: pa.Array) -> pa.Array:
    """Return flags, with false for null."""
    return pc.fill_null(flags, scalar_of(False, pa.bool_()))
