"""The same facts as gem-dota tells of the synthetic match, where both tell them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.samples.real_size.demo import write_real_match
from tests.samples.source2.dota2 import SampleMessages
from tests.samples.source2.match_demo import match_demo

import playhead

pytestmark = [pytest.mark.slow_interpreted, pytest.mark.stepped]

gem = pytest.importorskip("gem", reason="gem-dota is the peer")

# gem-dota's origin of the map is its corner.
HALF_MAP = 16384


class Both(NamedTuple):
    """What each makes of it."""

    ours: Any
    gem: Any


@pytest.fixture(scope="module", params=["small", "real"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    path: Path = tmp_path_factory.mktemp("gem") / "match.dem"
    if request.param == "small":
        path.write_bytes(match_demo(4.2, messages=SampleMessages())[0])
    else:
        write_real_match(path, 1.0)
    match = gem.parse(str(path))
    assert match.parse_error is None
    return Both(playhead.open(path), match)


def rows(both: Both, name: str) -> list[dict[str, Any]]:
    return both.ours.table(name).to_pylist()


@pytest.mark.long
def test_wards(both: Both) -> None:
    mine = [
        (
            row["tick"],
            row["kind"],
            row["player"],
            row["team"],
            round(row["x"]) + HALF_MAP,
            round(row["y"]) + HALF_MAP,
            row["end_tick"] if row["outcome"] == "killed" else None,
            row["end_tick"] if row["outcome"] == "expired" else None,
            row["attacker"] or "",
        )
        for row in rows(both, "wards")
    ]
    assert mine == [
        (w.tick, w.ward_type, w.player_id, w.team, w.x, w.y, w.killed_tick, w.expires_tick, w.killer)
        for w in both.gem.wards
    ]


def test_runes(both: Both) -> None:
    outcomes = {"taken": "picked_up", "bottled": "bottled", None: "still_there"}
    mine = [
        (row["tick"], row["rune_id"], row["end_tick"], outcomes[row["outcome"]], row["player"])
        for row in rows(both, "runes")
    ]
    assert mine == [(r.spawn_tick, r.rune_type, r.end_tick, r.outcome, r.player_id) for r in both.gem.runes]


def test_towers_and_roshan(both: Both) -> None:
    fallen = [row for row in rows(both, "structures") if row["end_tick"] is not None]
    assert [(row["end_tick"], row["team"], row["attacker"], "npc_" + row["entity_name"]) for row in fallen] == [
        (kill.tick, kill.team, kill.killer, kill.tower_name) for kill in both.gem.towers
    ]
    died = [row for row in rows(both, "bosses") if row["end_tick"] is not None]
    assert [(row["end_tick"], row["attacker"], row["attacker_team"], row["number"]) for row in died] == [
        (kill.tick, kill.killer, kill.killer_team, kill.kill_number) for kill in both.gem.roshans
    ]
    assert [(row["aegis_tick"], row["aegis_player"]) for row in died] == [
        (event.tick, event.player_id) for event in both.gem.aegis_events
    ]


def test_smokes(both: Both) -> None:
    mine = [(row["tick"], row["hero"], row["team"], row["members"]) for row in rows(both, "smoke_uses")]
    assert mine == [(s.tick, s.activator, s.team, s.smoked) for s in both.gem.smoke_events]


def test_fights(both: Both) -> None:
    """With gem-dota's rule, which has the same window and radius by default; its places are of its last second."""
    mine = rows(both, "fights")
    assert [(row["tick"], row["end_tick"], row["first_death_tick"], row["deaths"]) for row in mine] == [
        (f.start_tick, f.end_tick, f.first_death_tick, f.deaths) for f in both.gem.fights
    ]
    for row, fight in zip(mine, both.gem.fights, strict=True):
        assert row["x"] + HALF_MAP == pytest.approx(fight.centroid_x, abs=350)
        assert row["y"] + HALF_MAP == pytest.approx(fight.centroid_y, abs=350)


def test_series(both: Both) -> None:
    """gem-dota looks while a packet is being applied: each value is that of the tick or of the packet before."""
    series = {
        (row["tick"], row["player"]): row for row in both.ours.table("player_series", every="2 ticks").to_pylist()
    }
    compared = 0
    for player in both.gem.players:
        told = zip(player.times, player.net_worth_t, player.total_earned_xp_t, player.lh_t, strict=True)
        for tick, *values in told:
            near = [series[when, player.player_id] for when in (tick, tick - 2)]
            for name, value in zip(("net_worth", "xp", "last_hits"), values, strict=True):
                assert value in [row[name] for row in near]
            compared += 1
    assert compared > 500
