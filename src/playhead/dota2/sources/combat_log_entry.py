"""One entry of the combat log: its columns, and its three forms in recordings.

Today each entry is a message of its own (DOTA_UM_CombatLogDataHLTV, 554, a CMsgDOTACombatLogEntry); several may
come in one DOTA_UM_CombatLogBulkData (470); recordings of before 2016 have game events ``dota_combatlog``. Names
are numbers of entries of the string table ``CombatLogNames``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from playhead.source2.messages.definitions import enumeration
from playhead.source2.messages.numbers import message_number
from playhead.tables.schema import Column

ENTRY_MESSAGE = message_number("dota2", "DOTA_UM_CombatLogDataHLTV")
BULK_MESSAGE = message_number("dota2", "DOTA_UM_CombatLogBulkData")
ENTRY_DEFINITION = "CMsgDOTACombatLogEntry"
LEGACY_EVENT = "dota_combatlog"
NAMES = "CombatLogNames"

#: Prefix of type names in the definitions.
TYPE_PREFIX = "DOTA_COMBATLOG_"

# Value of the legacy event: the field of an entry with the same meaning.
_LEGACY_FIELDS = {
    "sourcename": "damage_source_name",
    "targetname": "target_name",
    "attackername": "attacker_name",
    "inflictorname": "inflictor_name",
    "attackerillusion": "is_attacker_illusion",
    "targetillusion": "is_target_illusion",
    "attackerhero": "is_attacker_hero",
    "targethero": "is_target_hero",
    "targetsourcename": "target_source_name",
    "timestampraw": "timestamp_raw",
    "ability_toggle_on": "is_ability_toggle_on",
    "ability_toggle_off": "is_ability_toggle_off",
}


class EntryColumn(NamedTuple):
    """A column of table ``combat_log`` and its field of an entry; `is_name` if the field is the number of a
    name."""

    field: str
    column: Column
    is_name: bool = False


def _name(field: str, name: str, doc: str) -> EntryColumn:
    return EntryColumn(field, Column(name, "category", doc), is_name=True)


def _plain(field: str, kind: str, doc: str, unit: str = "", name: str = "") -> EntryColumn:
    return EntryColumn(field, Column(name or field, kind, doc, unit))


#: All fields of an entry, except its type and the converted fields: ``value`` and the assists.
ENTRY_COLUMNS: tuple[EntryColumn, ...] = (
    _name("attacker_name", "attacker", "Who did it: unit name (npc_dota_hero_axe)."),
    _name(
        "damage_source_name",
        "attacker_source",
        "Who is behind the attacker: the hero whose summon or projectile it is; for modifiers, other things.",
    ),
    _name("target_name", "target", "To whom: unit name."),
    _name("target_source_name", "target_source", "Who is behind the target."),
    _name("inflictor_name", "inflictor", "By what: name of an ability, an item or a modifier."),
    _plain(
        "is_attacker_hero", "bool", "The attacker is a hero (an illusion of one is too).", name="attacker_is_hero"
    ),
    _plain("is_attacker_illusion", "bool", "The attacker is an illusion.", name="attacker_is_illusion"),
    _plain("is_target_hero", "bool", "The target is a hero (an illusion of one is too).", name="target_is_hero"),
    _plain("is_target_illusion", "bool", "The target is an illusion.", name="target_is_illusion"),
    _plain("is_target_building", "bool", "The target is a building.", name="target_is_building"),
    _plain("target_is_self", "bool", "Attacker and target are the same unit."),
    _plain("attacker_team", "int32", "The attacker's side: 2 Radiant, 3 Dire, 4 neutral."),
    _plain("target_team", "int32", "The target's side."),
    _plain("attacker_hero_level", "int32", "The attacker's level."),
    _plain("target_hero_level", "int32", "The target's level."),
    _plain("is_visible_radiant", "bool", "Radiant could see it.", name="visible_radiant"),
    _plain("is_visible_dire", "bool", "Dire could see it.", name="visible_dire"),
    _plain("health", "int32", "The target's health after it."),
    _plain("location_x", "float32", "Where it was; world coordinates.", name="x"),
    _plain("location_y", "float32", "Where it was; world coordinates.", name="y"),
    _plain("damage_type", "int32", "Kind of damage: 1 physical, 2 magical, 4 pure; 0 is none."),
    _plain("damage_category", "int32", "Category of the damage, as the game counts."),
    _plain("ability_level", "int32", "Level of the ability."),
    _plain("is_ultimate_ability", "bool", "The ability is an ultimate."),
    _plain("is_ability_toggle_on", "bool", "The ability was switched on."),
    _plain("is_ability_toggle_off", "bool", "The ability was switched off."),
    _plain("inflictor_is_stolen_ability", "bool", "The ability was stolen."),
    _plain("uses_charges", "bool", "The ability or item uses charges."),
    _plain("stun_duration", "float32", "Length of the stun.", "s"),
    _plain("slow_duration", "float32", "Length of the slow.", "s"),
    _plain("modifier_duration", "float32", "Length the modifier is to have.", "s"),
    _plain("modifier_elapsed_duration", "float32", "How long the modifier lasted.", "s"),
    _plain("modifier_purged_duration", "float32", "What was left of the modifier when it was dispelled.", "s"),
    _plain("stack_count", "int32", "Stacks of the modifier, or of the camp."),
    _plain("modifier_purged", "bool", "The modifier was dispelled."),
    _name("modifier_purge_ability", "modifier_purge_ability", "What dispelled it."),
    _name("modifier_purge_npc", "modifier_purge_npc", "Who dispelled it."),
    _name("modifier_ability", "modifier_ability", "The ability that the modifier is of."),
    _plain("hidden_modifier", "bool", "The modifier is not shown."),
    _plain("modifier_hidden", "bool", "The modifier is not shown, in the game's later word."),
    _plain("aura_modifier", "bool", "The modifier is of an aura."),
    _plain("invisibility_modifier", "bool", "The modifier makes invisible."),
    _plain("silence_modifier", "bool", "The modifier silences."),
    _plain("root_modifier", "bool", "The modifier roots."),
    _plain("motion_controller_modifier", "bool", "The modifier moves its bearer."),
    _plain("armor_debuff_modifier", "bool", "The modifier lowers armour."),
    _plain("no_physical_damage_modifier", "bool", "The modifier wards off physical damage."),
    _plain("unit_status_label", "int32", "Label shown at the unit, as the game counts."),
    _plain("gold_reason", "int32", "Why gold changed, a number of EDOTA_ModifyGold_Reason."),
    _plain("xp_reason", "int32", "Why experience changed, a number of EDOTA_ModifyXP_Reason."),
    _plain("last_hits", "int32", "The player's last hits."),
    _plain("networth", "int32", "The player's net worth.", "gold", name="net_worth"),
    _plain("gpm", "int32", "The player's gold a minute.", "gold/min"),
    _plain("xpm", "int32", "The player's experience a minute.", "xp/min"),
    _plain("obs_wards_placed", "int32", "Observer wards that the player placed."),
    _plain("neutral_camp_type", "int32", "Kind of neutral camp, as the game counts."),
    _plain("neutral_camp_team", "int32", "Side of the map that the camp is on."),
    _plain("rune_type", "int32", "Kind of rune, as the game counts."),
    _plain("building_type", "int32", "Kind of building, as the game counts."),
    _plain("event_location", "int32", "Region of the map, as the game counts."),
    _plain("is_heal_save", "bool", "The heal saved its target."),
    _plain("heal_from_lifesteal", "bool", "The heal is from lifesteal."),
    _plain("heal_from_regen", "bool", "The heal is from regeneration."),
    _plain("regenerated_health", "float32", "Health regenerated."),
    _plain("spell_evaded", "bool", "The spell was evaded."),
    _plain("spell_generated_attack", "bool", "The attack came of a spell."),
    _plain("long_range_kill", "bool", "The kill was from afar."),
    _plain("total_unit_death_count", "int32", "Deaths of that kind of unit so far."),
    _plain("will_reincarnate", "bool", "The dead comes back at once (Aegis, Reincarnation): no final death."),
    _plain("at_night_time", "bool", "It was night."),
    _plain("attacker_has_scepter", "bool", "The attacker has an Aghanim's Scepter."),
    _plain("kill_eater_event", "int32", "Event that a cosmetic item counts."),
    _plain("tracked_stat_id", "int32", "Statistic that the game tracks."),
    _plain(
        "timestamp",
        "float32",
        "The entry's own time on the server's clock; `game_seconds` is the game's.",
        "s",
        name="server_seconds",
    ),
    _plain("timestamp_raw", "float32", "The same time with pauses.", "s", name="server_seconds_raw"),
)

#: Fields of an entry that table ``combat_log`` converts.
OTHER_FIELDS = tuple(
    "type value assist_players assist_player0 assist_player1 assist_player2 assist_player3".split()
)


#: The fields of an entry in `Entry`, in its order.
ENTRY_FIELDS = tuple(
    "target_name attacker_name damage_source_name inflictor_name value is_target_illusion is_target_hero "
    "will_reincarnate attacker_team target_team".split()
)


class Entry(NamedTuple):
    """The fields of one entry of the combat log that facts read.

    Names are numbers, for `CombatEntries.name`; an absent field is None.

    Attributes:
        tick: demo tick.
        type: short name of its type (``DEATH``).
    """

    tick: int
    type: str
    target: int | None
    attacker: int | None
    damage_source: int | None
    inflictor: int | None
    value: int | None
    target_is_illusion: bool | None
    target_is_hero: bool | None
    will_reincarnate: bool | None
    attacker_team: int | None
    target_team: int | None


def entry_of(tick: int, fields: Mapping[str | int, Any]) -> Entry:
    """Return the entry with these decoded fields, which include a type."""
    return Entry(tick, fields["type"].removeprefix(TYPE_PREFIX), *map(fields.get, ENTRY_FIELDS))


def type_names() -> dict[str, str]:
    """Return short names of entry types (``DAMAGE``) by their names in the definitions."""
    return {name: name.removeprefix(TYPE_PREFIX) for name in enumeration("DOTA_COMBATLOG_TYPES")}


def _legacy_value(kind: str, value: Any) -> Any:
    """Convert a value of the legacy event to the type of the entry's field; None if that is not possible."""
    if not isinstance(value, bool | int | float) or value != value:
        return None
    if kind == "bool":
        return bool(value)
    if kind == "float32":
        return float(value)
    return int(value) & 0xFFFFFFFF if abs(value) < 2**63 else None


