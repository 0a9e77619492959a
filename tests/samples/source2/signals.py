"""The sample's pings, orders, voice, sounds, particles and temporary entities: one or two of each kind."""

from __future__ import annotations

from typing import Any

from tests.samples.source2.encoding import encode_message
from tests.samples.source2.engine import steam_id
from tests.samples.source2.match import SyntheticMatch
from tests.samples.source2.world import handle

from playhead.source2.entities.entity import INDEX_MASK
from playhead.source2.messages.definitions import enumeration
from playhead.source2.writing.demo import InnerMessage

_FIRST_PLAYER_ENTITY = 10
_SOUND_HASH = 0xA1B2C3D4
_PARTICLE = 77
_PARTICLE_RESOURCE = 0xF00DF00DF00DF00D

# tick, player, order, fields; the unit is the player's hero.
ORDERS: tuple[tuple[int, int, str, dict[str, Any]], ...] = (
    (20, 0, "DOTA_UNIT_ORDER_MOVE_TO_POSITION", {"position": {"x": -5000.0, "y": 4100.5, "z": 128.0}}),
    (46, 7, "DOTA_UNIT_ORDER_ATTACK_TARGET", {"target_index": 100, "queue": True}),
    (90, 2, "DOTA_UNIT_ORDER_CAST_NO_TARGET", {"ability_id": 5103}),
    (120, 3, "DOTA_UNIT_ORDER_CAST_TARGET_TREE", {"target_index": 44, "ability_id": 44}),
)

# tick, player, number of the phrase
CHAT_WHEEL = ((150, 4, 16), (152, 9, 120))

# The neutral item that a player found, by the game's numbers: a Trusty Shovel with the enhancement Brawny.
FIND_TICK = 1950
FIND: dict[str, Any] = {"player_id": 8, "item_ability_id": 356, "item_tier": 1, "enhancement_ability_id": 1585}

VOICE_TICK, VOICE_PLAYER, VOICE_FRAMES = 200, 6, b"\x10\x20\x30\x40"


def signon() -> list[InnerMessage]:
    """Return the messages before the game."""
    return [encode_message("dota2", "svc_VoiceInit", {"codec": "vaudio_celt", "version": 3})]


def messages_at(tick: int, match: SyntheticMatch) -> list[InnerMessage]:
    """Return the messages in the packet of that tick."""
    found = [
        ("CDOTAUserMsg_SpectatorPlayerUnitOrders", _order(player, order, fields, match))
        for when, player, order, fields in ORDERS
        if when == tick
    ]
    found += [
        ("CDOTAUserMsg_ChatWheel", {"player_id": player, "chat_message_id": phrase, "account_id": 1000 + player})
        for when, player, phrase in CHAT_WHEEL
        if when == tick
    ]
    found += [(name, fields) for when, name, fields in _OTHERS if when == tick]
    if tick == 240:
        hero = match.heroes[0]
        found += _effects(handle(hero.index, 1))
    return [encode_message("dota2", name, fields) for name, fields in found]


def _order(player: int, order: str, fields: dict[str, Any], match: SyntheticMatch) -> dict[str, Any]:
    return {
        "entindex": _FIRST_PLAYER_ENTITY + player,
        "order_type": enumeration("dotaunitorder_t")[order],
        "units": [match.heroes[player].index],
        "sequence_number": player,
        **fields,
    }


_VOICE = {
    "xuid": steam_id(VOICE_PLAYER),
    "audio": {
        "format": "VOICEDATA_FORMAT_OPUS",
        "voice_data": VOICE_FRAMES,
        "sample_rate": 24000,
        "section_number": 1,
        "num_packets": 2,
        "packet_offsets": [2, 4],
    },
}

_OTHERS: tuple[tuple[int, str, dict[str, Any]], ...] = (
    (160, "CDOTAUserMsg_AbilityPing", {"player_id": 1, "ability_id": 5044, "type": 3, "entity_id": 124}),
    (162, "CDOTAUserMsg_PingConfirmation", {"player_id_of_original_pinger": 1, "entity_index": 124}),
    (170, "CDOTAUserMsg_MapLine", {"player_id": 5, "mapline": {"x": 10, "y": -20, "initial": True}}),
    (172, "CDOTAUserMsg_MapLine", {"player_id": 5, "mapline": {"x": 90, "y": 35}}),
    (VOICE_TICK, "svc_VoiceData", _VOICE),
    (FIND_TICK, "CDOTAUserMsg_FoundNeutralItem", FIND),
)


def _effects(unit: int) -> list[tuple[str, dict[str, Any]]]:
    """Return a sound, a particle and a projectile at a unit (a handle)."""
    index = unit & INDEX_MASK
    create = {"particle_name_index": _PARTICLE_RESOURCE, "attach_type": 1, "entity_handle": unit}
    update = {"control_point": 1, "position": {"x": 1.5, "y": -2.5, "z": 3.0}}
    return [
        (
            "CMsgSosStartSoundEvent",
            {
                "soundevent_guid": 9,
                "soundevent_hash": _SOUND_HASH,
                "source_entity_index": index,
                "seed": 4,
                "packed_params": b"\x01\x02",
            },
        ),
        ("CMsgSosStopSoundEvent", {"soundevent_guid": 9}),
        ("CUserMessageSendAudio", {"soundname": "ui.horn"}),
        ("CUserMsg_ParticleManager", {"type": 0, "index": _PARTICLE, "create_particle": create}),
        ("CUserMsg_ParticleManager", {"type": 4, "index": _PARTICLE, "update_particle_fallback": update}),
        ("CUserMsg_ParticleManager", {"type": 7, "index": _PARTICLE, "destroy_particle": {}}),
        (
            "CDOTAUserMsg_TE_Projectile",
            {"source": unit, "target": unit, "move_speed": 900, "is_attack": True, "handle": 3},
        ),
        ("CMsgTEEffectDispatch", {"effectdata": {"origin": {"x": 5.0, "y": 6.0}, "scale": 2.0}}),
    ]
