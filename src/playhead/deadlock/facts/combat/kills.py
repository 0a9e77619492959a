"""Table ``kills``: deaths of heroes, from the message HeroKilled, the game event player_death, or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import PLACE, TIME, name_columns, person_columns, person_row
from playhead.deadlock.sources.entities import INDEX, POSITION_FIELDS, index_of, names_of, number, real, value
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import CONTROLLER, PAWN, DeadlockPerson
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.messages.game_events import GameEvent
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

# Largest distance, in seconds, between message, event and streak of one death, and up to the known respawn.
_NEAR = 1.0
#: Value of an assisting controller's slot in a game event for nobody.
_NOBODY = 0xFFFF
_ASSISTERS = tuple(f"assister{number}controller" for number in range(1, 6))

#: Keys of rows that are no columns.
_INNER = ("victim", "assist_people")

KILLS = TableSchema.of(
    "kills",
    "One row for each death of a hero: the message HeroKilled, the game event player_death, or both. Some "
    "recordings have only one of them.",
    *TIME,
    *person_columns("victim_", "the victim"),
    *person_columns("attacker_", "the killer"),
    Column("attacker_entity", "int32", "Index of the killer's entity; it may be no hero."),
    Column("attacker_class", "category", "Class of that entity; null if it is gone."),
    Column("assist_players", "list<int32>", "Numbers of the assisting players."),
    *name_columns("ability", "the killing ability (killer_ability_id of the message)"),
    Column("source", "category", "message, event or both."),
    Column(
        "seen_dead",
        "bool",
        "The state shows the death within a second: no health or life of the body, or m_bAlive false. An "
        "event of a real broadcast names a victim that lives on.",
    ),
    Column(
        "respawn_seconds",
        "float64",
        "From the death to m_flRespawnTime of the victim's controller or body, if sent within a second.",
        "s",
    ),
    Column("streak", "int32", "Kills of the killer without dying: KillStreak near the death; null without."),
    Column("first_blood", "bool", "first_blood of the message, or is_first_blood of KillStreak."),
    *PLACE,
)


@TABLES.maker_of(KILLS)
class DeadlockKills(DeadlockFacts):
    """Table ``kills``.

    Attributes:
        rows: the deaths so far.
    """

    work = 5
    fields: Mapping[str, Sequence[str]] = {
        PAWN: (*POSITION_FIELDS, "m_flRespawnTime", "m_iHealth", "m_lifeState"),
        CONTROLLER: names_of(("m_flRespawnTime", "m_bAlive")),
    }

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self.rows: list[dict[str, Any]] = []
        self._streaks: list[dict[str, Any]] = []
        self._pending: list[dict[str, Any]] = []
        self._near = round(_NEAR * match.clock.rate)

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, "k_EUserMsg_HeroKilled", self._on_killed)
        self.match.on_fields(playback, "k_EUserMsg_KillStreak", self._on_streak)
        playback.on_game_event(self._on_event)
        self._playback = playback
        for name, fields in self.fields.items():
            watched = tuple(field for field in fields if field not in POSITION_FIELDS)
            playback.entities.on_entity(FieldWatch(watched, self._on_state), name)

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
        person = people.at(victim)
        for row in reversed(self.rows):
            if tick - row["tick"] > self._near:
                break
            if row["victim"] == victim and row["source"] not in (source, "both"):
                row["source"] = "both"
                row.update({name: found for name, found in more.items() if row.get(name) is None})
                if not row["assist_players"]:
                    row |= _helpers(assists)
                return
        controller = people.controller(victim)
        pawn = None if controller is None else people.pawn(controller)
        place = self.match.grid.place(pawn)
        entity = people.entity(attacker)
        row = {
            "tick": tick,
            "victim": victim,
            **person_row(person, "victim_"),
            **person_row(people.at(attacker), "attacker_"),
            "attacker_entity": None if attacker is None or attacker < 0 else attacker & INDEX,
            "attacker_class": None if entity is None else entity.class_name,
            **_helpers(assists),
            "source": source,
            "seen_dead": False,
            **dict(zip("xyz", place, strict=True)),
            **more,
        }
        self.rows.append(row)
        self._pending.append(row)
        self._look_at(row)

    def _on_streak(self, tick: int, fields: Mapping[Any, Any]) -> None:
        person = self.match.people.at(index_of(fields.get("player_pawn")))
        if person is not None:
            get = fields.get
            streak = {name: get(name) for name in ("num_kills", "is_first_blood", "streak_ended")}
            self._streaks.append({"tick": tick, "player": person.player, **streak})

    def _on_state(self, _entity: Entity, _op: EntityOp) -> None:
        """Read when the victims of recent deaths return."""
        tick = self._playback.tick
        self._pending = [row for row in self._pending if tick - row["tick"] <= self._near]
        for row in self._pending:
            self._look_at(row)

    def _look_at(self, row: dict[str, Any]) -> None:
        controller = self.match.people.controller(row["victim"])
        pawn = None if controller is None else self.match.people.pawn(controller)
        back = real(controller, "m_flRespawnTime") or real(pawn, "m_flRespawnTime")
        died = (row["tick"] + self.match.server_tick_offset) / self.match.clock.rate
        if "respawn_seconds" not in row and back is not None and back > died:
            row["respawn_seconds"] = back - died
        alive = value(controller, "m_bAlive") is not False
        if not alive or number(pawn, "m_lifeState") or number(pawn, "m_iHealth") == 0:
            row["seen_dead"] = True

    def tables(self) -> Mapping[str, pa.Table]:
        for row in self.rows:
            row["ability"] = self.match.names.name(row.get("ability_id"))
            for streak in self._streaks:
                near = abs(streak["tick"] - row["tick"]) <= self._near
                if near and streak["player"] == row.get("attacker_player") and not streak["streak_ended"]:
                    row["streak"] = streak["num_kills"]
                    row["first_blood"] = row.get("first_blood") or bool(streak["is_first_blood"])
        kept = [{name: cell for name, cell in row.items() if name not in _INNER} for row in self.rows]
        return {KILLS.name: self.match.table(KILLS, kept)}


def _helpers(assists: list[DeadlockPerson]) -> dict[str, Any]:
    """Return the assisting players as numbers and as rows."""
    return {
        "assist_players": [each.player for each in assists],
        "assist_people": [person_row(each) for each in assists],
    }
