"""Which DEATH entries are a kill, a deny, or neither."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.samples.source2.combat_log import NAMES, log_entry
from tests.samples.source2.dota2 import SampleMessages
from tests.samples.source2.match import SyntheticMatch
from tests.samples.source2.match_demo import match_demo

import playhead
from playhead.dota2.sources.combat_log import ENTRY_DEFINITION, ENTRY_MESSAGE
from playhead.source2.messages import wire
from playhead.source2.writing.demo import InnerMessage

CREEP, TOWER, NEUTRAL = "npc_dota_creep_badguys_melee", "npc_dota_goodguys_tower1_top", "npc_dota_neutral_kobold"
HERO = {"damage_source_name": NAMES.index("npc_dota_hero_axe")}  # of player 0, a Radiant
OF_UNITS = [
    log_entry("DEATH", attacker=0, target=CREEP, target_team=3),
    log_entry("DEATH", attacker=0, target=CREEP),  # of an unknown side
    log_entry("DEATH", attacker=0, target=TOWER, target_team=2),
    # A summon that ends by itself, with and without sides; one of the player's that kills a wild one of its name.
    log_entry("DEATH", attacker=NEUTRAL, target=NEUTRAL) | HERO,
    log_entry("DEATH", attacker=NEUTRAL, target=NEUTRAL, attacker_team=2, target_team=2) | HERO,
    log_entry("DEATH", attacker=NEUTRAL, target=NEUTRAL, attacker_team=2, target_team=4) | HERO,
    # An illusion of a hero that kills the hero.
    log_entry("DEATH", attacker=0, target=0) | {"is_attacker_illusion": True, "attacker_team": 3},
]


class Told(SampleMessages):
    """The first hero to die does so by itself, the second by a friend; then `OF_UNITS` die."""

    def at(self, tick: int, match: SyntheticMatch) -> list[InnerMessage]:
        for number, kill in enumerate(match.kills[:2]):
            friend = (kill.victim + 1) % 5 + kill.victim // 5 * 5
            match.kills[number] = replace(kill, killer=friend if number else kill.victim)
        units = OF_UNITS if tick == 20 else ()
        entries = [(ENTRY_MESSAGE, wire.encode(ENTRY_DEFINITION, entry)) for entry in units]
        return [*super().at(tick, match), *entries]


@pytest.fixture(scope="module")
def told() -> tuple[list[dict[str, Any]], list[dict[str, Any]], SyntheticMatch]:
    data, match = match_demo(0.7, seed=2, messages=Told())
    replay = playhead.open(data)
    return replay.table("combat_totals").to_pylist(), replay.table("kills").to_pylist(), match


def test_units(told: Any) -> None:
    totals, _, _ = told
    found = {
        (row["kind"], row["unit_type"]): row["count"]
        for row in totals
        if row["player"] == 0 and row["kind"] in ("kill", "deny") and not row["is_hero"]
    }
    assert found == {("kill", CREEP): 3, ("kill", NEUTRAL): 1, ("deny", TOWER): 1}  # the sample has a creep too


def test_heroes(told: Any) -> None:
    totals, kills, match = told
    itself, denied, *others = match.kills
    assert others
    deaths = [(20, 0), *((kill.tick, kill.victim) for kill in match.kills)]  # the first by an illusion
    assert [(row["tick"], row["victim_player"]) for row in kills] == deaths
    found = {
        kind: {
            (row["player"], row["unit_type"]): row["count"]
            for row in totals
            if row["kind"] == kind and row["is_hero"]
        }
        for kind in ("kill", "deny", "killed_by")
    }
    hero = {player: NAMES[player + 1] for player in range(10)}
    assert found["deny"] == {(denied.killer, hero[denied.victim]): 1}
    assert found["kill"].pop((0, hero[0])) == 1
    assert (itself.victim, hero[itself.victim]) not in found["kill"]
    assert found["killed_by"][itself.victim, hero[itself.victim]] == 1
    assert sum(found["kill"].values()) == len(others)
    assert sum(found["killed_by"].values()) == len(deaths)
