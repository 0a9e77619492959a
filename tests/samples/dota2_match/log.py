"""`WrittenLog`: the combat log of the written match, and its sums by player as the writer counts them."""

from __future__ import annotations

from typing import Any

from tests.samples.dota2_match.plan import HEROES, PLAYERS, RADIANT

from playhead.dota2.sources.combat_log import ENTRY_DEFINITION, ENTRY_MESSAGE
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import enumeration
from playhead.source2.writing.demo import InnerMessage

CREEP, TOWER = "npc_dota_creep_badguys_melee", "npc_dota_badguys_tower1_mid"
NEUTRALS = (
    *("npc_dota_neutral_kobold", "npc_dota_neutral_satyr_trickster", "npc_dota_neutral_centaur_khan"),
    "npc_dota_neutral_black_dragon",
)
SUMMON = "npc_dota_juggernaut_healing_ward"
COURIER = "npc_dota_courier"
SMOKE, SMOKED, STUNNED = "item_smoke_of_deceit", "modifier_smoke_of_deceit", "modifier_stunned"
INFLICTORS = ("razor_plasma_field", "puck_illusory_orb", "item_dagon_5", "storm_spirit_overload")
WARDS = {"observer": "npc_dota_observer_wards", "sentry": "npc_dota_sentry_wards"}
ROSHAN, ROSHAN_DROPS = "npc_dota_roshan", ("item_aegis", "item_cheese", "item_refresher_shard")
ITEMS = ("item_tango", "item_boots", "item_branches", "item_magic_wand", "item_power_treads")
NAMES = (
    *("dota_unknown", *(name for _, name, _ in HEROES), CREEP, TOWER, *NEUTRALS, SUMMON, SMOKE, SMOKED, STUNNED),
    *INFLICTORS,
    *(*ITEMS, *WARDS.values(), ROSHAN, COURIER),
    *(f"npc_dota_{side}guys_tower1_{lane}" for side in ("good", "bad") for lane in ("top", "bot")),
    *("npc_dota_goodguys_tower1_mid", "npc_dota_goodguys_melee_rax_top"),
)
HERO_NAMES = tuple(name for _, name, _ in HEROES)
_TYPES = {1: "physical", 2: "magical", 4: "pure"}
_MAPS = (
    *("damage", "damage_inflictor", "hero_hits", "damage_taken", "damage_by_type", "healing", "killed"),
    *("killed_by", "ability_uses", "item_uses"),
)


def hero_number(name: str | None) -> int | None:
    """Return the player of a hero's name."""
    return HERO_NAMES.index(name) if name in HERO_NAMES else None


class WrittenLog:
    """Collects entries, and counts them.

    Attributes:
        totals: sums by player, with the names of OpenDota.
    """

    def __init__(self) -> None:
        self._messages: list[InnerMessage] = []
        self._numbers = enumeration("DOTA_COMBATLOG_TYPES")
        self.totals: list[dict[str, Any]] = [
            {**{name: {} for name in _MAPS}, "max_hero_hit": 0, "stuns_dealt": 0.0} for _ in PLAYERS
        ]
        self.seconds = self.raw_seconds = 0.0

    def take(self) -> list[InnerMessage]:
        """Return the messages of the entries since the last call."""
        taken, self._messages = self._messages, []
        return taken

    def add(
        self,
        kind: str,
        *,
        by: str | None = None,
        source: str | None = None,
        to: str | None = None,
        inflictor: str | None = None,
        illusion: bool = False,
        counts: bool = True,
        **fields: Any,
    ) -> None:
        """Add an entry: `by` is the attacker, `source` its owner (itself if None), `to` the target. It is in the
        sums if it `counts`.
        """
        entry: dict[str, Any] = {"type": self._numbers[f"DOTA_COMBATLOG_{kind}"]}
        entry |= {"timestamp": self.seconds, "timestamp_raw": self.raw_seconds}
        if by is not None:
            entry |= {"attacker_name": NAMES.index(by), "is_attacker_hero": by in HERO_NAMES}
            entry |= {"attacker_team": _team(source or by), "is_attacker_illusion": False}
            if not kind.startswith("MODIFIER"):
                entry["damage_source_name"] = NAMES.index(source or by)
        if to is not None:
            entry |= {"target_name": NAMES.index(to), "is_target_hero": to in HERO_NAMES}
            entry |= {"target_team": _team(to), "is_target_illusion": illusion}
        if inflictor is not None:
            entry["inflictor_name"] = NAMES.index(inflictor)
        if fields.get("value", 0) < 0:
            fields["value"] &= 0xFFFFFFFF
        self._messages.append((ENTRY_MESSAGE, wire.encode(ENTRY_DEFINITION, entry | fields)))
        key = f"illusion_{to}" if illusion else to
        if counts:
            self._count(kind, source or by, to, key, inflictor, fields)

    def _count(
        self,
        kind: str,
        by: str | None,
        to: str | None,
        key: str | None,
        inflictor: str | None,
        fields: dict[str, Any],
    ) -> None:
        value = fields.get("value", 0)
        cause = "null" if inflictor is None else inflictor.removeprefix("item_")
        is_hero = to in HERO_NAMES and to == key
        if kind == "DAMAGE":
            self._sum(by, "damage", key, value)
            self._sum(by, "damage_by_type", _TYPES[fields["damage_type"]], value)
            if is_hero:
                self._sum(by, "damage_inflictor", cause, value)
                self._sum(by, "hero_hits", cause, 1)
                self._sum(to, "damage_taken", by, value)
                player = hero_number(by)
                if player is not None:
                    self.totals[player]["max_hero_hit"] = max(self.totals[player]["max_hero_hit"], value)
        elif kind == "HEAL":
            self._sum(by, "healing", key, value)
        elif kind == "DEATH" and not fields.get("will_reincarnate"):
            self._sum(by, "killed", key, 1)
            if is_hero:
                self._sum(to, "killed_by", by, 1)
        elif kind == "ABILITY":
            self._sum(by, "ability_uses", cause, 1)
        elif kind == "ITEM":
            self._sum(by, "item_uses", inflictor, 1)
        elif kind == "MODIFIER_ADD" and "stun_duration" in fields:
            player = hero_number(by)
            if player is not None:
                self.totals[player]["stuns_dealt"] += fields["stun_duration"]

    def _sum(self, name: str | None, total: str, key: str | None, value: int) -> None:
        player = hero_number(name)
        if player is not None and key is not None:
            sums = self.totals[player][total]
            sums[key] = sums.get(key, 0) + value


def _team(name: str) -> int:
    if name in HERO_NAMES:
        return RADIANT if HERO_NAMES.index(name) < 5 else 3
    if "goodguys" in name or name == SUMMON:
        return RADIANT
    return 3 if "badguys" in name else 4
