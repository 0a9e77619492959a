"""Measures of real recordings, and estimates, for the synthetic match of real size.

*Measured* values were counted by ``tools/measure_traffic.py`` on two recordings: one of Dota 2's server TV
before the horn (build 9912), and one of Deadlock in the middle of a match, because no such Dota 2 recording was
available. *Estimated* values have no source: they fill the measured totals with typical Dota 2 content.
"""

from __future__ import annotations

from collections.abc import Mapping

from playhead.runtime.records import dataclass
from playhead.source2.schema.encoding import Kind

#: Measured, Dota 2: classes, and fields of all serializers.
CLASSES, SCHEMA_FIELDS = 1594, 104_558
#: Measured, Dota 2: entries of the string tables ModifierNames and ActiveModifiers.
MODIFIER_NAMES, ACTIVE_MODIFIERS = 3391, 355
#: Measured, Deadlock: string-table updates per packet.
STRING_TABLE_UPDATES = 0.42

#: Estimated: seconds before the horn, and the shares of the match before the horn and (of the rest) in lanes.
SECONDS_BEFORE_HORN, PART_BEFORE_HORN, PART_OF_LANES = 90.0, 0.15, 0.25
#: Estimated: activity in lanes, of a walking team, and in a fight; 1 is the traffic measured mid-game.
LANES, WALK, FIGHT = 0.25, 0.4, 1.0
#: Estimated: seconds between fights, and their duration.
FIGHT_EVERY, FIGHT_SECONDS = 60.0, 18.0


@dataclass(frozen=True)
class Phase:
    """Traffic of a phase of the match.

    Attributes:
        deltas: updates of entities per packet.
        messages: messages per packet besides those of the engine.
        sizes: numbers of fields of a delta, and their frequency.
        kinds: frequency of each encoding of a value.
    """

    deltas: float
    messages: float
    sizes: Mapping[int, float]
    kinds: Mapping[Kind, float]


#: Measured, Dota 2: deltas, 2.0 fields per delta (60 % have one), 45 % full floats, 27 % quantized. Here and
#: below, some numbers deviate from these: the story's own deltas have more fields and more quantized ones, so
#: that the sum matches.
BEFORE_HORN = Phase(
    deltas=33.4,
    messages=0.3,
    sizes={1: 80, 2: 11, 3: 4, 4: 2, 7: 1.5, 12: 0.5},
    kinds={
        Kind.FLOAT: 110,
        Kind.QUANTIZED: 8,
        Kind.SIGNED: 18,
        Kind.PITCH_YAW: 5,
        Kind.UNSIGNED: 3,
        Kind.TICKS: 1.5,
        Kind.BOOL: 0.5,
    },
)
#: Measured, Deadlock: deltas, messages, 5.5 fields per delta (26 % have one, 26 % four; ten per cent have twelve
#: or more, one per cent thirty), 22 % quantized. The other encodings are between Deadlock's and Dota 2's.
MID_GAME = Phase(
    deltas=84.5,
    messages=59.0,
    sizes={
        1: 31, 2: 9, 3: 9, 4: 26, 5: 4, 6: 4, 7: 3, 8: 3, 9: 2, 10: 2, 12: 4, 14: 2, 18: 2, 24: 2,
        30: 1.6, 60: 0.3, 110: 0.1,
    },
    kinds={
        Kind.FLOAT: 42,
        Kind.QUANTIZED: 14,
        Kind.TICKS: 12,
        Kind.UNSIGNED: 13,
        Kind.SIGNED: 9,
        Kind.ANGLES_PRECISE: 8,
        Kind.PITCH_YAW: 4,
        Kind.BOOL: 2,
    },
)  # fmt: skip

#: Estimated: shares of the kinds of messages besides the combat log (below). Measured are their total, and 10
#: particles and 6 sounds per packet of Deadlock. In a fight they make up three fifths of the bytes here, two
#: thirds in Deadlock: half of its bytes are players' commands, which Dota's recording lacks.
MESSAGES: Mapping[str, float] = {
    "CUserMsg_ParticleManager": 28,
    "CMsgSosStartSoundEvent": 18,
    "CMsgSosStopSoundEvent": 1,
    "CMsgSosSetSoundEventParams": 2,
    "CDOTAUserMsg_TE_UnitAnimation": 6,
    "CDOTAUserMsg_TE_UnitAnimationEnd": 2,
    "CDOTAUserMsg_TE_Projectile": 10,
    "CDOTAUserMsg_TE_ProjectileLoc": 2,
    "CDOTAUserMsg_CreateLinearProjectile": 1,
    "CDOTAUserMsg_DestroyLinearProjectile": 1,
    "CMsgTEEffectDispatch": 7,
    "CDOTAUserMsg_UnitEvent": 9,
    "CDOTAUserMsg_SpectatorPlayerUnitOrders": 7,
    "CDOTAUserMsg_SpectatorPlayerClick": 1,
    "CDOTAUserMsg_OverheadEvent": 1,
    "CDOTAUserMsg_MinimapEvent": 0.8,
    "CDOTAUserMsg_LocationPing": 0.1,
    "CDOTAUserMsg_MapLine": 0.1,
    "CSVCMsg_VoiceData": 3,
}
#: Estimated: share of combat-log entries in the messages of a packet.
COMBAT_LOG = 0.2
#: Estimated: what a minute from the horn on adds to fields of a player's row in the data of the team.
A_MINUTE: Mapping[str, float] = {
    "m_iDenyCount": 1,
    "m_iReliableGold": 40,
    "m_iHeroDamage": 700,
    "m_iTowerDamage": 110,
    "m_fHealing": 90,
    "m_fStuns": 1.5,
    "m_iNeutralKillGold": 60,
    "m_iBuildingGold": 35,
    "m_iRoshanGold": 12,
    "m_iBountyGold": 25,
    "m_iWardKillGold": 6,
    "m_iCourierGold": 3,
    "m_iAbilityGold": 8,
    "m_iComebackGold": 14,
    "m_iCreepDenyGold": 4,
    "m_iOtherGold": 2,
    "m_iSharedGold": 5,
    "m_iGoldSpentOnItems": 380,
    "m_iGoldSpentOnConsumables": 25,
    "m_iGoldSpentOnSupport": 15,
    "m_iGoldSpentOnBuybacks": 20,
}
#: Estimated: lead of net worth that makes a win certain.
CERTAIN_LEAD = 40_000
#: Estimated: mean seconds between lines of chat.
CHAT_EVERY = 20.0


@dataclass(frozen=True)
class Course:
    """The traffic over a match of that many minutes."""

    minutes: float

    @property
    def horn(self) -> float:
        """Seconds from the beginning to the horn."""
        return min(SECONDS_BEFORE_HORN, self.minutes * 60 * PART_BEFORE_HORN)

    def activity(self, seconds: float) -> float:
        """Return the activity at that time; 0 before the horn, 1 for the traffic measured mid-game."""
        if seconds < self.horn:
            return 0.0
        if seconds < self.horn + PART_OF_LANES * (self.minutes * 60 - self.horn):
            return LANES
        return FIGHT if seconds % FIGHT_EVERY > FIGHT_EVERY - FIGHT_SECONDS else WALK
