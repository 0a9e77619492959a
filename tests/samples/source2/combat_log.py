"""The combat log of the synthetic match: entries for its kills, and a few of every other type."""

from __future__ import annotations

from typing import Any

from tests.samples.source2.constants import FIRST_SERVER_TICK, TICKS_PER_SECOND
from tests.samples.source2.engine import PLAYERS
from tests.samples.source2.match import BOUNTY, LOSS, Kill, SyntheticMatch
from tests.samples.source2.match_names import item_name, tower_names
from tests.samples.source2.match_schema import ITEMS
from tests.samples.source2.recording import numbered_entries

from playhead.dota2.sources.combat_log import BULK_MESSAGE, ENTRY_DEFINITION, ENTRY_MESSAGE
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import enumeration
from playhead.source2.writing.demo import InnerMessage, StringTableEntry

#: A type without a definition.
UNKNOWN_TYPE = 99

_UNIT_NAMES = ("dota_unknown", *(hero for _, hero, *_ in PLAYERS))
_OTHER_NAMES = (
    "npc_dota_creep_badguys_melee",
    "npc_dota_neutral_kobold",
    "item_tango",
    "item_tpscroll",
    "axe_berserkers_call",
    "modifier_tango_heal",
    "lina_dragon_slave",
    "item_smoke_of_deceit",
    "modifier_smoke_of_deceit",
    "npc_dota_observer_wards",
    "npc_dota_sentry_wards",
    "npc_dota_roshan",
    *(f"npc_{name}" for side in ("goodguys", "badguys") for name in tower_names(side) if "tower4" not in name),
    "npc_dota_goodguys_tower4",
    "npc_dota_badguys_tower4",
    *(name for name in map(item_name, ITEMS) if name not in ("item_tango", "item_smoke_of_deceit")),
    "npc_dota_courier",
)
NAMES = (*_UNIT_NAMES, *_OTHER_NAMES)

_KILL_XP = 180


def name_entries() -> list[StringTableEntry]:
    """Return the entries of the string table CombatLogNames."""
    return numbered_entries(NAMES)


def _hero(player: int) -> dict[str, Any]:
    _name, unit, team, _id = PLAYERS[player]
    return {"name": NAMES.index(unit), "team": team}


def log_entry(kind: str | int, **fields: Any) -> dict[str, Any]:
    """Return an entry; `attacker` and `target` are players or names of other units, `inflictor` is a name."""
    numbers = enumeration("DOTA_COMBATLOG_TYPES")
    entry: dict[str, Any] = {"type": kind if isinstance(kind, int) else numbers[f"DOTA_COMBATLOG_{kind}"]}
    for side in ("attacker", "target"):
        who = fields.pop(side, None)
        if who is None:
            continue
        if isinstance(who, int):
            unit = _hero(who)
            entry |= {f"{side}_name": unit["name"], f"{side}_team": unit["team"], f"is_{side}_hero": True}
        else:
            entry |= {f"{side}_name": NAMES.index(who), f"is_{side}_hero": False}
        entry[f"is_{side}_illusion"] = False
    if "attacker_name" in entry and not str(kind).startswith("MODIFIER"):
        entry["damage_source_name"] = entry["attacker_name"]
    if "item" in fields:
        fields["value"] = NAMES.index(fields.pop("item"))
    if "inflictor" in fields:
        entry["inflictor_name"] = NAMES.index(fields.pop("inflictor"))
    if fields.get("value", 0) < 0:
        fields["value"] &= 0xFFFFFFFF
    return entry | fields


def _of_kill(kill: Kill) -> list[dict[str, Any]]:
    """Return the entries before, at and after a kill."""
    hit, death = {"attacker": kill.killer, "target": kill.victim}, {"target": kill.victim}
    return [
        log_entry("DAMAGE", **hit, inflictor="lina_dragon_slave", value=55, health=20, damage_type=2),
        log_entry("DAMAGE", **hit, value=20, health=0, damage_type=1),
        log_entry(
            "DEATH",
            **hit,
            value=0,
            assist_players=[kill.assist],
            location_x=kill.x,
            location_y=kill.y,
            will_reincarnate=False,
        ),
        log_entry("GOLD", **death, value=-LOSS, gold_reason=1),
        log_entry("GOLD", target=kill.killer, value=BOUNTY, gold_reason=12),
        log_entry("XP", target=kill.killer, value=_KILL_XP, xp_reason=1),
    ]


# Tick and fields of entries unrelated to the match.
_EXTRA_ENTRIES: tuple[tuple[int, dict[str, Any]], ...] = (
    (2, log_entry("GAME_STATE", value=5)),
    *(
        (100 + 20 * player, log_entry("PURCHASE", target=player, value=NAMES.index("item_tango")))
        for player in range(len(PLAYERS))
    ),
    (330, log_entry("ITEM", attacker=3, target=3, inflictor="item_tango", value=0)),
    (
        330,
        log_entry("MODIFIER_ADD", attacker=3, target=3, inflictor="modifier_tango_heal", modifier_duration=16.0),
    ),
    (360, log_entry("HEAL", attacker=3, target=3, inflictor="item_tango", value=7, health=571)),
    (
        810,
        log_entry(
            "MODIFIER_REMOVE",
            attacker=3,
            target=3,
            inflictor="modifier_tango_heal",
            modifier_duration=16.0,
            modifier_elapsed_duration=16.0,
            modifier_purged=False,
        ),
    ),
    (
        420,
        log_entry(
            "ABILITY", attacker=0, inflictor="axe_berserkers_call", ability_level=1, is_ultimate_ability=False
        ),
    ),
    (
        422,
        log_entry(
            "DAMAGE", attacker="npc_dota_creep_badguys_melee", target=0, value=12, health=588, damage_type=1
        ),
    ),
    (430, log_entry("DEATH", attacker=0, target="npc_dota_creep_badguys_melee", value=0)),
    (1500, log_entry("BUYBACK", value=5)),
)


class SampleCombatLog:
    """Writes the entries, each at its tick.

    Attributes:
        written: tick and fields of every entry so far: the expected content of the tables.
    """

    def __init__(self) -> None:
        self.written: list[tuple[int, dict[str, Any]]] = []
        self._kills = 0
        self._logged = 0

    def at(self, tick: int, match: SyntheticMatch) -> list[InnerMessage]:
        """Return the entries of a tick."""
        entries = [dict(entry) for when, entry in _EXTRA_ENTRIES if when == tick]
        for kill in match.kills[self._kills :]:
            entries += _of_kill(kill)
        self._kills = len(match.kills)
        entries += [log_entry(kind, **values) for _, kind, values in match.story.logged[self._logged :]]
        self._logged = len(match.story.logged)
        for entry in entries:
            raw = FIRST_SERVER_TICK + tick
            entry["timestamp_raw"] = raw / TICKS_PER_SECOND
            entry["timestamp"] = (raw - match.story.paused_ticks(tick)) / TICKS_PER_SECOND
            self.written.append((tick, entry))
        messages = [(ENTRY_MESSAGE, wire.encode(ENTRY_DEFINITION, entry)) for entry in entries]
        if tick == 440:
            messages.append(self._bulk(tick))
        return messages

    def _bulk(self, tick: int) -> InnerMessage:
        """Return the bulk form, with an unknown type and an unknown field."""
        entries = [log_entry("NEUTRAL_CAMP_STACK", target=2, value=1), log_entry(UNKNOWN_TYPE, value=17)]
        self.written += [(tick, entry) for entry in entries]
        return BULK_MESSAGE, wire.encode("CDOTAUserMsg_CombatLogBulkData", {"combat_entries": entries})
