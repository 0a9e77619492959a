"""Table ``combat_log``, and those cut from it: kills, damage, heals, purchases, uses of abilities and items, gold,
experience, buybacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from playhead.dota2.collector import Collector
from playhead.dota2.columns import GAME_SECONDS
from playhead.dota2.combat_log_entry import (
    BULK_MESSAGE,
    ENTRY_COLUMNS,
    ENTRY_MESSAGE,
    LEGACY_EVENT,
    NAMES,
    OTHER_FIELDS,
    assists,
    from_legacy_event,
    signed,
    type_names,
)
from playhead.dota2.match import Match
from playhead.dota2.roster import ROSTER_FIELDS
from playhead.errors import ReplayError
from playhead.source2.game_events import GAME_EVENT, GAME_EVENT_LIST, GameEventList
from playhead.source2.message_json import JsonWriter
from playhead.source2.playback import Playback
from playhead.source2.string_table import StringTables
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK

if TYPE_CHECKING:
    import pyarrow as pa

# EDOTA_ModifyGold_Reason and EDOTA_ModifyXP_Reason as the game numbers them since 2020; before, what follows
# CreepKill stood one lower.
_GOLD_REASONS = (
    "Unspecified Death Buyback PurchaseConsumable PurchaseItem AbandonedRedistribute SellItem AbilityCost "
    "CheatCommand SelectionPenalty GameTick Building HeroKill CreepKill NeutralKill RoshanKill CourierKill "
    "BountyRune SharedGold AbilityGold WardKill CourierKilledByThisPlayer"
).split()
_XP_REASONS = "Unspecified HeroKill CreepKill RoshanKill TomeOfKnowledge Outpost CatchUp HeroAbility".split()
_HERO = "npc_dota_hero_"
_DAMAGE_TYPES = {1: "physical", 2: "magical", 4: "pure"}

_FORM = Column(
    "form", "category", "How the recording carries it: entry (message 554), bulk (470) or event (dota_combatlog)."
)
_TYPE = Column(
    "type", "category", "DOTA_COMBATLOG_TYPES: DAMAGE, HEAL, DEATH, PURCHASE …; a number without a name."
)
_VALUE = Column("value", "int32", "Damage, health, gold, experience, player …: what the type counts.")
_VALUE_NAME = Column("value_name", "category", "The name that `value` is a number of; for PURCHASE, the item.")
_ASSISTS = Column("assists", "list<int32>", "Players who helped with a kill; null if the entry does not tell.")
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

_TIME = (TICK, SECONDS, GAME_SECONDS)

COMBAT_LOG = TableSchema(
    name="combat_log",
    version=1,
    doc="One row for each entry of the combat log, of any type. A value that an entry does not carry is null; a "
    "name that is not in the table CombatLogNames is a number after #.",
    columns=(
        *_TIME,
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
    ),
)

_BY_NAME = {column.name: column for column in COMBAT_LOG.columns}


class _Cut(NamedTuple):
    """A table with the entries of some types.

    Attributes:
        types: the types.
        sources: by column, the column of ``combat_log`` that it is.
    """

    schema: TableSchema
    types: tuple[str, ...]
    sources: Mapping[str, str]


def _cut(name: str, types: str, doc: str, columns: str, **renamed: Column) -> _Cut:
    """`columns`: names of columns of ``combat_log``, each alone or as ``name=column`` with `renamed` telling the
    new column.
    """
    chosen: list[Column] = list(_TIME)
    sources = {column.name: column.name for column in _TIME}
    for entry in columns.split():
        new, _, old = entry.partition("=")
        chosen.append(renamed[new] if old else _BY_NAME[new])
        sources[new] = old or new
    kinds = tuple(types.split())
    told = f"{doc} Combat log entries of type {' and '.join(kinds)}."
    return _Cut(TableSchema(name, 1, told, tuple(chosen)), kinds, sources)


def _category(name: str, doc: str) -> Column:
    return Column(name, "category", doc)


def _int(name: str, doc: str, unit: str = "") -> Column:
    return Column(name, "int32", doc, unit)


_SIDES = (
    "attacker attacker_source attacker_player target target_player {0} attacker_is_hero attacker_is_illusion "
    "target_is_hero target_is_illusion attacker_team target_team"
)

CUTS = (
    _cut(
        "kills",
        "DEATH",
        "One row for each unit that died: heroes, creeps, buildings, wards.",
        _SIDES.format("target_source inflictor")
        + " target_is_building assists will_reincarnate x y attacker_hero_level target_hero_level at_night_time",
    ),
    _cut(
        "damage",
        "DAMAGE",
        "One row for each damage done.",
        _SIDES.format("target_source inflictor damage=value health damage_type=damage_type")
        + " target_is_building",
        damage=_int("damage", "Health taken."),
        damage_type=_category("damage_type", "physical, magical or pure; null where the entry does not tell."),
    ),
    _cut(
        "heals",
        "HEAL",
        "One row for each heal.",
        _SIDES.format("inflictor heal=value health") + " heal_from_lifesteal heal_from_regen is_heal_save",
        heal=_int("heal", "Health given."),
    ),
    _cut(
        "purchases",
        "PURCHASE",
        "One row for each item bought.",
        "player=target_player hero=target item=value_name stack_count",
        player=_int("player", "Who bought it, as in `player_stats`; null if the hero is no player's."),
        hero=_category("hero", "Who bought it: unit name."),
        item=_category("item", "What: internal name (item_tango)."),
    ),
    _cut(
        "ability_uses",
        "ABILITY ABILITY_TRIGGER",
        "One row for each ability used.",
        "type attacker attacker_source attacker_player target target_player ability=inflictor ability_level "
        "is_ultimate_ability is_ability_toggle_on is_ability_toggle_off inflictor_is_stolen_ability "
        "attacker_is_hero attacker_is_illusion target_is_hero target_is_illusion attacker_team target_team",
        ability=_category("ability", "Internal name of the ability."),
    ),
    _cut(
        "item_uses",
        "ITEM",
        "One row for each item used.",
        _SIDES.format("item=inflictor ability_level uses_charges"),
        item=_category("item", "Internal name of the item."),
    ),
    _cut(
        "gold",
        "GOLD",
        "One row for each time that a hero's gold changed, as far as the game logs it.",
        "player=target_player hero=target gold=value reason=gold_reason gold_reason attacker target_team",
        player=_int("player", "Whose, as in `player_stats`; null if the hero is no player's."),
        hero=_category("hero", "Whose: unit name."),
        gold=_int("gold", "By how much; negative for a loss.", "gold"),
        reason=_category("reason", "Name of `gold_reason` by the game's numbering since 2020; null without one."),
    ),
    _cut(
        "xp",
        "XP",
        "One row for each time that a hero gained experience, as far as the game logs it.",
        "player=target_player hero=target xp=value reason=xp_reason xp_reason attacker target_team",
        player=_int("player", "Whose, as in `player_stats`; null if the hero is no player's."),
        hero=_category("hero", "Whose: unit name."),
        xp=_int("xp", "By how much.", "xp"),
        reason=_category("reason", "Name of `xp_reason`; null without one."),
    ),
    _cut(
        "buybacks",
        "BUYBACK",
        "One row for each buyback.",
        "player=value hero=target",
        player=_int("player", "Who bought back, as in `players`."),
        hero=_category("hero", "The hero, where the entry tells."),
    ),
)


class CombatLog(Collector):
    """Keeps every entry, and makes the tables of them at the end."""

    schemas: ClassVar = (COMBAT_LOG, *(cut.schema for cut in CUTS))
    string_tables: ClassVar = (NAMES,)
    fields: Mapping[str, Sequence[str]] = ROSTER_FIELDS

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self._ticks: list[int] = []
        self._forms: list[str] = []
        self._entries: list[Mapping[str | int, Any]] = []
        self._events = GameEventList()
        self._legacy = False

    # -- entries ----------------------------------------------------------------------------------------

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._roster = self.match.roster(playback)
        playback.on_message(ENTRY_MESSAGE, self._on_entry)
        playback.on_message(BULK_MESSAGE, self._on_bulk)
        playback.on_message(GAME_EVENT_LIST, self._on_event_list)
        playback.on_message(GAME_EVENT, self._on_event)

    def _keep(self, tick: int, form: str, entry: Mapping[str | int, Any]) -> None:
        self._ticks.append(tick)
        self._forms.append(form)
        self._entries.append(entry)

    def _on_entry(self, tick: int, payload: bytes) -> None:
        message = self.match.decode(tick, ENTRY_MESSAGE, payload)
        if message is not None and message.fields is not None:
            self._keep(tick, "entry", message.fields)

    def _on_bulk(self, tick: int, payload: bytes) -> None:
        message = self.match.decode(tick, BULK_MESSAGE, payload)
        if message is not None and message.fields is not None:
            for entry in message.fields.get("combat_entries", ()):
                self._keep(tick, "bulk", entry)

    def _on_event_list(self, tick: int, payload: bytes) -> None:
        self._events = self.match.event_list(tick, payload)
        self._legacy = LEGACY_EVENT in self._events.names.values()

    def _on_event(self, tick: int, payload: bytes) -> None:
        if not self._legacy:
            return
        try:
            event = self._events.decode(tick, payload)
        except ReplayError as error:
            self.match.known_problem(error, tick, "one game event")
            return
        if event.name == LEGACY_EVENT:
            self._keep(tick, "event", from_legacy_event(event.fields))

    # -- tables -----------------------------------------------------------------------------------------

    def tables(self) -> Mapping[str, pa.Table]:
        log = COMBAT_LOG.build(self._columns())
        return {"combat_log": log, **{cut.schema.name: _cut_table(log, cut) for cut in CUTS}}

    def _columns(self) -> dict[str, Any]:
        entries, types = self._entries, type_names()
        names = _Names(self._playback.string_tables)
        occurring: set[str | int] = set()
        occurring.update(*entries)
        columns: dict[str, Any] = self.match.time_columns(self._ticks)
        # An entry without a type is of the one that the definition declares for its absence.
        kinds = [entry.get("type", "DOTA_COMBATLOG_INVALID") for entry in entries]
        columns["type"] = _text([types.get(kind) or str(kind) for kind in kinds])
        values = [entry.get("value") for entry in entries]
        columns["value"] = _signed(values)
        bought = "DOTA_COMBATLOG_PURCHASE"
        columns["value_name"] = names.column(
            [value if kind == bought else None for kind, value in zip(kinds, values, strict=True)]
        )
        nothing = [None] * len(entries)
        for field, column, is_name in ENTRY_COLUMNS:
            if field not in occurring:
                columns[column.name] = nothing
                continue
            found = [entry.get(field) for entry in entries]
            if is_name:
                columns[column.name] = names.column(found)
            elif column.type == "int32":
                columns[column.name] = _signed(found)
            else:
                columns[column.name] = found
        columns |= self._players(columns)
        helped = any(field in occurring for field in OTHER_FIELDS if field.startswith("assist"))
        columns["assists"] = [assists(entry) for entry in entries] if helped else nothing
        columns["form"] = _text(self._forms)
        columns["details"] = self._details(occurring)
        return columns

    def _players(self, columns: Mapping[str, Any]) -> dict[str, pa.Array]:
        """Whose heroes the units are."""
        import pyarrow as pa
        import pyarrow.compute as pc

        known: dict[str, int | None] = {}

        def player(name: str) -> int | None:
            if name not in known:
                known[name] = self._roster.player_named(name) if name.startswith(_HERO) else None
            return known[name]

        def players(column: str) -> pa.Array:
            names = columns[column]
            if not isinstance(names, pa.DictionaryArray):
                return pa.array(names, type=pa.int32())
            return pa.array(map(player, names.dictionary.to_pylist()), type=pa.int32()).take(names.indices)

        of_modifiers = pc.starts_with(columns["type"].cast(pa.string()), "MODIFIER")
        behind = pc.if_else(of_modifiers, pa.scalar(None, pa.int32()), players("attacker_source"))
        return {
            "attacker_player": pc.coalesce(behind, players("attacker")),
            "target_player": players("target"),
        }

    def _details(self, occurring: Iterable[str | int]) -> list[str | None]:
        known = {entry.field for entry in ENTRY_COLUMNS} | set(OTHER_FIELDS)
        odd = set(occurring) - known
        if not odd:
            return [None] * len(self._entries)
        rest = [{str(key): entry[key] for key in entry if key in odd} for entry in self._entries]
        write = JsonWriter().write
        return [write(fields) if fields else None for fields in rest]


class _Names:
    """The string table of names, as dictionary of the columns that refer to it."""

    def __init__(self, tables: StringTables) -> None:
        items = list(tables[NAMES]) if NAMES in tables else []
        self._names = {item.index: item.key for item in items}
        # Entries are numbered without gaps, unless some were lost.
        self._all = [item.key for item in items]
        self._dense = all(item.index == i for i, item in enumerate(items)) and len(set(self._all)) == len(items)

    def column(self, numbers: list[int | None]) -> pa.Array:
        """The names of these numbers. Number 0 is ``dota_unknown``, which is nobody."""
        import pyarrow as pa
        import pyarrow.compute as pc

        places = pa.array(numbers, type=pa.int64())
        greatest = pc.max(places).as_py()
        if self._dense and greatest is not None and greatest < len(self._all):
            indices = pc.if_else(pc.equal(places, 0), pa.scalar(None, pa.int64()), places).cast(pa.int32())
            return pa.DictionaryArray.from_arrays(indices, pa.array(self._all, type=pa.string()))
        known = self._names
        return _text([None if not number else known.get(number) or f"#{number}" for number in numbers])


def _text(values: Sequence[str | None]) -> pa.Array:
    import pyarrow as pa

    return pa.array(values, type=pa.string()).dictionary_encode()


def _signed(values: list[int | None]) -> pa.Array:
    """As `signed`, of a column."""
    import pyarrow as pa

    try:
        return pa.array(values, type=pa.int32())
    except (ValueError, OverflowError):
        return pa.array([signed(value) for value in values], type=pa.int32())


def _cut_table(log: pa.Table, cut: _Cut) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = log.filter(pc.is_in(log["type"].cast(pa.string()), value_set=pa.array(cut.types, pa.string())))
    columns: dict[str, Any] = {new: rows[old] for new, old in cut.sources.items()}
    if "reason" in columns:
        reasons = _GOLD_REASONS if cut.schema.name == "gold" else _XP_REASONS
        numbers = columns["reason"].to_pylist()
        columns["reason"] = _text(
            [reasons[n] if n is not None and 0 <= n < len(reasons) else None for n in numbers]
        )
    if "damage_type" in columns:
        columns["damage_type"] = _text([_DAMAGE_TYPES.get(n) for n in columns["damage_type"].to_pylist()])
    return cut.schema.build(columns)
