"""One entry of the combat log: its columns, and its three forms in recordings.

Today each entry is a message of its own (DOTA_UM_CombatLogDataHLTV, 554, a CMsgDOTACombatLogEntry); several may
come in one DOTA_UM_CombatLogBulkData (470); recordings of before 2016 have game events ``dota_combatlog``. Names
are numbers of entries of the string table ``CombatLogNames``.
"""

from __future__ import annotations

from collections.abc import Mapping

from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.messages.definitions import enumeration
from playhead.source2.messages.numbers import message_number
from playhead.tables.schema import Column
from playhead.tables.vocabulary import word

ENTRY_MESSAGE = message_number("dota2", "DOTA_UM_CombatLogDataHLTV")
BULK_MESSAGE = message_number("dota2", "DOTA_UM_CombatLogBulkData")
ENTRY_DEFINITION = "CMsgDOTACombatLogEntry"
LEGACY_EVENT = "dota_combatlog"
NAMES = "CombatLogNames"

#: Words of damage types by number.
DAMAGE_TYPES = {1: "physical", 2: "magical", 4: "pure"}

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
    """A column of table ``combat_log`` and its field of an entry, which may be the number of a name; `own` are
    type, meaning and unit of a column that is no word."""

    field: str
    name: str
    is_name: bool
    note: str = ""
    own: tuple[str, str, str] | None = None

    @property
    def column(self) -> Column:
        """The column, made on access: most tables of facts need a few of the log's."""
        return word(self.name, self.note) if self.own is None else Column(self.name, *self.own)


def _word(field: str, name: str = "", note: str = "", *, is_name: bool = False) -> EntryColumn:
    return EntryColumn(field, name or field, is_name, note)


def _own(field: str, kind: str, doc: str, unit: str = "", name: str = "", *, is_name: bool = False) -> EntryColumn:
    return EntryColumn(field, name or field, is_name, "", (kind, doc, unit))


