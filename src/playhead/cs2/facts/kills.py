"""Table ``kills``."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from playhead.cs2.facts import ROUND, TABLES, WEAPON, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import LIFE_STATE, PAWN, STATE_FIELDS, is_alive, pawn_of_key
from playhead.cs2.sources.people import Person, fighters_of
from playhead.cs2.sources.rounds import Round
from playhead.cs2.sources.words import HIT_GROUPS, slot_of, weapon_word, word_of
from playhead.runtime.typing import TYPE_CHECKING, Any, ClassVar
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

if TYPE_CHECKING:
    from playhead.source2.messages.game_events import GameEvent

#: A kill is a trade if it avenges a teammate's death of at most so many seconds ago.
TRADE_SECONDS = 5.25

_FLAGS = {
    "headshot": ("headshot", "A shot in the head killed."),
    "assistedflash": ("assist_flash", "The assister's flash blinded the victim."),
    "noscope": ("noscope", "A sniper rifle without its scope."),
    "thrusmoke": ("thrusmoke", "Through smoke."),
    "attackerblind": ("attackerblind", "The attacker was blinded."),
    "attackerinair": ("attackerinair", "The attacker was in the air."),
}
_NUMBERS = {
    **{name: name for name in ("dominated", "revenge", "penetrated")},
    "damage_reported": "dmg_health",
    "armor_damage": "dmg_armor",
}
_FLASH, _FLAGS_OF_BODY, _ON_GROUND = "m_flFlashDuration", "m_fFlags", 1
_ROLES = (("attacker_", "attacker"), ("victim_", "userid"), ("assister_", "assister"))
_BOTH = tuple(f"{role}_{what}" for role in ("attacker", "victim") for what in ("player", "side"))

KILLS = TableSchema.of(
    "kills",
    "One row for each death of a player: event player_death, with the state after its packet. Its row of `rounds` "
    "has the same `round_num` and `counts`.",
    *words("tick seconds"),
    word("game_seconds", "It counts down in each round: sort by `tick`."),
    *ROUND,
    word(
        "known_by",
        "event (player_death); state: the player's pawn died (m_lifeState, m_iHealth) without that event. The "
        "attacker is then that of player_hurt in this packet, or unknown.",
    ),
    *(column for role, _ in _ROLES for column in person(role, state=True)),
    word("assister_players", "One at most."),
    *(word(f"{role}controls_bot") for role, _ in _ROLES),
    WEAPON,
    *(Column(name, "bool", doc) for name, doc in _FLAGS.values()),
    Column("victim_blind", "bool", "A flash blinded the victim (m_flFlashDuration has not passed yet)."),
    Column("victim_in_air", "bool", "The victim was not on the ground before the packet of its death (m_fFlags)."),
    Column("dominated", "int32", "1 if the attacker dominates the victim from now on, as reported by the event."),
    Column("revenge", "int32", "1 if the victim dominated the attacker, as reported by the event."),
    Column("penetrated", "int32", "Objects that the bullet went through."),
    Column("distance_metres", "float32", "Distance as reported by the event.", "m"),
    *words("damage_reported armor_damage hitgroup hitgroup_id"),
    Column(
        "is_trade", "bool", "It avenges a teammate whom the victim killed at most 5.25 s before, in that round."
    ),
    Column(
        "victim_traded",
        "bool",
        "A teammate of the victim avenged this death within 5.25 s, in that round. A kill avenges one death, "
        "the earliest, as awpy counts.",
    ),
    Column("is_teamkill", "bool", "Attacker and victim are different players of one side; null if unknown."),
    Column("is_suicide", "bool", "The victim killed itself, or nobody did (a fall, the bomb); null if unknown."),
)


class _Condition:
    """Flash and flags of a pawn, and those before the latest packet that changed them."""

    def __init__(self, tick: int, length: float, blind_until: float, flags: int | None) -> None:
        self.tick = tick
        self.length = length
        self.blind_until = blind_until
        self.flags = flags
        self.before: tuple[float, int | None] | None = None


@TABLES.maker_of(KILLS)
class Cs2Kills(Cs2Facts):
    jobs: ClassVar = Jobs(11, extra=22)
    fields = MappingProxyType({PAWN: (*STATE_FIELDS, _FLASH, _FLAGS_OF_BODY)})

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._bodies: dict[int, _Condition] = {}
        #: Whether each pawn lives; of its life, whether an event told the end, and the row without one; the pawns
        #: whose life ended in this packet.
        self._alive: dict[int, bool | None] = {}
        self._told: set[int] = set()
        self._untold: dict[int, dict[str, Any]] = {}
        self._fallen: list[Entity] = []
        # One watch, without health, which changes with every hit and is 0 where m_lifeState says dead.
        playback.entities.on_entity(FieldWatch((_FLASH, _FLAGS_OF_BODY, LIFE_STATE), self._on_pawn), PAWN)
        self._events = self.match.events(playback)
        self._events.on("player_death", self._on_death)
        self._events.keep("player_hurt", self._after)  # decoded for a death without an event alone

    def _on_pawn(self, pawn: Entity, op: EntityOp) -> None:
        self._on_life(pawn, op)
        self._on_body(pawn, op)

    def _on_body(self, pawn: Entity, op: EntityOp) -> None:
        tick, length = self._playback.tick, pawn.get_float(_FLASH) or 0.0
        body = self._bodies.get(pawn.index)
        if body is None or op & (EntityOp.CREATED | EntityOp.DELETED):
            # The start of an earlier flash is unknown.
            self._bodies[pawn.index] = _Condition(tick, length, 0.0, pawn.get_int(_FLAGS_OF_BODY))
            return
        if body.tick != tick:
            body.before = body.blind_until, body.flags
        if body.length != length:
            body.blind_until = tick + length * (self.match.ticks_per_second or 0.0) if length else 0.0
        body.tick, body.length, body.flags = tick, length, pawn.get_int(_FLAGS_OF_BODY)

    def _victim(self, pawn: Entity | None, tick: int) -> dict[str, bool | None]:
        """Return whether the one who died was blinded and in the air: a death may change both."""
        body = None if pawn is None else self._bodies.get(pawn.index)
        if body is None:
            return {"victim_blind": None, "victim_in_air": None}
        until, flags = body.blind_until, body.flags
        if body.tick == tick and body.before is not None:
            until, flags = max(until, body.before[0]), body.before[1]
        return {
            "victim_blind": tick < until,
            "victim_in_air": None if flags is None else not flags & _ON_GROUND,
        }

    # -- lives ------------------------------------------------------------------------------------------

    def _on_life(self, pawn: Entity, op: EntityOp) -> None:
        index = pawn.index
        alive = None if op & EntityOp.DELETED else is_alive(pawn)
        before = None if op & EntityOp.CREATED else self._alive.get(index)
        self._alive[index] = alive
        if before and alive is False:
            if not self._fallen:
                self._events.afterwards(self._after)
            self._fallen.append(pawn)
        elif not before and alive is not False:  # another life
            self._told.discard(index)
            self._untold.pop(index, None)

    def _body(self, event: Mapping[str, Any]) -> Entity | None:
        """Return the pawn that an event is about: ``userid_pawn``, or that of the player."""
        index, people = pawn_of_key(event.get("userid_pawn")), self.match.people
        named = None if index is None else self._playback.entities.find(index)
        return named or people.pawn(people.in_slot(event.get("userid")))

    def _after(self, tick: int, events: Sequence[GameEvent]) -> None:
        """Add the rows of deaths without an event in a packet."""
        for pawn in self._fallen:
            victim = self.match.people.of_pawn(pawn.handle)
            if pawn.index in self._told or victim is None or victim.side is None:
                continue
            hits = (each.fields for each in events if each.name == "player_hurt")
            fatal = (each for each in hits if each.get("health") == 0 and self._body(each) is pawn)
            row = self._untold[pawn.index] = self._row(tick, next(fatal, {"userid": victim.slot}), "state")
            self._rows.append(row)
        self._fallen.clear()

    def _on_death(self, tick: int, event: Mapping[str, Any]) -> None:
        pawn = self._body(event)
        if pawn is not None:
            self._told.add(pawn.index)
            late = self._untold.pop(pawn.index, None)
            if late is not None:
                late.clear()  # a search of its place would cost as much as all rows
        self._rows.append(self._row(tick, event, "event"))

    def _row(self, tick: int, event: Mapping[str, Any], known_by: str) -> dict[str, Any]:
        people = self.match.people
        row: dict[str, Any] = {"tick": tick, "known_by": known_by, **fighters_of(people, event, _ROLES)}
        attacker, victim = people.in_slot(event.get("attacker")), people.in_slot(event.get("userid"))
        row |= {name: event.get(key) for key, (name, _) in _FLAGS.items()}
        for role, key in _ROLES:
            known = people.in_slot(event.get(key))
            row[f"{role}controls_bot"] = None if known is None else known.controls_bot
        row |= self._victim(people.pawn(victim), tick)
        row |= {name: event.get(key) for name, key in _NUMBERS.items()}
        row |= {
            "assister_players": [row["assister_player"]] if row["assister_player"] is not None else [],
            "distance_metres": event.get("distance"),
            "weapon": weapon_word(event.get("weapon")),
            "hitgroup": word_of(HIT_GROUPS, event.get("hitgroup"), "group"),
            "hitgroup_id": event.get("hitgroup"),
            "is_suicide": _is_suicide(event, attacker, victim),
        }
        sure = None not in [row[name] for name in _BOTH]
        same = row["attacker_side"] == row["victim_side"] if sure else None
        row["is_teamkill"] = False if row["is_suicide"] else same
        return row

    def rows(self) -> list[dict[str, Any]]:
        self._rows = sorted(filter(None, self._rows), key=lambda row: row["tick"])  # an event may come late
        rounds = [self.match.round_at(row["tick"]) for row in self._rows]
        mark_trades(self._rows, rounds, TRADE_SECONDS * (self.match.ticks_per_second or 0.0))
        return self._rows


def _is_suicide(event: Mapping[str, Any], attacker: Person | None, victim: Person | None) -> bool | None:
    """Return whether a victim killed itself or nobody did; None if the event does not name the attacker."""
    if not isinstance(event.get("attacker"), int):
        return None
    slot = slot_of(event["attacker"])
    return slot is None or slot == slot_of(event.get("userid")) or (attacker is victim and victim is not None)


def mark_trades(rows: list[dict[str, Any]], rounds: list[Round | None], within: float) -> None:
    """Set ``is_trade`` and ``victim_traded`` of kills, in order; None where the players or the round are unknown.
    A revenge comes at most `within` ticks after a death."""
    # Places of deaths by side of the victim and player of the attacker, the earliest first.
    deaths: defaultdict[tuple[Any, Any], deque[int]] = defaultdict(deque)
    first = 0  # of those in the round and in time
    for i, avenger in enumerate(rows):
        if i and rounds[i - 1] is not rounds[i]:
            first = i
        while avenger["tick"] - rows[first]["tick"] > within:
            first += 1
        known = avenger["is_suicide"] or (avenger["is_teamkill"] is not None and rounds[i] is not None)
        avenger["is_trade"] = avenger["victim_traded"] = False if known else None
        of_mates = deaths[avenger["attacker_side"], avenger["victim_player"]]
        while of_mates and of_mates[0] < first:
            of_mates.popleft()
        if known and not avenger["is_suicide"] and not avenger["is_teamkill"] and of_mates:
            avenger["is_trade"] = rows[of_mates[0]]["victim_traded"] = True
        deaths[avenger["victim_side"], avenger["attacker_player"]].append(i)
