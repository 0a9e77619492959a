"""Messages encoded once and sent many times: sounds, particles, orders and others, in many variants of each kind.

Only the times of a combat-log entry change; they are written into the encoded message.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from tests.samples.real_size.measures import MESSAGES
from tests.samples.source2.combat_log import NAMES, log_entry
from tests.samples.source2.encoding import encode_message
from tests.samples.source2.engine import steam_id
from tests.samples.source2.match import SyntheticMatch
from tests.samples.source2.match_names import ability_name
from tests.samples.source2.match_schema import ABILITIES_A_HERO

from playhead.dota2.sources.combat_log import ENTRY_DEFINITION, ENTRY_MESSAGE
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import enumeration
from playhead.source2.writing.demo import InnerMessage

Fields = dict[str, Any]

#: Number of variants of all kinds, and of combat-log entries.
_VARIANTS, _ENTRIES = 6000, 3000
_FIRST_PLAYER = 10
# Times in the encoded entry: without pauses, and with them.
_TIME, _RAW_TIME = 987654.25, 876543.25

#: Names found only in the log of the match of real size, after those of the small one.
LOG_NAMES = (
    *NAMES,
    *(ability_name(player, number + 1) for player in range(10) for number in range(ABILITIES_A_HERO)),
    *(
        f"modifier_{ability_name(player, number + 1)}"
        for player in range(10)
        for number in range(ABILITIES_A_HERO)
    ),
    *(
        f"npc_dota_creep_{side}_{kind}"
        for side in ("goodguys", "badguys")
        for kind in ("ranged", "siege", "flagbearer")
    ),
    *(
        f"npc_dota_neutral_{kind}"
        for kind in ("gnoll_assassin", "ghost", "harpy_scout", "mud_golem", "satyr_trickster")
    ),
)
_CREEPS = [name for name in LOG_NAMES if "creep" in name or "neutral" in name]
_ABILITIES = [name for name in LOG_NAMES if "_ability_" in name and not name.startswith("modifier_")]
_MODIFIERS = [name for name in LOG_NAMES if name.startswith("modifier_") and "_ability_" in name]


class LogTemplate(NamedTuple):
    """A combat-log entry without its times.

    Attributes:
        fields: its fields.
        head, middle, tail: its bytes before, between and after the times.
    """

    fields: Fields
    head: bytes
    middle: bytes
    tail: bytes

    def at(self, seconds: float, raw: float) -> InnerMessage:
        """Return the message with the server's time without pauses, and with them."""
        time, raw_time = struct.pack("<f", seconds), struct.pack("<f", raw)
        return ENTRY_MESSAGE, self.head + time + self.middle + raw_time + self.tail