#: All fields of an entry, except its type and the converted fields: ``value`` and the assists.
ENTRY_COLUMNS: tuple[EntryColumn, ...] = (
    _word("attacker_name", "attacker", "Of actions other than attacks, the acting unit.", is_name=True),
    _word(
        "damage_source_name",
        "attacker_owner",
        "The hero whose summon or projectile it is; for modifiers, other things.",
        is_name=True,
    ),
    _word("target_name", "target", is_name=True),
    _word("target_source_name", "target_owner", is_name=True),
    _word("inflictor_name", "inflictor", "Of some entries a modifier.", is_name=True),
    _word("is_attacker_hero", "attacker_is_hero"),
    _word("is_attacker_illusion", "attacker_is_illusion"),
    _word("is_target_hero", "target_is_hero"),
    _word("is_target_illusion", "target_is_illusion"),
    _word("is_target_building", "target_is_building"),
    _own("target_is_self", "bool", "Attacker and target are the same unit."),
    _word("attacker_team"),
    _word("target_team"),
    _word("attacker_hero_level", "attacker_level"),
    _word("target_hero_level", "target_level"),
    _own("is_visible_radiant", "bool", "Radiant could see it.", name="visible_radiant"),
    _own("is_visible_dire", "bool", "Dire could see it.", name="visible_dire"),
    _word("health", note="Of the target."),
    _word("location_x", "x"),
    _word("location_y", "y"),
    _word("damage_type", "damage_type_id", "1 physical, 2 magical, 4 pure; 0 is none."),
    _own("damage_category", "int32", "Category of the damage, as the game counts."),
    _word("ability_level"),
    _word("is_ultimate_ability"),
    _word("is_ability_toggle_on"),
    _word("is_ability_toggle_off"),
    _word("inflictor_is_stolen_ability"),
    _word("uses_charges"),
    _word("stun_duration", "stun_seconds", "Of one stun."),
    _word("slow_duration", "slow_seconds", "Of one slow."),
    _own("modifier_duration", "float64", "Planned length of the modifier.", "s", "modifier_seconds"),
    _own(
        *("modifier_elapsed_duration", "float64", "How long the modifier lasted.", "s", "modifier_elapsed_seconds")
    ),
    _own(
        "modifier_purged_duration",
        "float64",
        "Remaining time of the modifier when it was dispelled.",
        "s",
        "modifier_purged_seconds",
    ),
    _own("stack_count", "int32", "Stacks of the modifier, or of the camp."),
    _own("modifier_purged", "bool", "The modifier was dispelled."),
    _own("modifier_purge_ability", "category", "Ability that dispelled it.", is_name=True),
    _own("modifier_purge_npc", "category", "Unit that dispelled it.", is_name=True),
    _own("modifier_ability", "category", "Ability to which the modifier belongs.", is_name=True),
    _own("hidden_modifier", "bool", "The modifier is not shown."),
    _own("modifier_hidden", "bool", "The modifier is not shown, in the game's later word."),
    _own("aura_modifier", "bool", "The modifier comes from an aura."),
    _own("invisibility_modifier", "bool", "The modifier makes invisible."),
    _own("silence_modifier", "bool", "The modifier silences."),
    _own("root_modifier", "bool", "The modifier roots."),
    _own("motion_controller_modifier", "bool", "The modifier moves its bearer."),
    _own("armor_debuff_modifier", "bool", "The modifier lowers armour."),
    _own("no_physical_damage_modifier", "bool", "The modifier wards off physical damage."),
    _own("unit_status_label", "int32", "Label shown at the unit, as the game counts."),
    _own("gold_reason", "int64", "Why gold changed, a number of EDOTA_ModifyGold_Reason.", name="gold_reason_id"),
    _own("xp_reason", "int64", "Why experience changed, a number of EDOTA_ModifyXP_Reason.", name="xp_reason_id"),
    _word("last_hits", note="Of the player so far."),
    _word("networth", "net_worth"),
    _word("gpm"),
    _word("xpm"),
    _word("obs_wards_placed", "observer_wards_placed"),
    _own("neutral_camp_type", "int64", "Kind of neutral camp, as the game counts.", name="neutral_camp_type_id"),
    _own("neutral_camp_team", "int32", "Side of the map that the camp is on."),
    _own("rune_type", "int64", "Kind of rune, as the game counts.", name="rune_id"),
    _own("building_type", "int64", "Kind of building, as the game counts.", name="building_type_id"),
    _own("event_location", "int64", "Region of the map, as the game counts.", name="event_location_id"),
    _word("is_heal_save"),
    _word("heal_from_lifesteal"),
    _word("heal_from_regen"),
    _own("regenerated_health", "float32", "Health regenerated."),
    _own("spell_evaded", "bool", "The spell was evaded."),
    _own("spell_generated_attack", "bool", "A spell caused the attack."),
    _own("long_range_kill", "bool", "The kill was from afar."),
    _own("total_unit_death_count", "int32", "Deaths of that kind of unit so far."),
    _word("will_reincarnate"),
    _word("at_night_time"),
    _own("attacker_has_scepter", "bool", "The attacker has an Aghanim's Scepter."),
    _own("kill_eater_event", "int32", "Event that a cosmetic item counts."),
    _own("tracked_stat_id", "int64", "Statistic that the game tracks."),
    _own(
        "timestamp",
        "float64",
        "The entry's own time on the server's clock; `game_seconds` is the game's.",
        "s",
        "server_seconds",
    ),
    _own("timestamp_raw", "float64", "The same time with pauses.", "s", "raw_server_seconds"),
)

#: Fields of an entry that table ``combat_log`` converts.
OTHER_FIELDS = tuple(
    "type value assist_players assist_player0 assist_player1 assist_player2 assist_player3".split()
)


#: The fields of an entry in `Entry`, in its order.
ENTRY_FIELDS = tuple(
    "target_name attacker_name damage_source_name inflictor_name value is_target_illusion is_target_hero "
    "will_reincarnate attacker_team target_team modifier_duration".split()
)


class Entry(NamedTuple):
    """The fields of one entry of the combat log that facts read, with its tick and short type (``DEATH``). Names
    are numbers, for `CombatEntries.name`; an absent field is None."""

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
    modifier_duration: float | None


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
    if kind.startswith("float"):
        return float(value)
    return int(value) & 0xFFFFFFFF if abs(value) < 2**63 else None


def from_legacy_event(fields: Mapping[str, Any]) -> dict[str | int, Any]:
    """Return the fields of an entry from the values of a legacy event; a value without a field keeps its name."""
    types = {number: name for name, number in enumeration("DOTA_COMBATLOG_TYPES").items()}
    kinds = {entry.field: "uint32" if entry.is_name else entry.column.type for entry in ENTRY_COLUMNS}
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
