"""What players made, worked out of short histories whose answer is known."""

from __future__ import annotations

from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.tracker import unit_tag
from playhead.blizzard.units import changes
from playhead.blizzard.units.history import COLUMNS, UnitHistory
from playhead.sc2.state.production.facts import is_bought, is_produced, production_facts
from playhead.sc2.state.production.production import Production, supply_at
from playhead.sc2.state.production.records import Step

FACTS = production_facts(91115)
NO_ONE = (None, None, None)


_APPEARS = ("unit_type", "player", "x", "y", "other_index", "other_recycle", "ability")
#: What a row has behind order, loop, change, index and recycle.
_REST = {
    changes.INIT: _APPEARS,
    changes.BORN: _APPEARS,
    changes.DONE: (),
    changes.TYPE: ("unit_type",),
    changes.OWNER: ("player",),
    changes.DIED: ("x", "y", "player", "other_index", "other_recycle"),
}


def history_of(rows: list[tuple[Any, ...]]) -> UnitHistory:
    """Return rows as columns: row in the stream, which is that of the list, loop, change, index, recycle, and
    what is in `_REST`."""
    texts = sorted({each for row in rows for each in row if isinstance(each, str)})
    parts = []
    for change, rest in _REST.items():
        held = [row for row in rows if row[2] == change]
        columns = {name: array("q") for name in ("index", "recycle", *rest)}
        for row in held:
            for name, value in zip(columns, row[3:], strict=True):
                number = texts.index(value) if isinstance(value, str) else value
                columns[name].append(NOTHING if number is None else number)
        assert columns.keys() <= set(COLUMNS)
        parts.append((change, array("i", [row[0] for row in held]), columns))
    return UnitHistory(parts, array("i", [row[1] for row in rows]), texts)


