"""Table ``combat_log`` and its views ``unit_deaths``, ``damage``, ``heals``, ``ability_uses``, ``item_uses``,
``gold``, ``xp`` and ``buybacks``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.shared_log import SharedLog, taken
from playhead.dota2.sources.combat_log import DAMAGE_TYPES, ENTRY_COLUMNS, NAMES
from playhead.dota2.sources.entities import NAME_TABLE, hero_column
from playhead.dota2.sources.match import Dota2Facts
from playhead.dota2.sources.roster import CounterRises, Rise, roster_fields, team_fields
from playhead.runtime.libraries import pa, pc
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import lookup
from playhead.tables.number_columns import renumbered
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_BUYBACK_GOLD = "m_iGoldSpentOnBuybacks"
# Largest distance, in ticks, between a buyback and the rise of the gold spent.
_SAME_BUYBACK = 30

# EDOTA_ModifyGold_Reason and EDOTA_ModifyXP_Reason, numbered as since 2020; before, the numbers after CreepKill
# were lower by one.
_GOLD_REASONS = (
    "Unspecified Death Buyback PurchaseConsumable PurchaseItem AbandonedRedistribute SellItem AbilityCost "
    "CheatCommand SelectionPenalty GameTick Building HeroKill CreepKill NeutralKill RoshanKill CourierKill "
    "BountyRune SharedGold AbilityGold WardKill CourierKilledByThisPlayer"
).split()
_XP_REASONS = "Unspecified HeroKill CreepKill RoshanKill TomeOfKnowledge Outpost CatchUp HeroAbility".split()

COMBAT_LOG = TableSchema.of(
    "combat_log",
    "One row for each entry of the combat log, of any type. A value that an entry does not carry is null; a "
    "name that is not in the table CombatLogNames is a number after #.",
    *words("tick seconds game_seconds"),
    word("log_type", "DOTA_COMBATLOG_TYPES: DAMAGE, HEAL, DEATH, PURCHASE …"),
    *(entry.column for entry in ENTRY_COLUMNS[:5]),
    word(
        "attacker_player",
        "The player whose hero (or an illusion of it) is `attacker_owner`, except for modifiers, or `attacker`.",
    ),
    word("target_player", "The player whose hero (or an illusion of it) the target is."),
    word("value", "Damage, health, gold, experience, player …: what the type counts."),
    word("item", "Of PURCHASE."),
    *(entry.column for entry in ENTRY_COLUMNS[5:]),
    word("assister_players", "Null if the entry has none."),
    Column(
        "form",
        "category",
        "How the recording carries it: entry (message 554), bulk (470) or event (dota_combatlog).",
    ),
    word("details"),
    group="log",
)


class _View(NamedTuple):
    """A table with the entries of some types; `sources` has columns of ``combat_log`` by those of the table."""

    schema: TableSchema
    types: tuple[str, ...]
    sources: Mapping[str, str]


def _view(name: str, types: str, doc: str, columns: str, **notes: str) -> _View:
    """`columns`: names of columns of ``combat_log``, or ``name=column``; `notes`: those of columns."""
    sources = {new: old or new for new, _, old in (each.partition("=") for each in columns.split())}
    sources = {each: each for each in ("tick", "seconds", "game_seconds")} | sources
    own = {column.name: column for column in COMBAT_LOG.columns}
    chosen = (own[new] if sources[new] == new else word(new, notes.get(new, "")) for new in sources)
    kinds = tuple(types.split())
    full_doc = f"{doc} Combat log entries of type {' and '.join(kinds)}."
    return _View(TableSchema.of(name, full_doc, *chosen, group="log"), kinds, sources)


_VICTIM = (
    "attacker attacker_owner attacker_player attacker_team attacker_is_hero attacker_is_illusion victim=target "
    "victim_owner=target_owner victim_player=target_player victim_team=target_team victim_is_hero=target_is_hero "
    "victim_is_illusion=target_is_illusion victim_is_building=target_is_building inflictor "
)
_TARGET = (
    "player=attacker_player caster=attacker caster_owner=attacker_owner caster_team=attacker_team "
    "caster_is_hero=attacker_is_hero caster_is_illusion=attacker_is_illusion target target_player target_team "
    "target_is_hero target_is_illusion "
)
_OWN = "player=target_player hero=target "

VIEWS = (
    _view(
        "unit_deaths",
        "DEATH",
        "One row for each unit that died: heroes, creeps, buildings, wards.",
        _VICTIM + "assister_players will_reincarnate x y attacker_level victim_level=target_level at_night_time",
    ),
    _view(
        "damage",
        "DAMAGE",
        "One row for each damage done.",
        _VICTIM + "damage=value health damage_type=damage_type_id damage_type_id",
        damage_type="physical, magical or pure.",
    ),
    _view(
        "heals",
        "HEAL",
        "One row for each heal.",
        _TARGET + "inflictor healing=value health heal_from_lifesteal heal_from_regen is_heal_save",
    ),
    _view(
        "ability_uses",
        "ABILITY ABILITY_TRIGGER",
        "One row for each ability used.",
        _TARGET + "ability=inflictor ability_level log_type is_ultimate_ability is_ability_toggle_on "
        "is_ability_toggle_off inflictor_is_stolen_ability",
    ),
    _view(
        "item_uses",
        "ITEM",
        "One row for each item used.",
        _TARGET + "item=inflictor ability_level uses_charges",
    ),
    _view(
        "gold",
        "GOLD",
        "One row for each time that a hero's gold changed, as far as the game logs it.",
        _OWN + "team=target_team gold=value reason=gold_reason_id reason_id=gold_reason_id attacker",
        gold="By how much; negative for a loss.",
        reason="By the game's numbering since 2020.",
    ),
    _view(
        "xp",
        "XP",
        "One row for each time that a hero gained experience, as far as the game logs it.",
        _OWN + "team=target_team xp=value reason=xp_reason_id reason_id=xp_reason_id attacker",
        xp="By how much.",
    ),
    _view(
        "buybacks",
        "BUYBACK",
        "One row for each buyback.",
        "player=value hero=target cost=value",
        cost="Rise of m_iGoldSpentOnBuybacks of the player; null in builds without it.",
    ),
)


@TABLES.maker_of(COMBAT_LOG, *(view.schema for view in VIEWS))
class CombatLog(Dota2Facts):
    """Collects the entries of the requested tables and builds the tables at the end."""

    jobs: ClassVar = Jobs(28, anew=True, slow_to_join=True, extra=45)
    string_tables: ClassVar = (NAMES, NAME_TABLE)
    fields: Mapping[str, Sequence[str]] = roster_fields(team_fields((_BUYBACK_GOLD,)))

    def attach(self, playback: Playback) -> None:
        self._roster = self.match.roster(playback)
        bought_back = self.wanted is None or "buybacks" in self.wanted
        self._costs = CounterRises(playback, _BUYBACK_GOLD) if bought_back else None
        types = columns = None  # all
        if not self._whole:
            types = {kind for view in self._views for kind in view.types}
            columns = {name for view in self._views for name in view.sources.values()}
        self._log = SharedLog.of(self.match, playback, types, columns)

    @property
    def _whole(self) -> bool:
        return self.wanted is None or COMBAT_LOG.name in self.wanted

    @property
    def _views(self) -> list[_View]:
        return [view for view in VIEWS if self.wanted is None or view.schema.name in self.wanted]

    def tables(self) -> Mapping[str, pa.Table]:
        columns = self._log.columns
        columns = columns | self.match.time_columns(columns["tick"])
        rows = self._log.rows
        found = {each.schema.name: _view_table(columns, rows.numbers(each.types), each) for each in self._views}
        if "buybacks" in found:
            found["buybacks"] = self._with_costs(found["buybacks"])
        return {COMBAT_LOG.name: COMBAT_LOG.build(columns), **found} if self._whole else found

    def part(self) -> list[Rise]:
        return [] if self._costs is None else self._costs.rises

    def joined(self, earlier: Sequence[list[Rise]]) -> Mapping[str, pa.Table]:
        if self._costs is not None:
            self._costs.rises[:0] = [rise for rises in earlier for rise in rises]
        return self.tables()

    def _with_costs(self, buybacks: pa.Table) -> pa.Table:
        """Fill the columns that do not come from the log."""
        players = buybacks["player"].combine_chunks()
        costs = []
        for tick, player in zip(buybacks["tick"].to_pylist(), players.to_pylist(), strict=True):
            costs_of = self._costs
            rise = None if costs_of is None else costs_of.near(tick, _SAME_BUYBACK, self._roster, player)
            costs.append(None if rise is None else rise.amount)
        found = {"hero": hero_column(players, self._roster.hero_names()), "cost": costs}
        schema = next(view.schema for view in VIEWS if view.schema.name == "buybacks")
        return schema.build({name: found.get(name, buybacks[name]) for name in schema.column_names})


def _view_table(log: Mapping[str, pa.Array], numbers: pa.Array, view: _View) -> pa.Table:
    if not len(numbers):
        return view.schema.build_rows([])
    rows = {name: _taken(log[name], numbers) for name in dict.fromkeys(view.sources.values())}
    columns: dict[str, Any] = {new: rows[old] for new, old in view.sources.items()}
    if "reason" in columns:
        reasons = _GOLD_REASONS if view.schema.name == "gold" else _XP_REASONS
        columns["reason"] = _named(columns["reason"], dict(enumerate(reasons)))
    if "damage_type" in columns:
        columns["damage_type"] = _named(columns["damage_type"], DAMAGE_TYPES)
    return view.schema.build(columns)


def _named(numbers: pa.Array, names: Mapping[int, str]) -> pa.Array:
    """Return the names of numbers as a category, in order of appearance."""
    return lookup(numbers, names, pa.string()).dictionary_encode()


def _taken(column: pa.Array, rows: pa.Array) -> pa.Array:
    """Return these rows; of a category, with its names in order of appearance, for those of the log depend on its
    other rows.
    """
    if not pa.types.is_dictionary(column.type) or column.null_count == len(column):
        return taken(column, rows)
    codes, used = renumbered(pc.take(column.indices, rows), len(column.dictionary))
    return pa.DictionaryArray.from_arrays(codes, pc.take(column.dictionary, used))
