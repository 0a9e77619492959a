"""What real recordings are made of, and what of it is estimated; the synthetic match of real size follows it.

*Measured* was counted by ``tools/measure_traffic.py`` on two recordings: one of Dota 2's server TV before the horn
(build 9912), and one of Deadlock's in the middle of a match, for Dota 2 at that time was not at hand. *Estimated*
is everything that has no such source: it fills the measured totals with what a Dota 2 match has.
"""

from __future__ import annotations

from collections.abc import Mapping

from playhead.runtime.records import dataclass
from playhead.source2.schema.encoding import Kind

#: Measured, Dota 2: classes, and fields of all serializers.
CLASSES, SCHEMA_FIELDS = 1594, 104_558
#: Measured, Dota 2: entries of the string tables ModifierNames and ActiveModifiers.
MODIFIER_NAMES, ACTIVE_MODIFIERS = 3391, 355
#: Measured, Deadlock: string-table updates in a packet.
STRING_TABLE_UPDATES = 0.42

#: Estimated: how long the game waits for the horn, and the part of the time behind it in which the lanes are held.
SECONDS_BEFORE_HORN, PART_BEFORE_HORN, PART_OF_LANES = 90.0, 0.15, 0.25
#: Estimated: how busy the lanes are, a team that walks, and a fight; 1 is the traffic that was measured mid-game.
LANES, WALK, FIGHT = 0.25, 0.4, 1.0
#: Estimated: seconds from fight to fight, and how long one is.
FIGHT_EVERY, FIGHT_SECONDS = 60.0, 18.0


@dataclass(frozen=True)
class Phase:
    """Traffic of a time of the match.

    Attributes:
        deltas: updates of entities in a packet.
        messages: messages in a packet besides those of the engine.
        sizes: of how many fields a delta is, and how often.
        kinds: how often a value has which form.
    """

    deltas: float
    messages: float
    sizes: Mapping[int, float]
    kinds: Mapping[Kind, float]


#: Measured, Dota 2: deltas, 2.0 fields a delta (60 % have one), 45 % floats sent whole, 27 % quantized. Here and
#: below some numbers are off those: the story's own deltas have more fields and more quantized ones; the sum fits.
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
#: Measured, Deadlock: deltas, messages, 5.5 fields a delta (26 % have one, 26 % four; of a hundred ten have
#: twelve or more, one has thirty), 22 % quantized. Forms of the others lie between Deadlock's and Dota 2's.
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

#: Estimated: of messages besides the combat log (below), how many are of each kind. Measured are the total that
#: they fill, and 10 particles and 6 sounds in a packet of Deadlock. They have three fifths of the bytes in a fight
#: here, two thirds in Deadlock: half of its bytes are players' commands, which Dota's recording at hand lacks.
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
#: Estimated: of the messages of a packet, which part are entries of the combat log.
COMBAT_LOG = 0.2
#: Estimated: seconds from one line of chat to the next, on average.
CHAT_EVERY = 20.0


@dataclass(frozen=True)
class Course:
    """How the traffic goes through a match of that many minutes."""

    minutes: float

    @property
    def horn(self) -> float:
        """Seconds from the beginning to the horn."""
        return min(SECONDS_BEFORE_HORN, self.minutes * 60 * PART_BEFORE_HORN)

    def activity(self, seconds: float) -> float:
        """How busy the match is at that time; 0 before the horn, 1 as was measured mid-game."""
        if seconds < self.horn:
            return 0.0
        if seconds < self.horn + PART_OF_LANES * (self.minutes * 60 - self.horn):
            return LANES
        return FIGHT if seconds % FIGHT_EVERY > FIGHT_EVERY - FIGHT_SECONDS else WALK
