"""Tables ``bomb`` and ``flashes``."""

from __future__ import annotations

from types import MappingProxyType
from typing import ClassVar

from playhead.cs2.facts import PLACE, TABLES, TIME, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import PAWN, PLACE_FIELDS, STATE_FIELDS, place, player_state
from playhead.cs2.sources.people import Person, columns_of
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

_CARRIED, _PLANTED = "CC4", "CPlantedC4"
_OWNER, _ARMING = "m_hOwnerEntity", "m_bStartedArming"
_SITE, _DEFUSED_NOW, _DEFUSER = "m_nBombSite", "m_bBeingDefused", "m_hBombDefuser"
_DEFUSED, _EXPLODED = "m_bBombDefused", "m_bHasExploded"

BOMB = TableSchema.of(
    "bomb",
    "What happened to the bomb, from its entities (CC4, CPlantedC4), so events need not be recorded.",
    *TIME,
    word(
        "event",
        "picked_up, dropped, plant_started, plant_aborted, planted, defuse_started, defuse_aborted, defused, "
        "exploded.",
    ),
    *person(),
    word("bomb_site"),
    *PLACE,
)


class _Carried:
    """A bomb that is not planted: its carrier, and whether planting has begun."""

    def __init__(self) -> None:
        self.owner: Person | None = None
        self.arming = False


@TABLES.maker_of(BOMB)
class Bomb(Cs2Facts):
    """Table ``bomb``."""

    jobs: ClassVar = Jobs(extra=3)

    entities: ClassVar = True
    fields = MappingProxyType(
        {
            _CARRIED: (*PLACE_FIELDS, _OWNER, _ARMING),
            _PLANTED: (*PLACE_FIELDS, _SITE, _DEFUSED_NOW, _DEFUSER, _DEFUSED, _EXPLODED),
            PAWN: PLACE_FIELDS,
        }
    )

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._carried: dict[int, _Carried] = {}
        self._planter: Person | None = None
        self._state: dict[int, tuple[bool, bool, bool]] = {}
        self._defuser: Person | None = None
        playback.entities.on_entity(self._on_carried, _CARRIED)
        playback.entities.on_entity(self._on_planted, _PLANTED)

    def _add(self, event: str, who: Person | None, where: Entity | None, site: str | None = None) -> None:
        at = place(where)
        if None in at:
            at = place(self.match.people.pawn(who))
        row = {"tick": self._playback.tick, "event": event, **columns_of(who, ""), "bomb_site": site}
        self._rows.append(row | dict(zip("xyz", at, strict=True)))

    def _on_carried(self, bomb: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            # A planted bomb is another entity, which comes with or before the deletion of this one.
            gone = self._carried.pop(bomb.index, None)
            if gone is not None and gone.arming:
                self._planter = gone.owner
            return
        known = self._carried.get(bomb.index)
        if known is None or op & EntityOp.CREATED:
            known = self._carried[bomb.index] = _Carried()
        owner = self.match.people.of_pawn(bomb.get(_OWNER))
        pawn = self.match.people.pawn(owner)
        if owner is not known.owner:
            if known.owner is not None:
                self._add("dropped", known.owner, bomb)
            if owner is not None:
                self._add("picked_up", owner, pawn)
            known.owner = owner
        arming = bool(bomb.get(_ARMING))
        if arming != known.arming:
            known.arming = arming
            if arming:
                self._planter = owner
                self._add("plant_started", owner, pawn)
            elif not self._state:
                self._add("plant_aborted", owner, pawn)

    def _on_planted(self, bomb: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            self._state.pop(bomb.index, None)
            return
        number = bomb.get_int(_SITE)
        site = {0: "A", 1: "B"}.get(-1 if number is None else number)
        now = (bool(bomb.get(_DEFUSED_NOW)), bool(bomb.get(_DEFUSED)), bool(bomb.get(_EXPLODED)))
        before = self._state.get(bomb.index)
        self._state[bomb.index] = now
        if before is None or op & EntityOp.CREATED:
            self._add("planted", self._planter, bomb, site)
            before = (False, False, False)
        if now[0] and not before[0]:
            self._defuser = self.match.people.of_pawn(bomb.get(_DEFUSER))
            self._add("defuse_started", self._defuser, bomb, site)
        if now[1] and not before[1]:
            self._add("defused", self._defuser, bomb, site)
        elif before[0] and not now[0] and not now[1]:
            self._add("defuse_aborted", self._defuser, bomb, site)
        if now[2] and not before[2]:
            self._add("exploded", None, bomb, site)


_DURATION, _ALPHA = "m_flFlashDuration", "m_flFlashMaxAlpha"
_FLASHBANG, _THROWER, _BURST = "CFlashbangProjectile", "m_hThrower", "m_nExplodeEffectTickBegin"

FLASHES = TableSchema.of(
    "flashes",
    "One row for each blinded player: m_flFlashDuration of the pawn changed. The attacker threw the "
    "flashbang that burst in the same packet; null if several players' flashbangs did.",
    *TIME,
    *person("attacker_", state=True),
    *person("victim_", state=True),
    word("duration_seconds", "m_flFlashDuration."),
    Column("max_alpha", "float32", "How white the screen is, up to 255 (m_flFlashMaxAlpha)."),
)


@TABLES.maker_of(FLASHES)
class Flashes(Cs2Facts):
    """Table ``flashes``."""

    jobs: ClassVar = Jobs(extra=8)

    entities: ClassVar = True
    fields = MappingProxyType({PAWN: (*STATE_FIELDS, _DURATION, _ALPHA), _FLASHBANG: (_THROWER, _BURST)})

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._durations: dict[int, float] = {}
        #: Those whose flashbangs burst in this packet, and the pawns that it blinds.
        self._bursts: dict[int, Person] = {}
        self._blinded: list[Entity] = []
        self._throwers: dict[int, tuple[Person | None, bool]] = {}
        playback.entities.on_entity(FieldWatch((_DURATION,), self._on_pawn), PAWN)
        playback.entities.on_entity(self._on_flashbang, _FLASHBANG)
        playback.after_packet(self._after)

    def _on_flashbang(self, flashbang: Entity, op: EntityOp) -> None:
        thrower, burst = self._throwers.get(flashbang.index, (None, False))
        if op & EntityOp.DELETED:
            self._throwers.pop(flashbang.index, None)
            ends = True
        else:
            thrower = self.match.people.of_pawn(flashbang.get(_THROWER)) or thrower
            ends = (flashbang.get_int(_BURST) or 0) > 0
            self._throwers[flashbang.index] = (thrower, burst or ends)
        if ends and not burst and thrower is not None:
            self._bursts[thrower.player] = thrower

    def _on_pawn(self, pawn: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            self._durations.pop(pawn.index, None)
            return
        duration = pawn.get_float(_DURATION) or 0.0
        before = self._durations.get(pawn.index)
        self._durations[pawn.index] = duration
        if before is not None and duration != before and duration > 0.0:
            self._blinded.append(pawn)

    def _after(self, tick: int) -> None:
        if self._blinded:
            people = self.match.people
            thrower = next(iter(self._bursts.values())) if len(self._bursts) == 1 else None
            attacker = columns_of(thrower, "attacker_") | player_state(people.pawn(thrower), "attacker_")
            for pawn in self._blinded:
                row = {"tick": tick, **attacker, **columns_of(people.of_pawn(pawn.handle), "victim_")}
                row |= player_state(pawn, "victim_")
                row |= {"duration_seconds": pawn.get_float(_DURATION), "max_alpha": pawn.get_float(_ALPHA)}
                self._rows.append(row)
            self._blinded.clear()
        self._bursts.clear()