def from_legacy_event(fields: Mapping[str, Any]) -> dict[str | int, Any]:
    """Return the fields of an entry from the values of a legacy event; a value without a field keeps its name."""
    types = {number: name for name, number in enumeration("DOTA_COMBATLOG_TYPES").items()}
    kinds = {column.field: "uint32" if column.is_name else column.column.type for column in ENTRY_COLUMNS}
    kinds |= {"type": "int32", "value": "int32"}
    entry: dict[str | int, Any] = {}
    for name, value in fields.items():
        field = _LEGACY_FIELDS.get(name, name)
        found = _legacy_value(kinds[field], value) if field in kinds else None
        if found is not None:
            entry[field] = found
        elif value is not None:
            entry[f"event.{name}"] = value
    if "type" in entry:
        entry["type"] = types.get(entry["type"], entry["type"])
    return entry


_FOUR = tuple(f"assist_player{i}" for i in range(4))


def assists(entry: Mapping[str | int, Any]) -> list[int] | None:
    """Return the assisting players, from either form; None if the entry has none."""
    listed: list[int] | None = entry.get("assist_players")
    if listed is None:
        if _FOUR[0] not in entry and not any(name in entry for name in _FOUR):
            return None
        four = (entry.get(name) for name in _FOUR)
        listed = [player for player in four if player is not None and player < 0x80000000]
    return [player for player in listed if player >= 0] or None


def signed(value: int | None) -> int | None:
    """Convert two's complement: fields declared as unsigned hold negative numbers (lost gold, nobody)."""
    return value if value is None or value < 0x80000000 else value - 0x100000000
