"""Table ``combat_totals``: sums of the combat log by player, unit and cause."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.combat.entry_batches import of_kinds
from playhead.dota2.facts.combat.shared_log import SharedLog
from playhead.dota2.sources.combat_log_entry import DAMAGE_TYPES, NAMES
from playhead.dota2.sources.entities import NAME_TABLE
from playhead.dota2.sources.hero_lives import HERO_LIFE_FIELDS, HeroLives, LoggedDeath
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.roster import roster_fields
from playhead.runtime.libraries import pa, pc
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import float64_numbers, int64_array, to_list
from playhead.tables.number_columns import group_sums
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.tables.vocabulary import word, words

COMBAT_TOTALS = TableSchema.of(
    "combat_totals",
    "Sums of the combat log: one row for each player, kind, unit and cause. An entry counts for the source "
    "(`attacker_owner`, for example the hero of a summon, else `attacker`), damage taken by a hero for the hero "
    "without its illusions. Deaths as in table `kills`, with clones.",
    *words("player hero"),
    word(
        "kind",
        "damage (dealt), damage_taken, heal, kill (of any unit), killed_by (deaths of the hero), ability_use, "
        "item_use, or stun (MODIFIER_ADD entries with a stun_duration).",
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
    """One kind of sum.

    Attributes:
        types: the types of its entries.
        takes: the player is the target, and the unit the source.
        value: column of the value; None counts entries.
    """

    types: tuple[str, ...]
    takes: bool
    value: str | None


_KINDS = {
    "damage": _Kind(("DAMAGE",), False, "value"),
    "damage_taken": _Kind(("DAMAGE",), True, "value"),
    "heal": _Kind(("HEAL",), False, "value"),
    "kill": _Kind(("DEATH",), False, None),
    "killed_by": _Kind(("DEATH",), True, None),
    "ability_use": _Kind(("ABILITY", "ABILITY_TRIGGER"), False, None),
    "item_use": _Kind(("ITEM",), False, None),
    "stun": _Kind(("MODIFIER_ADD",), False, "stun_seconds"),
}
# Pairs of keys have numbers of 64 bits.
_MOST_PAIRS = 1 << 62
_OF_DEATH = ("tick", "target_player", "target_is_illusion", "will_reincarnate")
_NAMES = ("attacker", "attacker_owner", "target", "inflictor")
_READ = (
    *("log_type", "attacker", "attacker_owner", "target", "inflictor", "value", "stun_seconds", "damage_type_id"),
    *("attacker_is_hero", "attacker_is_illusion", "target_is_hero", "target_is_illusion", "will_reincarnate"),
    *("tick", "target_player"),
)


@TABLES.maker_of(COMBAT_TOTALS)
class CombatTotals(PlayerFacts):
    """Table ``combat_totals``."""

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
        is_hero = array_of([name.startswith("npc_dota_hero_") for name in names], pa.bool_())
        log["attacker_is_hero"] = pc.or_(_true(log["attacker_is_hero"]), _true(is_hero.take(log["source"])))
        columns: dict[str, list[Any]] = {name: [] for name in COMBAT_TOTALS.column_names}
        for name, kind in _KINDS.items():
            for column, values in self._sums(name, kind, log, players).items():
                columns[column] += values
        heroes = self._roster.hero_names()
        columns["hero"] = [heroes.get(player) for player in columns["player"]]
        for name in ("unit_type", "inflictor"):
            columns[name] = [None if code is None else names[code] for code in columns[name]]
        return {COMBAT_TOTALS.name: COMBAT_TOTALS.build(columns)}

    def part(self) -> None:
        """The log is a part of the match."""

    def joined(self, earlier: Sequence[None]) -> Mapping[str, pa.Table]:
        return self.tables()

    def _sums(
        self, name: str, kind: _Kind, log: Mapping[str, pa.Array], players: pa.Array
    ) -> dict[str, list[Any]]:
        """Return the columns of one kind, names as their codes; `players`: those of the names."""
        # Of modifiers the field of the source has another meaning.
        source = "attacker" if name == "stun" else "source"
        mine, unit, side = ("target", source, "attacker") if kind.takes else (source, "target", "target")
        chosen = of_kinds(log["log_type"], kind.types.__contains__)
        if name == "stun":
            chosen = pc.and_(
                chosen, _true(pc.greater(log["stun_seconds"], scalar_of(0.0, log["stun_seconds"].type)))
            )
        if kind.takes:
            chosen = pc.and_(chosen, pc.invert(_true(log["target_is_illusion"])))
        rows = pc.indices_nonzero(chosen)
        player = players.take(log[mine].take(rows))
        known = pc.is_valid(player)
        if "DEATH" in kind.types:
            known = pc.and_(known, self._counted({each: log[each].take(rows) for each in _OF_DEATH}))
        kept = pc.indices_nonzero(known)
        rows = rows.take(kept)
        keys = {
            "player": player.take(kept),
            "unit_type": log[unit].take(rows),
            "is_hero": _true(log[f"{side}_is_hero"].take(rows)),
            "is_illusion": _true(log[f"{side}_is_illusion"].take(rows)),
            "inflictor": log["inflictor"].take(rows),
            "damage_type": log["damage_type_id"].take(rows),
        }
        value = log["value" if kind.value is None else kind.value].take(rows).cast(pa.float64())
        amounts = float64_numbers(pc.fill_null(value, scalar_of(0.0, pa.float64())))
        first, counts, totals, maxima = group_sums(_groups(list(keys.values())), amounts)
        firsts = int64_array(first)
        columns = {key: to_list(column.take(firsts)) for key, column in keys.items()}
        is_damage = "DAMAGE" in kind.types
        return columns | {
            "kind": [name] * len(counts),
            "damage_type": [DAMAGE_TYPES.get(each) if is_damage else None for each in columns["damage_type"]],
            "count": list(counts),
            "total": list(map(float, counts)) if kind.value is None else list(totals),
            "largest": [None] * len(counts) if kind.value is None else list(maxima),
        }

    def _counted(self, entries: Mapping[str, pa.Array]) -> pa.Array:
        """Return which of the DEATH entries the game counts: not those of heroes that come back at once."""
        rows = list(zip(*(to_list(entries[name]) for name in _OF_DEATH), strict=True))
        found = [not returns for *_, returns in rows]
        heroes = [number for number, row in enumerate(rows) if row[1] is not None and not row[2]]
        deaths = [LoggedDeath(rows[number][1], rows[number][0], rows[number][3]) for number in heroes]
        for number, counts in zip(heroes, self._lives.counted(deaths), strict=True):
            found[number] = counts
        return array_of(found, pa.bool_())


def _true(flags: pa.Array) -> pa.Array:
    """Return flags, with false for null."""
    return pc.fill_null(flags, scalar_of(False, pa.bool_()))


def _groups(keys: Sequence[pa.Array]) -> array[int]:
    """Return the number of each row's group of equal keys, in order of first rows.

    `Table.group_by` would import pandas by pyarrow.dataset.
    """
    groups, size = None, 1
    for key in keys:
        encoded = key.dictionary_encode(null_encoding="encode")
        more = max(1, len(encoded.dictionary))
        if groups is not None and size * more > _MOST_PAIRS:
            again = groups.dictionary_encode()
            groups, size = again.indices.cast(pa.int64()), len(again.dictionary)
        codes = encoded.indices.cast(pa.int64())
        groups = codes if groups is None else pc.add(pc.multiply(groups, scalar_of(more, pa.int64())), codes)
        size *= more
    return array("i", [] if groups is None else to_list(groups.dictionary_encode().indices))