class Templates:
    """All variants.

    Attributes:
        messages: name, fields, and number and bytes of each message besides the combat log; every range of them
            has the kinds in their shares.
        deck: number and bytes of these messages.
        entries: combat-log entries.
    """

    def __init__(self, match: SyntheticMatch, seed: int = 11) -> None:
        self._random = Random(seed)
        self._heroes = [match.handle_of(hero.index) for hero in match.heroes]
        self._units = [hero.index for hero in match.heroes]
        makers: Mapping[str, Callable[[], Fields]] = {
            "CUserMsg_ParticleManager": self._particle,
            "CMsgSosStartSoundEvent": self._sound,
            "CMsgSosStopSoundEvent": lambda: {"soundevent_guid": self._number(1 << 20)},
            "CMsgSosSetSoundEventParams": lambda: {
                "soundevent_guid": self._number(1 << 20),
                "packed_params": self._noise(14),
            },
            "CDOTAUserMsg_TE_UnitAnimation": self._animation,
            "CDOTAUserMsg_TE_UnitAnimationEnd": lambda: {"entity": self._unit(), "snap": self._number(2) == 1},
            "CDOTAUserMsg_TE_Projectile": self._projectile,
            "CDOTAUserMsg_TE_ProjectileLoc": self._projectile_at,
            "CDOTAUserMsg_CreateLinearProjectile": self._linear,
            "CDOTAUserMsg_DestroyLinearProjectile": lambda: {"handle": self._number(1 << 16)},
            "CMsgTEEffectDispatch": self._effect,
            "CDOTAUserMsg_UnitEvent": self._unit_event,
            "CDOTAUserMsg_SpectatorPlayerUnitOrders": self._order,
            "CDOTAUserMsg_SpectatorPlayerClick": self._click,
            "CDOTAUserMsg_OverheadEvent": self._overhead,
            "CDOTAUserMsg_MinimapEvent": self._minimap,
            "CDOTAUserMsg_LocationPing": self._ping,
            "CSVCMsg_VoiceData": self._voice,
            "CDOTAUserMsg_MapLine": lambda: {
                "player_id": self._number(10),
                "mapline": {"x": self._number(200) - 100, "y": self._number(200) - 100, "initial": False},
            },
        }  # fmt: skip
        kinds = self._random.choices(list(MESSAGES), list(MESSAGES.values()), k=_VARIANTS)
        made = [(kind, makers[kind]()) for kind in kinds]
        self.messages: Sequence[tuple[str, Fields, InnerMessage]] = [
            (kind, fields, encode_message("dota2", kind, fields)) for kind, fields in made
        ]
        self.deck: Sequence[InnerMessage] = [message for _, _, message in self.messages]
        self.entries = [self._log_template(self._log_entry()) for _ in range(_ENTRIES)]

    # -- parts ------------------------------------------------------------------------------------------

    def _number(self, most: int) -> int:
        return int(self._random.random() * most)

    def _noise(self, count: int) -> bytes:
        return self._random.randbytes(count)

    def _unit(self) -> int:
        return self._heroes[self._number(10)]

    def _place(self) -> dict[str, float]:
        random = self._random
        return {"x": random.uniform(-7000, 7000), "y": random.uniform(-7000, 7000), "z": random.uniform(0, 512)}

    # -- kinds ------------------------------------------------------------------------------------------

    def _particle(self) -> Fields:
        index, turn = self._number(1 << 22), self._number(100)
        types = enumeration("PARTICLE_MESSAGE")
        kind, name = "UPDATE_TRANSFORM", "update_particle_transform"
        inside: Fields = {"control_point": self._number(8)}
        if turn < 22:
            kind, name = "CREATE", "create_particle"
            inside = {
                "particle_name_index": self._random.getrandbits(64),
                "attach_type": self._number(8),
                "entity_handle": self._unit(),
                "apply_voice_ban_rules": False,
                "team_behavior": self._number(3),
            }
        elif turn < 34:
            kind, name, inside = "DESTROY", "destroy_particle", {"destroy_immediately": turn % 2 == 0}
        elif turn < 46:
            kind, name, inside = "RELEASE", "release_particle_index", {}
        elif turn < 70:
            kind, name = "UPDATE_ENT", "update_particle_ent"
            inside |= {
                "entity_handle": self._unit(),
                "attach_type": self._number(8),
                "attachment": self._number(200),
                "fallback_position": self._place(),
                "include_wearables": True,
            }
        else:
            inside |= {"position": self._place(), "interpolation_interval": self._random.random()}
            inside["orientation"] = {axis: self._random.random() for axis in "xyzw"}
        return {"type": types[f"GAME_PARTICLE_MANAGER_EVENT_{kind}"], "index": index, name: inside}

    def _sound(self) -> Fields:
        return {
            "soundevent_guid": self._number(1 << 20),
            "soundevent_hash": self._random.getrandbits(32),
            "source_entity_index": self._units[self._number(10)],
            "seed": self._number(1 << 12),
            "packed_params": self._noise(30 + self._number(44)),
            "start_time": self._random.uniform(0, 3000),
        }

    def _animation(self) -> Fields:
        random = self._random
        named = {"entity": self._unit(), "sequence_variant": self._number(40), "activity": 1500 + self._number(40)}
        return named | {
            "type": 1,
            "playbackrate": random.uniform(0.5, 2),
            "castpoint": random.random(),
            "lag_compensation_time": random.uniform(0, 3000),
        }

    def _projectile(self) -> Fields:
        return {
            "source": self._unit(),
            "target": self._unit(),
            "move_speed": 900 + self._number(600),
            "source_attachment": self._number(60),
            "particle_system_handle": self._random.getrandbits(63),
            "dodgeable": True,
            "is_attack": True,
            "expire_time": self._random.uniform(0, 3000),
            "maximpacttime": self._random.random(),
            "launch_tick": self._number(1 << 17),
            "handle": self._number(1 << 16),
            "original_move_speed": 900,
        }

    def _projectile_at(self) -> Fields:
        return {
            "source_loc": self._place(),
            "target": self._unit(),
            "move_speed": 1100,
            "particle_system_handle": self._random.getrandbits(63),
            "dodgeable": True,
            "target_loc": self._place(),
            "launch_tick": self._number(1 << 17),
            "handle": self._number(1 << 16),
        }

    def _linear(self) -> Fields:
        random = self._random
        return {
            "origin": self._place(),
            "velocity": {"x": random.uniform(-900, 900), "y": random.uniform(-900, 900)},
            "entindex": self._units[self._number(10)],
            "particle_index": random.getrandbits(63),
            "handle": self._number(1 << 16),
            "max_speed": 900.0,
            "fow_radius": 400.0,
            "distance": random.uniform(500, 1500),
        }

    def _effect(self) -> Fields:
        random = self._random
        data = {"origin": self._place(), "start": self._place(), "scale": random.uniform(0.5, 3), "flags": 1}
        more = {
            "magnitude": random.random(),
            "radius": random.uniform(1, 300),
            "effectindex": random.getrandbits(63),
        }
        turned = {"normal": self._place(), "angles": self._place(), "surfaceprop": random.getrandbits(32)}
        numbers = {
            "entity": self._unit(),
            "otherentity": self._unit(),
            "effectname": self._number(60),
            "color": 255,
        }
        return {"effectdata": data | more | turned | numbers | {"attachmentindex": 1, "attachmentname": 7}}

    def _unit_event(self) -> Fields:
        types = enumeration("EDotaEntityMessages")
        unit = self._units[self._number(10)]
        if self._number(3) == 0:
            speech = {
                "speech_concept": self._number(300),
                "response": f"soundevents/voscripts/game_sounds_vo_hero_{self._number(4000)}",
                "recipient_type": 0,
                "muteable": True,
                "flags": 4,
            }
            return {"msg_type": types["DOTA_UNIT_SPEECH"], "entity_index": unit, "speech": speech}
        gesture = {
            "activity": 1500 + self._number(60),
            "slot": self._number(6),
            "fade_in": self._random.random(),
            "fade_out": self._random.random(),
            "playback_rate": self._random.uniform(0.5, 2),
        }
        return {"msg_type": types["DOTA_UNIT_ADD_GESTURE"], "entity_index": unit, "add_gesture": gesture}

    def _order(self) -> Fields:
        player, types = self._number(10), enumeration("dotaunitorder_t")
        kind = ("MOVE_TO_POSITION", "ATTACK_TARGET", "CAST_POSITION", "ATTACK_MOVE")[self._number(4)]
        fields: Fields = {
            "entindex": _FIRST_PLAYER + player,
            "order_type": types[f"DOTA_UNIT_ORDER_{kind}"],
            "units": [self._units[player], *(2000 + self._number(400) for _ in range(self._number(8)))],
            "last_order_latency": self._number(200),
            "ping": self._number(200),
            "sequence_number": self._number(1 << 20),
            "queue": False,
        }
        if kind == "ATTACK_TARGET":
            return fields | {"target_index": self._units[self._number(10)]}
        return fields | {
            "position": self._place(),
            "ability_id": 5000 + self._number(100) if kind[0] == "C" else 0,
        }

    def _click(self) -> Fields:
        return {"entindex": _FIRST_PLAYER + self._number(10), "order_type": 1, "target_index": 0}

    def _overhead(self) -> Fields:
        target = self._units[self._number(10)]
        return {"message_type": "OVERHEAD_ALERT_GOLD", "value": self._number(300), "target_entindex": target}

    def _voice(self) -> Fields:
        audio = {
            "format": "VOICEDATA_FORMAT_OPUS",
            "voice_data": self._noise(90 + self._number(60)),
            "sample_rate": 24000,
            "sequence_bytes": self._number(1 << 20),
            "section_number": self._number(1 << 10),
            "num_packets": 1,
        }
        return {"xuid": steam_id(self._number(10)), "audio": audio}

    def _minimap(self) -> Fields:
        where = {"x": self._number(14000) - 7000, "y": self._number(14000) - 7000, "duration": 3}
        return {"event_type": 64, "entity_handle": self._unit(), **where}

    def _ping(self) -> Fields:
        where = {"x": self._number(14000) - 7000, "y": self._number(14000) - 7000, "target": -1, "type": 0}
        return {"player_id": self._number(10), "location_ping": where | {"direct_ping": False}}

    # -- the combat log ---------------------------------------------------------------------------------

    def _log_entry(self) -> Fields:
        """Return a frequent event that no table other than the log's contains."""
        random, turn = self._random, self._number(100)
        hero, other = self._number(10), self._number(10)
        creep = random.choice(_CREEPS)
        target: int | str = creep if random.random() < 0.7 else other
        places = {"location_x": random.uniform(-7000, 7000), "location_y": random.uniform(-7000, 7000)}
        seen: Fields = {
            "is_visible_radiant": True,
            "is_visible_dire": turn % 2 == 0,
        }
        seen |= {"at_night_time": turn % 3 == 0, "hidden_modifier": False, "event_location": self._number(30)}
        if turn < 48:
            value = {
                "value": 1 + self._number(200),
                "health": self._number(900),
                "damage_type": 1,
                "damage_category": 1,
            }
            attacker: int | str = hero if turn < 30 else random.choice(_CREEPS)
            entry = _entry("DAMAGE", attacker=attacker, target=target, **value)
        elif turn < 70:
            kind = "MODIFIER_ADD" if turn < 59 else "MODIFIER_REMOVE"
            entry = _entry(
                kind, attacker=hero, target=target, modifier_duration=random.uniform(0.5, 12), stack_count=1
            )
            entry["inflictor_name"] = LOG_NAMES.index(random.choice(_MODIFIERS))
        elif turn < 80:
            entry = _entry(
                "HEAL", attacker=hero, target=other, value=1 + self._number(90), health=self._number(2000)
            )
        elif turn < 88:
            entry = _entry("DEATH", attacker=hero, target=creep, value=0, last_hits=self._number(300))
        elif turn < 93:
            entry = _entry("GOLD", target=hero, value=20 + self._number(60), gold_reason=13)
        elif turn < 97:
            entry = _entry("XP", target=hero, value=20 + self._number(60), xp_reason=2)
        else:
            entry = _entry("ABILITY", attacker=hero, ability_level=1 + self._number(4))
            entry["inflictor_name"] = LOG_NAMES.index(random.choice(_ABILITIES))
        return entry | places | seen

    @staticmethod
    def _log_template(entry: Fields) -> LogTemplate:
        data = wire.encode(ENTRY_DEFINITION, entry | {"timestamp": _TIME, "timestamp_raw": _RAW_TIME})
        head, rest = data.split(struct.pack("<f", _TIME))
        return LogTemplate(entry, head, *rest.split(struct.pack("<f", _RAW_TIME)))


def _entry(kind: str, **fields: Any) -> Fields:
    """As `log_entry`, with names found only in this log."""
    more = {
        side: fields.pop(side) for side in ("attacker", "target") if fields.get(side) in LOG_NAMES[len(NAMES) :]
    }
    entry = log_entry(kind, **fields)
    for side, name in more.items():
        entry |= {f"{side}_name": LOG_NAMES.index(name), f"is_{side}_hero": False, f"is_{side}_illusion": False}
    return entry
