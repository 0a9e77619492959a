"""Table ``kills``: deaths of heroes, from the message HeroKilled, the game event player_death, or the state."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import INDEX, POSITION_FIELDS, index_of, names_of, number, real, value
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import CONTROLLER, PAWN, DeadlockPerson, person_columns, person_row
from playhead.errors import CorruptReplay
from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any, ClassVar
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.messages.game_events import GameEvent
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

# Largest distance, in seconds, between message, event and streak of one death, and up to the known respawn.
_NEAR = 1.0
#: Value of an assisting controller's slot in a game event for nobody.
_NOBODY = 0xFFFF
_ASSISTERS = tuple(f"assister{number}controller" for number in range(1, 6))

KILLS = TableSchema.of(
    "kills",
    "One row for each death of a hero: the message HeroKilled, the game event player_death, or both. Some "
    "recordings have only one of them. A death without either is a row too: the body's life ends, and m_iDeaths "
    "rises within a second if the recording has it.",
    *words("tick! seconds game_seconds"),
    *person_columns("victim_"),
    *person_columns("attacker_"),
    *words("attacker_entity attacker_entity_class assister_players"),
    word("ability", "killer_ability_id of the message."),
    *words("ability_id"),
    word("known_by", "message, event, both, or state (from the entities alone: the attacker is unknown)."),
    Column(
        "seen_dead",
        "bool",
        "The state shows the death within a second: no health or life of the body, or m_bAlive false. An "
        "event of a real broadcast names a victim that lives on.",
    ),
    word("respawn_seconds", "From m_flRespawnTime of the victim's controller or body, if sent within a second."),
    Column("streak", "int32", "Kills of the attacker without dying: KillStreak near the death; null without."),
    word("first_blood", "first_blood of the message, or is_first_blood of KillStreak."),
    *words("victim_x victim_y victim_z attacker_x attacker_y attacker_z"),
)


class KillLog:
    """The deaths so far, which several tables read.

    Attributes:
        rows: those of table ``kills``.
        assisters: the rows of the assisters of each death.
    """

    fields: Mapping[str, Sequence[str]] = {
        PAWN: (*POSITION_FIELDS, "m_flRespawnTime", "m_iHealth", "m_lifeState"),
        CONTROLLER: names_of(("m_flRespawnTime", "m_bAlive", "m_iDeaths")),
    }

    def __init__(self, match: DeadlockMatch) -> None:
        self.match = match
        self.rows: list[dict[str, Any]] = []
        self.assisters: list[list[dict[str, Any]]] = []
        self._victims: list[int | None] = []
        self._streaks: list[dict[str, Any]] = []
        self._pending: list[tuple[dict[str, Any], int | None]] = []
        self._near = round(_NEAR * match.clock.rate)
        # By index of the controller: whether its body lives, and ticks at which m_iDeaths rose.
        self._alive: dict[int, bool] = {}
        self._rises: dict[int, list[int]] = {}
        self._deaths: dict[int, int] = {}
        self._ended: list[tuple[dict[str, Any], int]] = []  # rows of lives that ended, and controllers

    def attach(self, playback: Playback) -> None:
        """Follow a playback."""
        self.match.on_fields(playback, "k_EUserMsg_HeroKilled", self._on_killed)
        self.match.on_fields(playback, "k_EUserMsg_KillStreak", self._on_streak)
        playback.on_game_event(self._on_event)
        for name, fields in self.fields.items():
            watched = tuple(field for field in fields if field not in POSITION_FIELDS)
            self.match.watch(watched, self._on_state, name)

    def _on_killed(self, tick: int, fields: Mapping[Any, Any]) -> None:
        get = fields.get
        helpers = [self.match.people.at(index) for index in get("entindex_assisters", ())]
        self._add(
            tick,
            "message",
            victim=get("entindex_victim"),
            attacker=get("entindex_scorer") if self._is_hero(get("entindex_scorer")) else get("entindex_attacker"),
            assists=[each for each in helpers if each is not None],
            ability_id=get("killer_ability_id") or None,
            first_blood=bool(get("first_blood", False)),
        )

    def _is_hero(self, index: int | None) -> bool:
        return self.match.people.at(index) is not None

    def _on_event(self, event: GameEvent) -> None:
        if event.name != "player_death":
            return
        get = event.fields.get
        helpers = [self.match.people.slot(get(name)) for name in _ASSISTERS if get(name) not in (None, _NOBODY)]
        slot = get("userid")
        victim = index_of(get("userid_pawn"))
        if victim is None and isinstance(slot, int):
            victim = slot + 1
        attacker = index_of(get("attacker_pawn"))
        self._add(
            event.tick,
            "event",
            victim=victim,
            attacker=attacker,
            assists=[each for each in helpers if each is not None],
        )

    def _add(
        self,
        tick: int,
        source: str,
        victim: int | None,
        attacker: int | None,
        assists: list[DeadlockPerson],
        **more: Any,
    ) -> None:
        people = self.match.people
        for at in reversed(range(len(self.rows))):
            row = self.rows[at]
            if tick - row["tick"] > self._near:
                break
            if self._victims[at] == victim is not None and row["known_by"] not in (source, "both"):
                row["known_by"] = "both"
                row.update({name: found for name, found in more.items() if row.get(name) is None})
                if not row["assister_players"]:
                    row["assister_players"] = [each.player for each in assists]
                    self.assisters[at] = [person_row(each) for each in assists]
                return
        entity = people.entity(attacker)
        row = {
            "tick": tick,
            **person_row(people.at(victim), "victim_"),
            **person_row(people.at(attacker), "attacker_"),
            "attacker_entity": None if attacker is None or attacker < 0 else attacker & INDEX,
            "attacker_entity_class": None if entity is None else entity.class_name,
            "assister_players": [each.player for each in assists],
            "known_by": source,
            "seen_dead": False,
            **self.match.place_row(people.body(victim), "victim_"),
            **self.match.place_row(people.body(attacker), "attacker_"),
            **more,
        }
        self.rows.append(row)
        self._victims.append(victim)
        self.assisters.append([person_row(each) for each in assists])
        self._pending.append((row, victim))
        self._look_at(row, victim)

    def _on_streak(self, tick: int, fields: Mapping[Any, Any]) -> None:
        person = self.match.people.at(index_of(fields.get("player_pawn")))
        if person is not None:
            get = fields.get
            streak = {name: get(name) for name in ("num_kills", "is_first_blood", "streak_ended")}
            self._streaks.append({"tick": tick, "player": person.player, **streak})

    def _on_state(self, entity: Entity, _op: EntityOp) -> None:
        """Note a life that ends; read when the victims of recent deaths return."""
        tick = self.match.tick
        controller = self.match.people.controller(entity.index)
        if controller is not None:
            self._follow(controller, tick)
        self._pending = [entry for entry in self._pending if tick - entry[0]["tick"] <= self._near]
        for row, victim in self._pending:
            self._look_at(row, victim)

    def _follow(self, controller: Entity, tick: int) -> None:
        index, pawn = controller.index, self.match.people.pawn(controller)
        deaths = number(controller, "m_iDeaths")
        if deaths is not None:
            if deaths > self._deaths.get(index, deaths):
                self._rises.setdefault(index, []).append(tick)
            self._deaths[index] = deaths
        if not _is_dead(controller, pawn):
            self._alive[index] = pawn is not None
        elif self._alive.pop(index, False):
            victim = person_row(self.match.people.person(controller), "victim_")
            place = self.match.place_row(pawn, "victim_")
            row = {"tick": tick, **victim, **place, "known_by": "state", "seen_dead": False}
            self._ended.append((row, index))
            self._pending.append((row, index))
            self._look_at(row, index)

    def _look_at(self, row: dict[str, Any], victim: int | None) -> None:
        controller, pawn = self.match.people.controller(victim), self.match.people.body(victim)
        back = real(controller, "m_flRespawnTime") or real(pawn, "m_flRespawnTime")
        died = (row["tick"] + self.match.server_tick_offset) / self.match.clock.rate
        if "respawn_seconds" not in row and back is not None and back > died:
            row["respawn_seconds"] = back - died
        if _is_dead(controller, pawn):
            row["seen_dead"] = True

    def finish(self) -> None:
        """Add the deaths that only the state has, and fill the streaks of the attackers, after the playback."""
        ended, self._ended = self._ended, []
        has_reports = bool(self.rows)
        for row, index in ended:
            tick, victim = row["tick"], row["victim_player"]
            near = (each for each in self.rows if abs(each["tick"] - tick) <= self._near)
            # A row without a known victim may be of this death.
            if any(each.get("victim_player") in (victim, None) for each in near):
                continue
            if index in self._deaths and all(abs(rise - tick) > self._near for rise in self._rises.get(index, ())):
                continue
            at = bisect_right(self.rows, tick, key=lambda each: int(each["tick"]))
            self.rows.insert(at, row)
            self.assisters.insert(at, [])
            if has_reports:
                error = CorruptReplay(f"a life of {row['victim_hero']} ends without HeroKilled or player_death")
                self.match.problem(error, tick, "the attacker: table kills has the death, known by the state")
        for streak in self._streaks:
            for row in self.rows:
                near = abs(streak["tick"] - row["tick"]) <= self._near
                if near and streak["player"] == row.get("attacker_player") and not streak["streak_ended"]:
                    row["streak"] = streak["num_kills"]
                    row["first_blood"] = row.get("first_blood") or bool(streak["is_first_blood"])


def _is_dead(controller: Entity | None, pawn: Entity | None) -> bool:
    alive = value(controller, "m_bAlive") is not False
    return not alive or bool(number(pawn, "m_lifeState")) or number(pawn, "m_iHealth") == 0


@TABLES.maker_of(KILLS)
class DeadlockKills(DeadlockFacts):
    """Table ``kills``."""

    jobs: ClassVar = Jobs(5, extra=15)
    fields = KillLog.fields

    def attach(self, playback: Playback) -> None:
        self._log = self.match.shared(KillLog, playback)

    def tables(self) -> Mapping[str, pa.Table]:
        self._log.finish()
        self.rows[KILLS.name] = self._log.rows
        return super().tables()
