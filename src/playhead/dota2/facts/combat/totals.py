"""Table ``combat_totals``: sums of the combat log by player, unit and cause."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from playhead.dota2.facts import TABLES
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
_KEYS = ("player", "unit_type", "is_hero", "is_illusion", "inflictor", "damage_type")
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
        self._log = SharedLog.of(self.match, playback, {kind for each in _KINDS.values() for kind in each.types})

    def tables(self) -> Mapping[str, pa.Table]:
        columns = self._log.columns
        log = pa.table({name: columns[name] for name in _READ})
        rows = self._roster.add_heroes(list(self._rows_of(log)))
        return {COMBAT_TOTALS.name: COMBAT_TOTALS.build_rows(rows)}

    def part(self) -> None:
        """The log is a part of the match."""

    def joined(self, earlier: Sequence[None]) -> Mapping[str, pa.Table]:
        return self.tables()

    def _rows_of(self, log: pa.Table) -> Iterator[dict[str, Any]]:
        for name, kind in _KINDS.items():
            chosen = pc.is_in(log["log_type"], value_set=array_of(list(kind.types), log["log_type"].type))
            if name == "stun":
                chosen = pc.and_(
                    chosen, _true(pc.greater(log["stun_seconds"], scalar_of(0.0, log["stun_seconds"].type)))
                )
            entries = log.filter(chosen)
            if entries.num_rows:
                yield from self._sums(name, kind, entries)

    def _sums(self, name: str, kind: _Kind, entries: pa.Table) -> Iterator[dict[str, Any]]:
        text = pa.string()
        attacker, target = entries["attacker"].cast(text), entries["target"].cast(text)
        # Of modifiers the source field has another meaning.
        behind = entries["attacker_owner"].cast(text)
        source = attacker if name == "stun" else pc.coalesce(behind, attacker)
        mine, unit = (target, source) if kind.takes else (source, target)
        side = "attacker" if kind.takes else "target"
        is_hero = _true(entries[f"{side}_is_hero"])
        if kind.takes:
            is_hero = pc.or_(is_hero, _true(pc.starts_with(unit, "npc_dota_hero_")))
        value = entries["value" if kind.value is None else kind.value].cast(pa.float64())
        table = pa.table(
            {
                "player": self._players(mine),
                "unit_type": unit,
                "is_hero": is_hero,
                "is_illusion": _true(entries[f"{side}_is_illusion"]),
                "inflictor": entries["inflictor"].cast(text),
                "damage_type": entries["damage_type_id"],
                "value": pc.fill_null(value, scalar_of(0.0, pa.float64())),
            }
        )
        known = pc.is_valid(table["player"])
        if kind.takes:
            known = pc.and_(known, pc.invert(_true(entries["target_is_illusion"])))
        if "DEATH" in kind.types:
            known = pc.and_(known, self._counted(entries))
        table = table.filter(known)
        groups = _groups([table[key] for key in _KEYS])
        first, counts, totals, maxima = group_sums(groups, float64_numbers(table["value"].combine_chunks()))
        keys = table.select(list(_KEYS)).take(int64_array(first)).to_pylist()
        for row, count, total, largest in zip(keys, counts, totals, maxima, strict=True):
            yield row | {
                "kind": name,
                "damage_type": DAMAGE_TYPES.get(row["damage_type"]) if "DAMAGE" in kind.types else None,
                "count": count,
                "total": float(count) if kind.value is None else total,
                "largest": None if kind.value is None else largest,
            }

    def _counted(self, entries: pa.Table) -> pa.Array:
        """Return which of the DEATH entries the game counts: not those of heroes that come back at once."""
        names = ("tick", "target_player", "target_is_illusion", "will_reincarnate")
        rows = list(zip(*(to_list(entries[name]) for name in names), strict=True))
        found = [not returns for *_, returns in rows]
        heroes = [number for number, row in enumerate(rows) if row[1] is not None and not row[2]]
        deaths = [LoggedDeath(rows[number][1], rows[number][0], rows[number][3]) for number in heroes]
        for number, counts in zip(heroes, self._lives.counted(deaths), strict=True):
            found[number] = counts
        return array_of(found, pa.bool_())

    def _players(self, names: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return the players whose heroes have these names."""
        known = pc.unique(names)
        players = array_of([self._roster.player_named(name) for name in known.to_pylist()], pa.int32())
        return players.take(pc.index_in(names, value_set=known))


def _true(flags: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return flags, with false for null."""
    return pc.fill_null(flags, scalar_of(False, pa.bool_()))


def _groups(keys: Sequence[pa.ChunkedArray]) -> array[int]:
    """Return the number of each row's group of equal keys, in order of first rows.

    `Table.group_by` would import pandas by pyarrow.dataset.
    """
    groups = None
    for key in keys:
        encoded = key.combine_chunks().dictionary_encode(null_encoding="encode")
        if groups is None:
            groups = encoded.indices
        else:
            wide, size = pa.int64(), scalar_of(len(encoded.dictionary), pa.int64())
            pairs = pc.add(pc.multiply(groups.cast(wide), size), encoded.indices.cast(wide))
            groups = pairs.dictionary_encode().indices  # stays below the number of rows
    return array("i", [] if groups is None else to_list(groups))
