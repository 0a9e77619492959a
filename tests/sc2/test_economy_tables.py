"""Tables of economies and fights, on a written game whose story is known."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as
from tests.samples.blizzard import EventWriter
from tests.samples.sc2 import replay as sample
from tests.samples.sc2.game import game_bytes
from tests.sc2.economy_story import story

import playhead
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.sc2.coaching import coach
from playhead.sc2.protocol.tables import protocol_table
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.state.energy import CasterLife, EnergyBook
from playhead.sc2.state.map.nearby import first_of_groups
from playhead.sc2.state.map.places import ResourcePlaces, clock_position
from playhead.sc2.state.production.queues import BegunProduct, CancelledItem, QueueItem, Queues
from playhead.sc2.tables.creep import CreepReach
from playhead.sc2.tables.larvae import HATCH_LOOPS, Injection, broods, injections
from playhead.sc2.tables.map import Loss, engagements_of

BARRACKS, HATCHERY, ORBITAL, QUEEN, NEXUS = (index << 18 | 1 for index in (21, 11, 10, 22, 24))


def rows(name: str, *columns: str, **options: Any) -> list[tuple[Any, ...]]:
    table = story().table(name, **options)
    return [tuple(row[column] for column in columns) for row in table.to_pylist()]


def test_units_are_counted_every_five_seconds() -> None:
    counts = rows("unit_counts", "tick", "player", "unit_type", "units_alive", "units_in_progress", "units_lost")
    assert (0, 2, "Drone", 2, 0, 0) in counts
    assert {tick % 112 for tick, *_ in counts} == {0}
    assert (672, 1, "Barracks", 0, 1, 0) in counts
    assert (1680, 1, "Barracks", 1, 0, 0) in counts
    assert (5936, 2, "Drone", 1, 0, 1) in counts
    assert not [row for row in counts if row[1] == 0]


def test_an_interval_of_ones_own() -> None:
    assert {tick for tick, *_ in rows("unit_counts", "tick", every="1 min")} == {0, 1344, 2688, 4032, 5376}
    with pytest.raises(ValueError, match="expected an interval"):
        story().table("unit_counts", every="often")
    with pytest.raises(TypeError, match="no option 'map'"):
        story().table("unit_counts", map=1)


def test_seconds_of_whole_minutes_are_whole() -> None:
    game = playhead.open(game_bytes(9))
    assert {row["seconds"] for row in game.table("unit_counts", every="1 min").to_pylist()} >= {60.0, 480.0}
    assert game.clock is not None
    assert game.clock.seconds(10_752) == 480.0
    for event in game.events("unit_born"):
        assert event.seconds == game.clock.seconds(event.tick)


def test_town_halls_at_places_of_resources() -> None:
    found = rows("bases", "player", "nth", "base", "clock", "is_start", "mineral_fields", "geysers", "outcome")
    assert found == [
        (1, 1, 2, 8, True, 8, 1, None),
        (2, 1, 1, 2, True, 8, 1, "lost"),
        (1, None, None, 12, None, None, None, None),
    ]


def test_casts_have_casters_with_energy() -> None:
    begun = 50 + (2300 - 1500) * 0.5625 / 16
    assert rows("mules", "tick", "caster_unit", "energy", "end_tick") == [
        (2300, ORBITAL, pytest.approx(begun), 3730)
    ]
    later = begun - 50 + (4000 - 2300) * 0.5625 / 16
    assert rows("scans", "tick", "caster_unit", "energy", "x") == [(4000, ORBITAL, pytest.approx(later), 120.0)]
    boost = rows("boosts", "tick", "caster_unit", "target_unit", "target_unit_type", "end_tick")
    assert boost == [(2500, NEXUS, BARRACKS, "Barracks", 2948)]
    inject = rows("injects", "tick", "caster_unit", "target_unit", "known_by", "larvae_tick")
    assert inject == [(2400, QUEEN, HATCHERY, "order", 3050)]


def test_energy_between_casts() -> None:
    found = {row[:2]: row[2] for row in rows("energy", "tick", "unit", "energy")}
    assert min(tick for tick, unit in found if unit == ORBITAL) == 1568
    assert found[1568, ORBITAL] == pytest.approx(50 + 68 * 0.5625 / 16)
    assert found[2464, ORBITAL] == pytest.approx(50 + 964 * 0.5625 / 16 - 50)
    assert found[2464, QUEEN] == pytest.approx(25 + 664 * 0.5625 / 16 - 25)
    assert {tick for tick, *_ in rows("energy", "tick", every="1 min")} == {2688, 4032, 5376}


def test_energy_is_unknown_after_an_order_of_several() -> None:
    book = EnergyBook({each: [CasterLife("Queen", 1, 0, 1 << 62)] for each in (1, 2)}, 97364)
    book.cast(1, "SpawnLarva", 100)
    book.doubt([1, 2], 200)
    one, two = (book.between(each, [50, 150, 250, 6_000]) for each in (1, 2))
    assert [one[1], two[1]] == [
        pytest.approx(28.515625 - 25 + 50 * 0.5625 / 16),
        pytest.approx(25 + 150 * 0.5625 / 16),
    ]
    assert one[2:] == two[2:] == [None, 200.0]


def test_a_building_is_busy_or_idle() -> None:
    columns = ("unit", "tick", "end_tick", "state", "product", "ordered_tick", "waiting")
    assert [row[1:] for row in rows("production", *columns) if row[0] == BARRACKS] == [
        (1670, 1700, "idle", None, None, None),
        (1700, 2100, "busy", "Marine", 1700, 0),
        (1710, 1770, "cancelled", "Marine", 1710, None),
        (1712, 1760, "cancelled", "Marine", 1712, None),
        (2100, None, "idle", None, None, None),
    ]
    known = {row[0]: row[1] for row in rows("production", "product", "known_by", "state") if row[2] == "busy"}
    assert known == {"Marine": "place", "OrbitalCommand": "tracker", "Queen": "tracker", "Lair": "tracker"}


def test_queues() -> None:
    items = [
        QueueItem(loop, product, buildings)
        for loop, product, buildings in (
            (100, "Marine", [1]),
            (110, "Marine", [1, 2]),
            (120, "Marine", [1]),
            (130, "Medivac", [1, 3]),
            (700, "Marine", [1]),
        )
    ]
    begun = [BegunProduct(100, 500, 1, "Marine"), BegunProduct(111, 511, 2, "Marine")]
    begun += [BegunProduct(500, 900, 1, "Marine"), BegunProduct(1500, None, 1, "Marine")]
    queues = Queues(begun, items)
    # The last order came while the building was busy, but it then did nothing for 600 loops.
    assert queues.ordered == [100, 110, 120, None]
    assert queues.cancelled([(200, [2]), (720, [1]), (730, [1]), (740, [3])], {"Marine": 1}) == [
        CancelledItem(1, "Marine", 700, 720)
    ]
    later = Queues([BegunProduct(100, 500, 1, "SCV")], [QueueItem(50, "Marine", [1]), QueueItem(100, "SCV", [1])])
    # A building begins what was ordered first: the marine was gone at loop 100.
    assert later.cancelled([(200, [1])], {"Marine": 1}) == []


def test_a_fight_has_the_losses_of_each_side() -> None:
    columns = ("engagement", "tick", "end_tick", "player", "workers_lost", "structures_lost", "units_killed")
    assert rows("engagements", *columns) == [(1, 5900, 6000, 1, 0, 0, 3), (1, 5900, 6000, 2, 2, 1, 0)]


def test_creep_ends_with_the_hatchery() -> None:
    area = dict(rows("creep", "tick", "area", every="50 s"))
    assert area[5600] == 441
    assert rows("creep", "tick", "area", every="2000 ticks")[-1] == (6000, 0)


def test_creep_is_a_union_of_discs() -> None:
    reach = CreepReach()
    reach.add(20.5, 20.5, 10)
    once = reach.area
    reach.add(20.5, 20.5, 10)
    assert reach.area == once
    reach.remove(20.5, 20.5, 10)
    assert reach.area == once
    reach.add(0, 0, 10)
    assert once < reach.area < once + once / 2
    reach.add(1e9, -1e9, 10)
    allowed = CreepReach([(1 << 5) - 1] * 5)
    allowed.add(0, 0, 10)
    assert allowed.area == 25


def test_directions_are_hours() -> None:
    assert [clock_position(*spot) for spot in ((0, 1), (1, 0), (0, -1), (-1, 0), (0, 0))] == [12, 3, 6, 9, 12]


def test_a_wall_of_minerals_is_no_place() -> None:
    places = ResourcePlaces(
        [(10, 10), (12, 10), (14, 10), (100, 100), (101, 100), (102, 100), (103, 100)], [(100, 104)]
    )
    assert [(place.minerals, place.geysers) for place in places.all] == [(4, 1)]
    assert places.at(100, 108) is not None
    assert places.at(12, 12) is None


def test_engagements_join_over_a_chain_of_losses() -> None:
    def loss(loop: int, x: float) -> Loss:
        return Loss(loop, x, 0, 1, "Marine", 2)

    apart = [loss(0, 0), loss(1, 0), loss(2, 0), loss(3, 100), loss(4, 100), loss(5, 100), loss(900, 0)]
    assert [len(group) for group in engagements_of(apart)] == [3, 3]
    assert [len(group) for group in engagements_of([loss(0, 0), loss(1, 30), loss(2, 15)])] == [3]
    assert engagements_of([]) == []
    # The last joins two groups, of which the earlier keeps its number; the others stay apart.
    firsts = first_of_groups(
        array("q", range(5)), array("d", [0, 30, 60, 100, 15]), array("d", [0] * 5), 16, 99, 9
    )
    assert list(firsts) == [0, 0, 2, 3, 0]
    at = array("q", [0, 5, 10]), array("d", [0] * 3), array("d", [0] * 3)
    assert list(first_of_groups(*at, 1, 4, 9)) == [0, 1, 2]
    assert list(first_of_groups(*at, 1, 99, 0)) == [0, 1, 2]


def test_larvae_four_loops_apart_are_a_brood() -> None:
    assert broods([100, 104, 108, 110, 300, 500, 504]) == [100]
    begun = 1000 - HATCH_LOOPS
    born = {7: [1000, 1004, 1008], 8: [1000, 1004, 1008]}
    assert injections([(begun - 3, 7), (begun, 7), (5000, 7)], born) == [
        Injection(begun - 3, 7, 0, 1000),
        Injection(begun, 8, None, 1000),
        Injection(5000, 7, 2, None),
    ]


@pytest.mark.parametrize(("build", "initial"), [(16117, 0.0), (93333, 50.0)])
def test_energy_follows_from_casts(build: int, initial: float) -> None:
    book = EnergyBook({1: [CasterLife("Nexus", 1, 0, 100_000)]}, build)
    assert book.energy(1, 0) == initial
    assert book.energy(1, 16) == initial + 0.5625
    book.cast(1, "NexusMassRecall", 5000)
    assert book.energy(1, 5000) == pytest.approx(min(200, initial + 5000 * 0.5625 / 16) - 50)
    book.doubt([1], 6000)
    assert book.energy(1, 7000) is None
    assert book.energy(1, 12_000) == 200
    assert book.casters([1, 2], "ChronoBoost", 2, 10) == []


@pytest.mark.parametrize(
    "name", ["bases", "engagements", "creep", "production", "unit_counts", "injects", "boosts"]
)
def test_without_a_tracker_nothing_breaks(name: str, without_tracker: Callable[[], Any]) -> None:
    table = without_tracker().table(name)
    assert table.num_rows == (1 if name in ("injects", "boosts") else 0)


@pytest.fixture
def without_tracker() -> Callable[[], Any]:
    return lambda: story(tracked=False)


def test_units_are_army_or_workers() -> None:
    found = {row[0]: row[1:] for row in rows("units", "unit_type", "army", "worker", "hallucinated")}
    assert found["Marine"] == found["Queen"] == (True, False, False)
    assert found["Drone"] == (False, True, False)
    assert found["MULE"] == found["Barracks"] == (False, False, False)


def test_a_product_is_a_unit() -> None:
    (marine,) = [row[0] for row in rows("production", "product_unit") if row[0] is not None and row[0] >> 18 == 20]
    assert marine == 20 << 18 | 1


@pytest.mark.parametrize("number", [1 << 62, -1, 1 << 40])
def test_impossible_numbers_of_a_damaged_file(number: int) -> None:
    """Tags, players, positions and times that no game has cost their own rows only."""
    table = protocol_table(sample.HEADER.base_build, sample.HEADER.build)
    writers = {name: EventWriter(table, name) for name in (GAME, MESSAGE, TRACKER)}
    out = writers[TRACKER]
    for index in (10, number):
        side = {"m_controlPlayerId": number if index == 10 else 1, "m_upkeepPlayerId": 1, "m_x": number, "m_y": 5}
        for kind in (b"Hatchery", b"CreepTumor", b"Nexus", b"Marine", b"Larva", b"MULE"):
            tag = {"m_unitTagIndex": index, "m_unitTagRecycle": number}
            out.write(0, 0, "SUnitBornEvent", m_unitTypeName=kind, **tag, **side)
            out.write(5, 0, "SUnitDiedEvent", **tag, m_x=number, m_y=5, m_killerPlayerId=number)
    data = sample.archive(sample.HEADER, {name: writer.to_bytes() for name, writer in writers.items()})
    replay = open_as(Sc2Replay, data)
    for name in ("unit_counts", "bases", "creep", "engagements", "production", "injects", "mules", "build_order"):
        assert replay.table(name).num_rows < 100


def test_a_coach_sees_where_time_was_lost() -> None:
    found = coach(story(), story())
    assert list(found) == ["measures", "steps", "curves", "reasons", "standing", "lapses"]
    names = ("player", "lapse", "what", "seconds", "duration_seconds")
    lapses = [tuple(row[name] for name in names) for row in found["lapses"][1].to_pylist()]
    assert (1, "idle", "Barracks", 21000 / 224, pytest.approx(300 - 2100 / 22.4)) in lapses
    # The inject of loop 2400 was ready at 3050; the Lair fell at 6000.
    name = "Lair at 2 o'clock"
    assert (2, "no inject", name, 30500 / 224, pytest.approx(2950 / 22.4)) in lapses
    curves = found["curves"][1].to_pylist()
    assert {row["minute"] for row in curves} == {1, 2, 3, 4, 5}
    assert all(row["workers"] == row["against_workers"] for row in curves)
    rows = found["measures"][1].to_pylist()
    measures = {(row["player"], row["measure"]): row["own"] for row in rows}
    assert 90 < measures[1, "production idle"] < 100
    assert measures[2, "injects under way"] == pytest.approx(100 * 644 / 4200)
    assert measures[2, "a larva waited"] == pytest.approx(2946 / 22.4)
    assert {row["lead"] for row in rows} == {0, None}  # a game beside itself
    assert all(row["later_seconds"] == 0 for row in found["steps"][1].to_pylist())


def test_series_and_measures_at_steps() -> None:
    game = playhead.open(game_bytes(3))
    recorded = game.table("player_series").to_pylist()
    at_steps = game.table("player_series", every="1 min").to_pylist()
    assert {row["tick"] % 1344 for row in at_steps} == {0}
    for row in at_steps:
        before = [each for each in recorded if each["player"] == row["player"] and each["tick"] <= row["tick"]]
        assert row["minerals"] == before[-1]["minerals"]
    assert game.table("player_series", every="1 min", clock="recording").to_pylist() == at_steps
    with pytest.raises(ValueError, match="expected clock='game' or 'recording'"):
        game.table("player_series", every="1 min", clock="wall")
    spans = game.table("player_stats", every="1 min").to_pylist()
    whole = {row["player"]: row for row in game.table("player_stats").to_pylist()}
    for player, row in whole.items():
        mine = [span for span in spans if span["player"] == player]
        assert [span["end_tick"] for span in mine[:-1]] == [span["tick"] for span in mine[1:]]
        assert sum(span["duration_seconds"] for span in mine) == pytest.approx(row["duration_seconds"])


def test_who_looked_at_which_base() -> None:
    """Camera and order of the first player, a unit at its birth; nobody but opponents is scouted."""
    rows = story().table("scouting").to_pylist()
    found = [
        (
            row["tick"],
            row["player"],
            row["known_by"],
            row["target_player"],
            row["target_unit"] >> 18,
            row["unit_type"],
        )
        for row in rows
    ]
    # The marine is ordered to the Zerg's hatchery; the marine's place is reported far from it.
    assert found == [(2200, 1, "order", 2, 11, "Marine")]
    assert (rows[0]["x"], rows[0]["y"], rows[0]["unit"] >> 18) == (120, 110, 20)


def test_larvae_and_queens() -> None:
    replay = story()
    (hatchery,) = replay.table("hatcheries").to_pylist()
    assert (hatchery["unit"] >> 18, hatchery["unit_type"], hatchery["end_tick"]) == (11, "Lair", 6000)
    assert (hatchery["inject_count"], hatchery["larvae_count"]) == (1, 3)
    # An inject takes 644 loops, and the queen is born at 1800.
    assert hatchery["injected_seconds"] == pytest.approx(644 / 22.4)
    assert hatchery["injectable_seconds"] == pytest.approx(4200 / 22.4)
    assert hatchery["inject_share"] == pytest.approx(644 / 4200)
    # Larvae of loops 3050, 3054 and 3058 wait until the Lair falls at 6000; all three from the last one on.
    assert hatchery["larvae_idle_seconds"] == pytest.approx((2950 + 2946 + 2942) / 22.4)
    assert hatchery["full_seconds"] == pytest.approx(2942 / 22.4)
    casters = {row["unit"] >> 18: row for row in replay.table("casters").to_pylist()}
    queen = casters[22]
    assert (queen["tick"], queen["unit_type"], queen["injects_cast"], queen["casts_known"]) == (
        1800,
        "Queen",
        1,
        1,
    )
    # The Nexus has 50 energy at its birth, and its boost costs all of it.
    assert (casters[24]["unit_type"], casters[24]["casts_known"]) == ("Nexus", 1)
    # She has 25 energy at birth, casts at 2400 with 46, and is back at 25 after 110 loops.
    assert queen["idle_seconds"] == pytest.approx((600 + replay.info.duration_ticks - 2510) / 22.4, abs=3)
    assert queen["unknown_seconds"] == 0


def test_units_on_squares_of_the_map(corpus: Path) -> None:
    """The squares have the units that live, and say which places the tracker reported."""
    replay = playhead.open(corpus / "sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay")
    rows = replay.table("unit_grid", every="10s").to_pylist()
    alive = {
        (row["tick"], row["player"], row["unit_type"]): row["units_alive"]
        for row in replay.table("unit_counts", every="10s").to_pylist()
    }
    sums: Counter[tuple[int, int, str]] = Counter()
    for row in rows:
        sums[row["tick"], row["player"], row["unit_type"]] += row["units_here"]
        assert row["units_here"] == row["units_recorded"] + row["units_inferred"]
        assert row["health"] is None
    # A drone that becomes a building is reported dead only when that is finished.
    differ = {name for (*_, name) in (key for key in alive if alive[key] != sums[key])}
    assert differ <= {"Drone"}
    assert len(alive) > 3000
    # The recorded sample of one unit, just before a step, is in its square.
    sample = next(row for row in replay.table("positions").to_pylist() if row["cause"] == "sample" and row["unit"])
    step = -(-sample["tick"] // 224) * 224
    square = (step, sample["player"], int(sample["x"] // 8), int(sample["y"] // 8))
    there = [row for row in rows if (row["tick"], row["player"], row["cell_x"], row["cell_y"]) == square]
    assert sum(row["units_recorded"] for row in there) >= 1
    halls = [row for row in rows if row["unit_type"] in ("Nexus", "CommandCenter", "Hatchery")]
    assert all(row["units_inferred"] == 0 for row in halls)


def test_steps_of_a_build_order_have_race_and_place() -> None:
    rows = story().table("build_order").to_pylist()
    assert [(row["kind"], row["race"], row["product"], row["x"], row["y"]) for row in rows] == [
        ("structure", "Terran", "Barracks", 44, 42),
        ("morph", "Terran", "OrbitalCommand", None, None),
        ("unit", "Zerg", "Queen", 118, 106),
        ("unit", "Terran", "Marine", 46, 42),
        ("unit", "Protoss", "Nexus", 80, 75),
        ("upgrade", "Zerg", "zerglingmovementspeed", None, None),
        ("morph", "Zerg", "Lair", None, None),
    ]