class History:
    """Rows of the tracker, written down as in the file."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []

    def _row(self, loop: int, change: int, unit: int, *rest: Any) -> None:
        self.rows.append((len(self.rows), loop, change, unit, 1, *rest))

    def init(self, loop: int, unit: int, kind: str, player: int = 1) -> None:
        self._row(loop, changes.INIT, unit, kind, player, 10, 10, *NO_ONE)

    def born(self, loop: int, unit: int, kind: str, creator: int | None = None, player: int = 1) -> None:
        by = NO_ONE if creator is None else (creator, 1, "Train")
        self._row(loop, changes.BORN, unit, kind, player, 10, 10, *by)

    def done(self, loop: int, unit: int) -> None:
        self._row(loop, changes.DONE, unit)

    def turns(self, loop: int, unit: int, kind: str) -> None:
        self._row(loop, changes.TYPE, unit, kind)

    def dies(self, loop: int, unit: int, killer: int | None = None) -> None:
        self._row(loop, changes.DIED, unit, 10, 10, killer, *((5, 1) if killer else (None, None)))

    def made(
        self, *commands: tuple[int, int, str], upgrades: Any = (), facts: Any = FACTS, calldowns: Any = ()
    ) -> Production:
        return Production(history_of(self.rows), upgrades, commands, facts, calldowns)


def brief(step: Step) -> tuple[str, int, str, int | None, str]:
    return step.name, step.start, step.start_source, step.end, step.outcome


def test_a_building_is_finished_cancelled_lost_or_none_of_it() -> None:
    history = History()
    for unit, kind in enumerate(("Barracks", "Bunker", "SupplyDepot", "Factory")):
        history.init(100 + unit, unit, kind)
    history.dies(200, 1)
    history.dies(300, 2, killer=2)
    history.done(1000, 0)
    assert [brief(step) for step in history.made().steps] == [
        ("Barracks", 100, "init", 1000, "finished"),
        ("Bunker", 101, "init", 200, "cancelled"),
        ("SupplyDepot", 102, "init", 300, "lost"),
        ("Factory", 103, "init", None, "unfinished"),
    ]


@pytest.mark.parametrize("with_creator", [True, False])
def test_two_zerglings_hatch_from_an_egg(with_creator: bool) -> None:
    history = History()
    history.born(0, 1, "Larva")
    history.turns(500, 1, "Egg")
    creator = 1 if with_creator else None
    history.born(884, 2, "Zergling", creator)
    history.born(884, 3, "Zergling", creator)
    history.turns(884, 1, "Larva")
    history.dies(884, 1)
    made = history.made()
    assert [brief(step) for step in made.steps] == [("Zergling", 500, "morph", 884, "finished")] * 2
    assert [step.supply_used for step in made.steps] == [0.0, 0.5]
    assert supply_at(made.supply_of(1), [499, 500, 900]) == [(0.0, 0.0), (1.0, 0.0), (1.0, 0.0)]


def test_an_egg_that_is_cancelled_or_killed_is_what_was_ordered() -> None:
    history = History()
    for larva in (1, 2, 3):
        history.born(0, larva, "Larva")
    history.turns(500, 1, "Egg")
    history.turns(600, 2, "Egg")
    history.turns(700, 1, "Larva")
    history.dies(800, 2, killer=2)
    history.turns(900, 3, "Egg")
    history.turns(950, 3, "Larva")
    made = history.made((495, 1, "MorphRoach"), (590, 1, "MorphDrone"))
    assert [brief(step) for step in made.steps] == [
        ("Roach", 500, "morph", 700, "cancelled"),
        ("Drone", 600, "morph", 800, "lost"),
        ("Egg", 900, "morph", 950, "cancelled"),
    ]
    assert supply_at(made.supply_of(1), [550, 650, 750, 850]) == [(2.0, 0), (3.0, 0), (1.0, 0), (0.0, 0)]


def test_a_cocoon_becomes_something_else_or_back() -> None:
    history = History()
    for unit, kind in ((1, "Roach"), (2, "Overlord"), (3, "Zergling")):
        history.born(0, unit, kind)
    history.turns(100, 1, "RavagerCocoon")
    history.turns(110, 2, "OverlordCocoon")
    history.turns(120, 3, "BanelingCocoon")
    history.turns(200, 3, "Zergling")
    history.turns(292, 1, "Ravager")
    history.turns(377, 2, "Overseer")
    history.turns(400, 2, "OverseerSiegeMode")
    made = history.made()
    assert [(step.kind, *brief(step)) for step in made.steps] == [
        ("morph", "Ravager", 100, "morph", 292, "finished"),
        ("morph", "Overseer", 110, "morph", 377, "finished"),
        ("morph", "Baneling", 120, "morph", 200, "cancelled"),
    ]
    assert supply_at(made.supply_of(1), [0, 100, 400]) == [(2.5, 8.0), (3.5, 8.0), (3.5, 8.0)]


def test_in_old_builds_another_unit_hatches_from_a_cocoon() -> None:
    history = History()
    history.born(0, 1, "Zergling")
    history.turns(100, 1, "BanelingCocoon")
    history.born(420, 2, "Baneling")
    history.turns(420, 1, "Zergling")
    history.dies(420, 1)
    made = history.made()
    assert [brief(step) for step in made.steps] == [("Baneling", 100, "morph", 420, "finished")]
    assert supply_at(made.supply_of(1), [0, 200, 500]) == [(0.5, 0), (0.5, 0), (0.5, 0)]


def test_a_trained_unit_began_with_its_order_or_its_build_time_before_its_birth() -> None:
    history = History()
    history.born(0, 1, "CommandCenter")
    history.born(372, 2, "SCV", 1)
    history.born(643, 3, "SCV", 1)
    history.born(2000, 4, "SCV", 1)
    history.born(3000, 5, "Firebat", 1)
    made = history.made((100, 1, "TrainSCV"), (101, 1, "TrainSCV"))
    assert [brief(step) for step in made.steps] == [
        ("SCV", 100, "command", 372, "finished"),
        ("SCV", 372, "queue", 643, "finished"),
        ("SCV", 1728, "born_minus_build_time", 2000, "finished"),
        ("Firebat", 3000, "unknown", 3000, "finished"),
    ]
    assert [(step.supply_used, step.supply_made) for step in made.steps] == [
        (0.0, 15.0),
        (1.0, 15.0),
        (2.0, 15.0),
        (3.0, 15.0),
    ]


def test_a_chrono_boost_is_seen_by_the_order_or_the_queue() -> None:
    history = History()
    history.born(0, 1, "Nexus")
    history.born(337, 2, "Probe", 1)  # 272 loops without the boost
    history.born(574, 3, "Probe", 1)
    made = history.made((100, 1, "TrainProbe"), upgrades=[(9, 3000, 1, "WarpGateResearch")])
    assert [brief(step) for step in made.steps] == [
        ("Probe", 100, "command", 337, "finished"),
        ("Probe", 337, "queue", 574, "finished"),
        ("WarpGateResearch", 760, "born_minus_build_time", 3000, "finished"),
    ]


def test_a_building_that_becomes_another_began_before() -> None:
    history = History()
    history.born(0, 1, "Hatchery")
    history.born(0, 2, "CommandCenter")
    history.turns(2279, 1, "Lair")
    history.turns(3000, 2, "OrbitalCommand")
    history.turns(4000, 2, "OrbitalCommandFlying")
    history.turns(5000, 2, "OrbitalCommand")
    made = history.made((1000, 1, "UpgradeToLair"))
    assert [brief(step) for step in made.steps] == [
        ("Lair", 1000, "command", 2279, "finished"),
        ("OrbitalCommand", 2441, "born_minus_build_time", 3000, "finished"),
    ]


def test_a_drone_takes_no_supply_once_it_is_a_building() -> None:
    history = History()
    history.born(0, 1, "Drone")
    history.born(0, 2, "Drone")
    history.init(100, 3, "SpawningPool")
    history.init(200, 4, "Extractor")
    history.dies(300, 4)  # cancelled: the drone goes on
    history.done(836, 3)
    history.dies(837, 1)
    made = history.made()
    assert supply_at(made.supply_of(1), [99, 100, 200, 300, 836, 900]) == [
        (2.0, 0),
        (1.0, 0),
        (0.0, 0),
        (1.0, 0),
        (1.0, 0),
        (1.0, 0),
    ]
    assert [step.supply_used for step in made.steps] == [2.0, 1.0]


@pytest.mark.parametrize(
    "name",
    "Larva Egg Broodling BroodlingEscort MULE ChangelingZealot Interceptor LocustMPFlying AutoTurret ForceField "
    "InfestedTerransEgg InfestorTerran BeaconArmy CreepTumorBurrowed CreepTumorQueen KD8Charge AdeptPhaseShift "
    "PointDefenseDrone DisruptorPhased OracleStasisTrap".split(),
)
def test_what_comes_by_itself_is_not_made(name: str) -> None:
    history = History()
    history.born(100, 1, name)
    history.init(100, 2, name)
    made = history.made()
    assert (made.steps, made.supply_of(1)) == ([], [])


def test_rows_of_the_history_have_the_tag_of_their_unit() -> None:
    rows = [(0, 1, changes.DONE, 5, 1), (1, 1, changes.DONE, 7, None), (2, 1, changes.DONE, -1, 1)]
    rows.append((3, 1, changes.DONE, 6, (1 << 18) + 2))
    wanted = array("q", [5 << 18 | 1, NOTHING, NOTHING, 6 << 18 | 2])
    assert history_of(rows).tags(array("q", range(4))) == wanted


@pytest.mark.parametrize("name", ["FleetBeacon", "Drone", "InfestationPit", "Baneling", "LurkerMP", "Adept"])
def test_what_players_order_is(name: str) -> None:
    assert is_produced(name)


def test_nobody_researches_sprays() -> None:
    assert not is_bought("SprayTerran")
    assert not is_bought("RewardDanceOverlord")
    assert is_bought("Stimpack")


@pytest.mark.parametrize(
    ("name", "build", "loops"),
    [
        ("Drone", 25604, 272),
        ("Marine", 97563, 400),
        ("Stimpack", 71663, 2720),
        ("Stimpack", 77379, 2240),
        ("WarpGateResearch", 59587, 2560),
        ("WarpGateResearch", 91115, 2240),
        ("Observer", 80949, 480),
        ("Observer", 93272, 400),
        ("ProtossGroundWeaponsLevel1", 89634, 2720),
        ("WidowMine", 58400, 640),
        ("WidowMine", 62848, 480),
        ("zerglingmovementspeed", 93272, 1760),
    ],
)
def test_build_times_are_those_that_replays_have(name: str, build: int, loops: int) -> None:
    assert production_facts(build).build_loops.get(name) == loops


any_change = st.tuples(
    st.integers(0, 300),
    st.sampled_from(range(6)),
    st.integers(0, 3),
    st.sampled_from(
        "Larva Egg Drone Zergling BanelingCocoon Baneling Extractor Probe Nexus Lair Hatchery".split()
    ),
    st.integers(0, 2),
)


def test_supplies_are_called_down_onto_a_depot_that_stands() -> None:
    history = History()
    for unit in (1, 2, 3):
        history.init(10, unit, "SupplyDepot")
    history.done(490, 1)
    history.done(490, 2)
    history.turns(600, 2, "SupplyDepotLowered")
    history.dies(1030, 1, killer=2)
    history.dies(2000, 2, killer=2)
    history.done(3000, 3)
    tags = {unit: unit_tag(unit, 1) for unit in (1, 2, 3, 4)}
    # The first dies before they arrive, the second gets them once, the third is not finished, the fourth is none.
    calls = [(1000, tags[1]), (1000, tags[2]), (1100, tags[2]), (1200, tags[3]), (1300, tags[4])]
    made = history.made(calldowns=calls).supply_of(1)
    assert [supply for _, supply in supply_at(made, [500, 1066, 1067, 1500, 2001, 3001])] == [16, 8, 16, 16, 0, 8]


@pytest.mark.parametrize(
    ("build", "distance", "source"),
    [
        (38215, 272, "queue"),
        (38215, 237, "queue"),  # boosted all the time in 3.x
        (38215, 181, "born_minus_build_time"),
        (24944, 181, "queue"),  # boosted from start to end in Heart of the Swarm
        (24944, 237, "born_minus_build_time"),
    ],
)
def test_probes_of_one_nexus_follow_each_other(build: int, distance: int, source: str) -> None:
    facts = production_facts(build)
    assert facts.build_loops["Probe"] == 272
    history = History()
    history.born(1000, 1, "Probe")
    history.born(1000 + distance, 2, "Probe")
    second = history.made(facts=facts).steps[-1]
    assert (second.start_source, second.end) == (source, 1000 + distance)
    assert second.start == (1000 if source == "queue" else 1000 + distance - 272)


@given(st.lists(any_change, max_size=40), st.lists(st.integers(0, 300), max_size=5))
def test_any_history_has_an_answer(found: list[tuple[int, int, int, str, int]], orders: list[int]) -> None:
    rows: list[tuple[Any, ...]] = []
    for order, (loop, change, unit, kind, player) in enumerate(sorted(found, key=lambda row: row[0])):
        rest: tuple[Any, ...] = {
            changes.INIT: (kind, player, 0, 0, None, None, None),
            changes.BORN: (kind, player, 0, 0, unit, 1, None),
            changes.DONE: (),
            changes.TYPE: (kind,),
            changes.OWNER: (player,),
            changes.DIED: (0, 0, player or None, None, None),
        }[change]
        rows.append((order, loop, change, unit, 1, *rest))
    made = Production(history_of(rows), [], [(loop, 1, "TrainProbe") for loop in sorted(orders)], FACTS)
    assert [step.start for step in made.steps] == sorted(step.start for step in made.steps)
    for step in made.steps:
        assert step.end is None or 0 <= step.start <= step.end
        assert (step.end is None) == (step.outcome == "unfinished")


@pytest.mark.parametrize(("base_build", "share"), [(95299, 1.0), (97364, 0.6), (97563, 0.5)])
def test_gateways_are_faster_after_the_research_of_warp_gates(base_build: int, share: float) -> None:
    facts = production_facts(base_build)
    needed = facts.build_loops["Zealot"]
    history = History()
    history.born(5000 + needed, 1, "Zealot")
    history.born(9000 + round(needed * share), 2, "Zealot")
    commands = ((5000, 1, "TrainZealot"), (9000, 1, "TrainZealot"))
    made = history.made(*commands, upgrades=[(9, 8000, 1, "WarpGateResearch")], facts=facts)
    starts = [(step.start, step.start_source) for step in made.steps if step.name == "Zealot"]
    assert starts == [(5000, "command"), (9000, "command")]


def test_a_boosted_upgrade_of_the_only_forge_begins_after_the_last_one() -> None:
    """Weapons end at 4000, shields 2,000 loops later, not 2,720: otherwise it needs a second Forge."""
    history = History()
    history.init(100, 1, "Forge")
    history.done(1000, 1)
    orders = [(1280, 1, "UpgradeGroundWeapons1"), (3300, 1, "UpgradeShields1")]
    upgrades = [(8, 4000, 1, "ProtossGroundWeaponsLevel1"), (9, 6000, 1, "ProtossShieldsLevel1")]
    assert [brief(step) for step in history.made(*orders, upgrades=upgrades).steps[1:]] == [
        ("ProtossGroundWeaponsLevel1", 1280, "command", 4000, "finished"),
        ("ProtossShieldsLevel1", 4000, "queue", 6000, "finished"),
    ]
    history.init(200, 2, "Forge")
    assert history.made(*orders, upgrades=upgrades).steps[-1].start == 3300


def test_what_a_map_spawns_was_not_begun_at_the_start() -> None:
    history = History()
    history.born(0, 1, "Nexus")
    history.born(90, 2, "Probe")
    assert [brief(step) for step in history.made().steps] == [("Probe", 90, "unknown", 90, "finished")]
