"""Table ``combat_log`` and its views: kills, damage, heals, purchases, uses of abilities and items, gold,
experience, buybacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.columns import TIME
from playhead.dota2.facts.combat.shared_log import SharedLog
from playhead.dota2.sources.combat_log_entry import ENTRY_COLUMNS, NAMES
from playhead.dota2.sources.counter_rises import CounterRises, Rise
from playhead.dota2.sources.match import FactCollector
from playhead.dota2.sources.roster import ROSTER_FIELDS, team_fields, with_fields
from playhead.runtime.libraries import pa, pc
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import lookup
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of

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
_DAMAGE_TYPES = {1: "physical", 2: "magical", 4: "pure"}

_FORM = Column(
    "form", "category", "How the recording carries it: entry (message 554), bulk (470) or event (dota_combatlog)."
)
_TYPE = Column(
    "type", "category", "DOTA_COMBATLOG_TYPES: DAMAGE, HEAL, DEATH, PURCHASE …; a number without a name."
)
_VALUE = Column("value", "int32", "Damage, health, gold, experience, player …: what the type counts.")
_VALUE_NAME = Column("value_name", "category", "The name that `value` is a number of; for PURCHASE, the item.")
_ASSISTS = Column("assists", "list<int32>", "Players who helped with a kill; null if the entry has none.")
_DETAILS = Column("details", "string", "Fields that no column has, as a JSON object; null without any.")

_ATTACKER_PLAYER = Column(
    "attacker_player",
    "int32",
    "The player whose hero (or an illusion of it) is behind it: `attacker_source`, but not of modifiers, "
    "otherwise `attacker`; null for others.",
)
_TARGET_PLAYER = Column(
    "target_player", "int32", "The player whose hero (or an illusion of it) the target is; null for others."
)


COMBAT_LOG = TableSchema.of(
    "combat_log",
    "One row for each entry of the combat log, of any type. A value that an entry does not carry is null; a "
    "name that is not in the table CombatLogNames is a number after #.",
    *TIME,
    _TYPE,
    *(entry.column for entry in ENTRY_COLUMNS[:5]),
    _ATTACKER_PLAYER,
    _TARGET_PLAYER,
    _VALUE,
    _VALUE_NAME,
    *(entry.column for entry in ENTRY_COLUMNS[5:]),
    _ASSISTS,
    _FORM,
    _DETAILS,
    version=2,
)

_BY_NAME = {column.name: column for column in COMBAT_LOG.columns}


class _View(NamedTuple):
    """A table with the entries of some types.

    Attributes:
        types: the types.
        sources: column of ``combat_log`` by column of the table.
    """

    schema: TableSchema
    types: tuple[str, ...]
    sources: Mapping[str, str]


def _view(name: str, types: str, doc: str, columns: str, **renamed: Column) -> _View:
    """`columns`: names of columns of ``combat_log``, or ``name=column`` for a column that `renamed` defines."""
    chosen: list[Column] = list(TIME)
    sources = {column.name: column.name for column in TIME}
    for entry in columns.split():
        new, _, old = entry.partition("=")
        chosen.append(renamed[new] if old else _BY_NAME[new])
        sources[new] = old or new
    kinds = tuple(types.split())
    full_doc = f"{doc} Combat log entries of type {' and '.join(kinds)}."
    return _View(TableSchema.of(name, full_doc, *tuple(chosen)), kinds, sources)


def _category(name: str, doc: str) -> Column:
    return Column(name, "category", doc)


def _int(name: str, doc: str, unit: str = "") -> Column:
    return Column(name, "int32", doc, unit)


_SIDES = (
    "attacker attacker_source attacker_player target target_player {0} attacker_is_hero attacker_is_illusion "
    "target_is_hero target_is_illusion attacker_team target_team"
)

VIEWS = (
    _view(
        "kills",
        "DEATH",
        "One row for each unit that died: heroes, creeps, buildings, wards.",
        _SIDES.format("target_source inflictor")
        + " target_is_building assists will_reincarnate x y attacker_hero_level target_hero_level at_night_time",
    ),
    _view(
        "damage",
        "DAMAGE",
        "One row for each damage done.",
        _SIDES.format("target_source inflictor damage=value health damage_type=damage_type")
        + " target_is_building",
        damage=_int("damage", "Health taken."),
        damage_type=_category("damage_type", "physical, magical or pure; null where the entry has none."),
    ),
    _view(
        "heals",
        "HEAL",
        "One row for each heal.",
        _SIDES.format("inflictor heal=value health") + " heal_from_lifesteal heal_from_regen is_heal_save",
        heal=_int("heal", "Health given."),
    ),
    _view(
        "purchases",
        "PURCHASE",
        "One row for each item bought.",
        "player=target_player hero=target item=value_name stack_count",
        player=_int("player", "Who bought it, as in `player_stats`; null if the hero is no player's."),
        hero=_category("hero", "Who bought it: unit name."),
        item=_category("item", "What: internal name (item_tango)."),
    ),
    _view(
        "ability_uses",
        "ABILITY ABILITY_TRIGGER",
        "One row for each ability used.",
        "type attacker attacker_source attacker_player target target_player ability=inflictor ability_level "
        "is_ultimate_ability is_ability_toggle_on is_ability_toggle_off inflictor_is_stolen_ability "
        "attacker_is_hero attacker_is_illusion target_is_hero target_is_illusion attacker_team target_team",
        ability=_category("ability", "Internal name of the ability."),
    ),
    _view(
        "item_uses",
        "ITEM",
        "One row for each item used.",
        _SIDES.format("item=inflictor ability_level uses_charges"),
        item=_category("item", "Internal name of the item."),
    ),
    _view(
        "gold",
        "GOLD",
        "One row for each time that a hero's gold changed, as far as the game logs it.",
        "player=target_player hero=target gold=value reason=gold_reason gold_reason attacker target_team",
        player=_int("player", "Whose, as in `player_stats`; null if the hero is no player's."),
        hero=_category("hero", "Whose: unit name."),
        gold=_int("gold", "By how much; negative for a loss.", "gold"),
        reason=_category("reason", "Name of `gold_reason` by the game's numbering since 2020; null without one."),
    ),
    _view(
        "xp",
        "XP",
        "One row for each time that a hero gained experience, as far as the game logs it.",
        "player=target_player hero=target xp=value reason=xp_reason xp_reason attacker target_team",
        player=_int("player", "Whose, as in `player_stats`; null if the hero is no player's."),
        hero=_category("hero", "Whose: unit name."),
        xp=_int("xp", "By how much.", "xp"),
        reason=_category("reason", "Name of `xp_reason`; null without one."),
    ),
    _view(
        "buybacks",
        "BUYBACK",
        "One row for each buyback.",
        "player=value hero=target cost=value",
        cost=_int("cost", "Rise of m_iGoldSpentOnBuybacks of the player; null in builds without it.", "gold"),
        player=_int("player", "Who bought back, as in `players`."),
        hero=_category("hero", "The hero, where the entry has one."),
    ),
)


@TABLES.maker_of(COMBAT_LOG, *(view.schema for view in VIEWS))
class CombatLog(FactCollector):
    """Collects the entries of the requested tables and builds the tables at the end."""

    work = 28
    slow_to_join = True
    anew: ClassVar = True
    string_tables: ClassVar = (NAMES,)
    fields: Mapping[str, Sequence[str]] = with_fields(ROSTER_FIELDS, team_fields((_BUYBACK_GOLD,)))

    def attach(self, playback: Playback) -> None:
        types = {kind for view in self._views for kind in view.types}
        self._roster = self.match.roster(playback)
        bought_back = self.wanted is None or "buybacks" in self.wanted
        self._costs = CounterRises(playback, _BUYBACK_GOLD) if bought_back else None
        self._log = SharedLog.of(self.match, playback, None if self._whole else types)

    @property
    def _whole(self) -> bool:
        return self.wanted is None or COMBAT_LOG.name in self.wanted

    @property
    def _views(self) -> list[_View]:
        return [view for view in VIEWS if self.wanted is None or view.schema.name in self.wanted]

    def tables(self) -> Mapping[str, pa.Table]:
        columns = self._log.columns
        log = COMBAT_LOG.build(columns | self.match.arrow_time_columns(columns["tick"]))
        types = columns["type"].dictionary_encode()
        found = {view.schema.name: _view_table(log, types, view) for view in self._views}
        if "buybacks" in found:
            found["buybacks"] = self._with_costs(found["buybacks"])
        return {COMBAT_LOG.name: log, **found} if self._whole else found

    def part(self) -> list[Rise]:
        return [] if self._costs is None else self._costs.rises

    def joined(self, earlier: Sequence[list[Rise]]) -> Mapping[str, pa.Table]:
        if self._costs is not None:
            self._costs.rises[:0] = [rise for rises in earlier for rise in rises]
        return self.tables()

    def _with_costs(self, buybacks: pa.Table) -> pa.Table:
        costs = []
        for tick, player in zip(buybacks["tick"].to_pylist(), buybacks["player"].to_pylist(), strict=True):
            costs_of = self._costs
            rise = None if costs_of is None else costs_of.near(tick, _SAME_BUYBACK, self._roster, player)
            costs.append(None if rise is None else rise.amount)
        place = buybacks.schema.get_field_index("cost")
        return buybacks.set_column(place, buybacks.schema.field(place), [array_of(costs, pa.int32())])


def _view_table(log: pa.Table, types: pa.DictionaryArray, view: _View) -> pa.Table:
    """`types`: types of the rows of the log."""
    codes = [code for code, name in enumerate(types.dictionary.to_pylist()) if name in view.types]
    chosen = pc.indices_nonzero(pc.is_in(types.indices, value_set=array_of(codes, pa.int32())))
    if not len(chosen):
        return view.schema.build_rows([])
    rows = log.select(list(dict.fromkeys(view.sources.values()))).take(chosen)
    columns: dict[str, Any] = {new: _own_categories(rows[old]) for new, old in view.sources.items()}
    if "reason" in columns:
        reasons = _GOLD_REASONS if view.schema.name == "gold" else _XP_REASONS
        columns["reason"] = _named(columns["reason"], dict(enumerate(reasons)))
    if "damage_type" in columns:
        columns["damage_type"] = _named(columns["damage_type"], _DAMAGE_TYPES)
    return view.schema.build(columns)


def _named(numbers: pa.ChunkedArray, names: Mapping[int, str]) -> pa.ChunkedArray:
    """Return the names of numbers as a category, in order of appearance."""
    return lookup(numbers, names, pa.string()).dictionary_encode()


def _own_categories(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Renumber the names of a category in order of appearance; the numbers of the log depend on its other rows."""
    if not pa.types.is_dictionary(column.type):
        return column
    if column.num_chunks != 1:
        return column.cast(pa.string()).dictionary_encode()
    held = column.chunk(0)  # without duplicate names
    used = held.indices.dictionary_encode()
    return pa.chunked_array([pa.DictionaryArray.from_arrays(used.indices, held.dictionary.take(used.dictionary))])
