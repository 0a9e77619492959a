"""`Places`: structures, camps, the mid boss, the Rift and other places in the written match of Deadlock."""

from __future__ import annotations

from typing import Any

from tests.samples.source2.deadlock.field import (
    MACHINE,
    MID_BOSS,
    NEUTRALS,
    NODES,
    RIFT,
    Battlefield,
    Fighter,
    Row,
    Structure,
    server_seconds,
)
from tests.samples.source2.deadlock.said import Said

#: Place of the Rift, and the coordinate of a place that is none.
RIFT_PLACE = (-3000.0, 0.0, 128.0)
FAR = 3.4028234663852886e38


class Places:
    """Plays the events of places.

    Args:
        field: the entities.
        said: gets the messages.
        rows: gets the facts, by table.
    """

    def __init__(self, field: Battlefield, said: Said, rows: dict[str, list[Row]]) -> None:
        self.field = field
        self.said = said
        self.rows = rows
        self._falling = [each for each in field.structures if each.kind not in ("shrine", "patron")]
        self._fading: list[tuple[int, int]] = []

    def clear(self, tick: int) -> None:
        """Remove what fell two seconds ago."""
        for index, when in [entry for entry in self._fading if entry[1] <= tick]:
            self._fading.remove((index, when))
            self.field.remove(index)

    def attack_structure(self, tick: int, minute: int) -> None:
        """Damage the next structure to fall."""
        if not self._falling:
            return
        each = self._falling[0]
        attacker = self.field.hidden_king(minute, 0) if each.team == 3 else self.field.archmother(minute, 0)
        self.hurt(tick, each, attacker, each.health // 2)
        numbers = {"objective_team": each.team, "objective_id": 1 + each.lane}
        handle = self.field.handle_of(each.index)
        self.said.send("CCitadelUserMsg_BossDamaged", **numbers, entity_damaged=handle)
        self.said.event("boss_damaged", tick, **numbers, entity_damaged=handle)

    def hurt(self, tick: int, each: Structure, attacker: Fighter, damage: int, **more: Any) -> None:
        """Damage a structure."""
        each.health -= damage
        dead = {"m_lifeState": 1} if each.health == 0 and each.kind != "shrine" else {}
        self.field.put(each.index, {"m_iHealth": each.health} | dead | more)
        self.said.hit(tick, attacker, each.index, each.health, damage, kind=5, most=12000)
        row: Row = {"tick": tick, "kind": each.kind, "entity": each.index, "team": each.team}
        row |= {"lane_id": each.lane, "health": each.health, "phase_id": more.get("m_ePhase", 0)}
        self.rows["structure_series"].append(row | {"x": each.x, "y": each.y})
        if each.health:
            return
        self.rows["structure_series"][-1] |= {"destroyed": True, "attacker_player": attacker.player}
        self.said.send(
            "CCitadelUserMsg_BossKilled",
            objective_team=each.team,
            entity_killed=self.field.handle_of(each.index),
            entity_killed_class=3,
            entity_killer=self.field.handle_of(attacker.pawn),
        )
        self._fading.append((each.index, tick + 120))

    def fall_structure(self, tick: int, minute: int) -> None:
        """Let the next structure fall."""
        if self._falling:
            each = self._falling.pop(0)
            attacker = self.field.hidden_king(minute, 0) if each.team == 3 else self.field.archmother(minute, 0)
            self.hurt(tick, each, attacker, each.health)

    def break_crate(self, tick: int, minute: int) -> None:
        """Break a prop: it leaves, and never returns."""
        number = minute % 20
        index = self.field.crate(number)
        if index not in self.field.left and minute < 20:
            self.field.left.append(index)
            self.rows["breakables"].append({"tick": tick, "entity": index, "x": -5000.0 + 500.0 * number})

    def kill_neutral(self, tick: int, minute: int) -> None:
        """Kill a neutral."""
        fighter, index = self.field.hidden_king(minute, 3), 320 + minute % NEUTRALS
        self.field.put(index, {"m_iHealth": 0, "m_lifeState": 1})
        self.said.hit(tick, fighter, index, 0, 300, kind=4, most=300)
        fighter.last_hits += 1
        fighter.souls += 40
        self.field.tell(fighter)
        self._fading.append((index, tick + 60))
        self.rows["neutrals"].append({"tick": tick, "entity": index, "attacker_player": fighter.player})

    def neutral_returns(self, _tick: int, minute: int) -> None:
        """Create the neutral that was killed."""
        self.field.neutral(minute % NEUTRALS)

    def hit_machine(self, tick: int, minute: int) -> None:
        """Hit the Sinner's Sacrifice with a message, then without one, then restore it."""
        fighter = self.field.hidden_king(minute, 1)
        health = self.field.objects[MACHINE].values["m_iHealth"]
        row: Row = {"tick": tick, "event": "hit"}
        if health == 400:
            row |= {"attacker_player": fighter.player, "damage": 60, "health": 340}
            self.said.hit(tick, fighter, MACHINE, 340, 60, most=400, kind=2)
        elif health == 340:
            row |= {"damage": 40, "health": 300}
        else:
            row |= {"event": "reset", "health": 400}
        self.field.put(MACHINE, {"m_iHealth": row["health"]})
        self.rows["sinners_sacrifice"].append(row)

    def capture(self, tick: int, minute: int) -> None:
        """Give a node of a zip line to the other team."""
        index = self.field.node(minute % NODES)
        team = 5 - self.field.objects[index].values["m_iTeamNum"]
        self.field.put(index, {"m_iTeamNum": team})
        self.rows["ziplines"].append({"tick": tick, "entity": index, "team": team})

    def boss_comes(self, tick: int, minute: int) -> None:
        """Spawn the mid boss."""
        if minute % 4 == 0:
            values = {"m_iHealth": 9000, "m_iMaxHealth": 9000, "m_lifeState": 0, "m_iTeamNum": 4, "m_iLane": 0}
            self.field.create(MID_BOSS, "CNPC_MidBoss", values)
            self.field.put_at(MID_BOSS, 0.0, 0.0, -256.0)
            self.said.send("CCitadelUserMsg_MidBossSpawned")
            self.rows["bosses"].append({"tick": tick, "event": "spawned", "team": 0})

    def boss_falls(self, tick: int, minute: int) -> None:
        """Kill the mid boss."""
        if minute % 4 == 0 and MID_BOSS in self.field.objects:
            self.field.put(MID_BOSS, {"m_iHealth": 0, "m_lifeState": 1})
            killer = self.field.hidden_king(minute, 0)
            self.said.send(
                "CCitadelUserMsg_BossKilled",
                objective_team=2,
                entity_killed=self.field.handle_of(MID_BOSS),
                entity_killed_class=8,
                entity_killer=self.field.handle_of(killer.pawn),
            )
            self._fading.append((MID_BOSS, tick + 120))
            self.field.rules(m_iMidbossKillCount=len(self.rows["bosses"]) // 4 + 1)
            self.rows["bosses"].append({"tick": tick, "event": "killed", "team": 2, "player": killer.player})

    def rejuvenator(self, tick: int, minute: int, number: int) -> None:
        """Say what happened to the rejuvenator: 6 picked up, 7 used, 8 expired."""
        if minute % 4:
            return
        fighter = self.field.hidden_king(minute, 0)
        body = self.field.handle_of(fighter.pawn)
        self.field.put(fighter.controller, {"m_bHasRejuvenator": number == 6})
        self.said.send(
            "CCitadelUserMsg_RejuvStatus", killing_team=2, player_pawn=body, user_team=2, event_type=number
        )
        event = {6: "picked_up", 7: "used", 8: "expired"}[number]
        self.rows["bosses"].append({"tick": tick, "event": event, "team": 2, "player": fighter.player})

    def flex(self, tick: int, minute: int) -> None:
        """Unlock a flex slot."""
        if minute % 2 == 0 and len(self.rows["flex_slots"]) < 6:
            team = 2 + minute // 2 % 2
            self.said.send("CCitadelUserMsg_FlexSlotUnlocked", team_number=team, flexslot_unlocked=1)
            self.rows["flex_slots"].append({"tick": tick, "team": team})

    def announce_rift(self, tick: int, minute: int) -> None:
        """Announce the Rift."""
        if minute % 3 == 1:
            self.field.create(RIFT, "CCitadelItemKothSpawner", {"m_iTeamNum": 4})
            self.field.put_at(RIFT, *RIFT_PLACE)
            self.rows["rift"].append({"announced_tick": tick, "x": RIFT_PLACE[0], "y": RIFT_PLACE[1]})

    def open_rift(self, tick: int, minute: int) -> None:
        """Open the Rift."""
        if minute % 3 == 1 and self.rows["rift"]:
            now = server_seconds(tick)
            self.field.rules(
                m_timeKothCashInStarted=now, m_nKothScoringTeam=0, m_vKothCashInCurrentLocation=RIFT_PLACE
            )
            self.rows["rift"][-1]["opened_tick"] = tick

    def take_rift(self, tick: int, minute: int) -> None:
        """Let a team take the Rift, or let it expire."""
        if minute % 3 == 1 and self.rows["rift"]:
            team = 3 if minute % 6 == 1 else 0
            self.field.rules(
                m_timeKothCashInStarted=0.0, m_nKothScoringTeam=team, m_vKothCashInCurrentLocation=(FAR, FAR, FAR)
            )
            self.field.remove(RIFT)
            end = {"outcome": "captured", "winner_team": team} if team else {"outcome": "expired"}
            self.rows["rift"][-1] |= {"end_tick": tick, **end}
