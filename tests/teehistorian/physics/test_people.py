"""What people do beside playing: type, pause, watch, practise and die, on written maps."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.teehistorian.physics.test_parts import write_layers
from tests.teehistorian.physics.written_games import FLOOR, JUMP, STILL, write_map, write_recording

import playhead
from playhead.teehistorian.network import encode_network, six
from playhead.teehistorian.physics.world.entities import Plasma
from playhead.teehistorian.physics.world.shots import Beam
from playhead.teehistorian.stream import extensions as ex
from playhead.teehistorian.stream.messages import ConsoleCommand, Finish, Join, NetMessage
from playhead.teehistorian.writing.writer import TeehistorianWriter

RIGHT, LEFT_IN_CHAT = (1, 100, 0, 0, 0, 0, 1, 0, 0, 0), (-1, 100, 0, 0, 0, 0, 5, 0, 0, 0)


def played(
    tmp_path: Path,
    ticks: int,
    story: dict[int, list[Any]],
    tiles: dict[tuple[int, int], int] | None = None,
    joins: dict[int, list[Any]] | None = None,
    **header: Any,
) -> Any:
    """Simulate tees at one place.

    `story`: at each tick records, and client ids that appear or are gone; `joins`: records before a client joins.
    """
    sha256 = write_map(tmp_path / "floor.map", tiles)
    fields = {"version": "2", "version_minor": "22", "server_version": "0.6, 20.1", "map_name": "floor"}
    writer = TeehistorianWriter({**fields, "map_sha256": sha256, **header})
    tees: set[int] = set()
    for cid, name in enumerate(("alice", "bob")):
        for record in (joins or {}).get(cid, ()):
            writer.record(record)
        writer.record(Join(cid))
        writer.record(ex.PlayerName(cid, name))
    for tick in range(1, ticks):
        writer.set_tick(tick)
        moves = [one for one in story.get(tick, ()) if isinstance(one, int)]
        for cid in moves:
            tees ^= {cid}
        for cid in range(2):
            if cid in tees:
                writer.tee_at(cid, 112 + 320 * cid, FLOOR)
            elif cid in moves:
                writer.tee_gone(cid)
        for one in story.get(tick, ()):
            if isinstance(one, tuple):
                writer.set_input(*one)
            elif not isinstance(one, int):
                writer.record(one)
    writer.record(Finish())
    return playhead.open(writer.to_bytes()).simulate(tmp_path)


def watched(simulation: Any, look: Callable[[Any], Any]) -> dict[int, Any]:
    """Return what `look` sees of the world after each tick."""
    seen: dict[int, Any] = {}

    def begin(rerun: Any, _: object) -> None:
        rerun.watcher = lambda tick: seen.update({tick: look(rerun.world)})

    for _ in simulation.passes(begin=begin):
        pass
    return seen


def said(command: str, *arguments: str) -> ConsoleCommand:
    return ConsoleCommand(0, 128, command, arguments)


def admin(command: str, *arguments: str) -> ConsoleCommand:
    return ConsoleCommand(-1, 4, command, arguments)


def test_a_new_tee_has_the_input_that_its_client_sent_last(tmp_path: Path) -> None:
    """Who types does not move, but after a death the tee begins with what was received meanwhile."""
    story = {1: [0], 3: [(0, RIGHT)], 6: [(0, LEFT_IN_CHAT)], 9: [0], 12: [0]}
    rows = {row["tick"]: row["direction"] for row in played(tmp_path, 16, story).table().to_pylist()}
    assert [rows[tick] for tick in (3, 4, 8)] == [0, 1, 1]
    assert [rows[tick] for tick in (12, 13, 15)] == [0, -1, -1]


PAUSES = [
    ([said("pause"), said("pause")], [1, 0]),
    ([said("pause", "bob"), said("pause", "bob"), said("spec", "bob")], [1, 0, 1]),
    ([said("spec", "bob"), said("pause", "carol"), said("pause")], [1, 1, 0]),
    ([said("pause"), NetMessage(0, encode_network(six.SetSpectatorMode(1))), said("spec", "bob")], [1, 1, 0]),
    ([said("pause", "bob"), NetMessage(1, encode_network(six.SetTeam(-1))), said("pause", "bob")], [1, 1, 1]),
]


@pytest.mark.parametrize(("commands", "paused"), PAUSES)
def test_pause_with_a_name_ends_only_for_the_client_that_is_watched(
    commands: list[Any], paused: list[int], tmp_path: Path
) -> None:
    story: dict[int, list[Any]] = {1: [0, 1], **{tick: [one] for tick, one in enumerate(commands, 3)}}
    seen = watched(played(tmp_path, 9, story), lambda world: world.tees[0].paused)
    assert [seen[tick] for tick in range(4, 4 + len(paused))] == paused


@pytest.mark.parametrize("practice", [0, 1])
def test_a_death_tile_freezes_a_practice_team(practice: int, tmp_path: Path) -> None:
    story: dict[int, list[Any]] = {60: [0], 63: [ex.PlayerTeam(0, 5), ex.TeamPractice(5, practice)]}
    rows = played(tmp_path, 69, story, {(3, 9): 2}).table().to_pylist()
    assert {row["freeze_ticks"] > 0 for row in rows if row["tick"] > 65} == {practice == 1}


def test_a_grenade_ends_with_its_owner(tmp_path: Path) -> None:
    up = (0, 0, -100, 0)
    story: dict[int, list[Any]] = {
        1: [0, 1],
        3: [(0, (*up, 0, 0, 1, 4, 0, 0))],
        5: [(0, (*up, 1, 0, 1, 4, 0, 0))],
        10: [0],
    }
    for setting, after in (("1", 0), ("0", 1)):
        header = {"config": {"sv_destroy_bullets_on_death": setting}}
        simulation = played(tmp_path, 14, story, {(3, 9): 191 + 9}, **header)
        shots = watched(simulation, lambda world: len(world.shots.projectiles))
        assert (shots[8], shots[12]) == (1, after)


@pytest.mark.parametrize(
    ("tile", "look", "value"),
    [
        (71, lambda world: world.lasers.old, True),
        (72, lambda world: world.tunings[0].player_collision, 0),
        (73, lambda world: world.tees[0].endless_hook, 1),
        (74, lambda world: world.tees[0].no_hits, 31),
        (75, lambda world: world.tunings[0].player_hooking, 0),
    ],
)
def test_tiles_that_are_settings(tile: int, look: Callable[[Any], Any], value: int, tmp_path: Path) -> None:
    assert watched(played(tmp_path, 4, {1: [0]}, {(9, 2): tile}), look)[2] == value
    assert watched(played(tmp_path, 4, {1: [0]}), look)[2] != value


def test_settings_that_are_not_simulated_are_a_problem(tmp_path: Path) -> None:
    story: dict[int, list[Any]] = {1: [0], 2: [admin("sv_pauseable", "1")]}
    simulation = played(tmp_path, 4, story, config={"sv_old_teleport_hook": "1", "sv_deepfly": "0"})
    assert simulation.exactness
    assert simulation.problems == ("not simulated: sv_pauseable",)


def test_an_admin_s_pause_takes_a_still_tee_out_of_the_world(tmp_path: Path) -> None:
    """It ends after its seconds, whatever the client asks for; until then its input does not count."""
    story: dict[int, list[Any]] = {1: [0, 1], 5: [admin("force_pause", "0", "1")], 8: [said("pause"), (0, RIGHT)]}
    simulation = played(tmp_path, 62, story)
    seen = watched(simulation, lambda world: (world.tees[0].paused, world.tees[0].direction, world.in_order()))
    assert seen[5] == (0, 0, [1, 0])
    assert seen[6] == seen[55] == (1, 0, [1])
    assert seen[56] == (0, 0, [0, 1])
    assert seen[57] == (0, 1, [0, 1])
    rows = {(row["tick"], row["client"]) for row in simulation.table().to_pylist()}
    assert {tick for tick in range(2, 62) if (tick, 0) not in rows} == set(range(6, 56))


@pytest.mark.parametrize("leaves", [True, False])
def test_who_joins_the_spectators_is_gone_before_the_next_tick(leaves: bool, tmp_path: Path) -> None:
    """Who dies on it is still hooked at its end."""
    hook = (0, 100, 0, 0, 0, 1, 1, 0, 0, 0)
    story: dict[int, list[Any]] = {1: [1], 2: [0], 3: [(0, hook)], 12: [1]}
    if leaves:
        story[11] = [NetMessage(1, encode_network(six.SetTeam(-1)))]
    hooked = watched(played(tmp_path, 14, story), lambda world: world.tees[0].hooked)
    assert [hooked[tick] for tick in (11, 12, 13)] == [1, -1 if leaves else 1, -1]


@pytest.mark.parametrize(("version", "elasticity"), [("0.6.4, 16.4", 0), ("0.6, 20.1", 0.5)])
def test_tuning_that_the_server_does_not_know_changes_nothing(
    version: str, elasticity: float, tmp_path: Path
) -> None:
    story: dict[int, list[Any]] = {1: [0], 2: [admin("tune", "ground_elasticity_x", "0.5")]}
    simulation = played(tmp_path, 5, story, server_version=version)
    assert watched(simulation, lambda world: world.tunings[0].ground_elasticity_x)[4] == elasticity


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the last bit is that of the server's C library")
def test_a_fast_tee_has_the_last_bit_of_the_server(tmp_path: Path) -> None:
    """Velocities that a server's demo has; powers and angles that are rounded from 64 bits give 960 and 1021."""
    sha256 = write_layers(tmp_path / "floor.map", speedup={(10, 3): (50, 28, 28, 98)})
    for start, begins, moved, expected in (
        ((112, 100), (1010, 3026), (116, 112), (959, 3154)),
        ((336, 112), (-3221.981689453125, 1043.8743896484375), (324, 116), (-3040, 1020)),
    ):
        data = write_recording(sha256, [start, moved], {})
        seen = {}

        def look(world: Any, begins: Any = begins, seen: dict[int, Any] = seen) -> None:
            tee = world.tees[0]
            seen[world.tick] = (tee.vel_x * 256, tee.vel_y * 256)
            if len(seen) == 1:
                tee.vel_x, tee.vel_y = (value / 256 for value in begins)

        watched(playhead.open(data).simulate(tmp_path), look)
        assert [*seen.values()][1] == expected


def test_a_speedup_flings_a_tee_that_has_no_velocity(tmp_path: Path) -> None:
    """As the server divides by zero: the velocity is no number, and so the least one."""
    sha256 = write_layers(tmp_path / "floor.map", speedup={(3, 5): (40, 30, 28, 90)})
    data = write_recording(sha256, [(112, 176)] * 5, {}, tuning={"gravity": "0"})
    rows = playhead.open(data).simulate(tmp_path).table().to_pylist()
    assert [row["velocity_x"] for row in rows[:2]] == [0, -(2.0**31) / 256 * 50]


def test_a_velocity_that_nothing_explains_is_the_middle_of_what_fits(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map")
    data = write_recording(sha256, [(112, 176), (112, 176), (117, 176)], {}, tuning={"gravity": "0"})
    rows = playhead.open(data).simulate(tmp_path).table().to_pylist()
    assert [(row["velocity_x"], row["exact"], row["known"]) for row in rows[1:]] == [
        (0, True, True),
        (5 * 50, False, False),
    ]


AIMS = [(0, (0, 100, number, 0, 0, 0, 1, 0, 0, 0)) for number in range(3)]
TYPES = (0, (0, 100, 7, 0, 0, 0, 5, 0, 0, 0))
HOOKS = (0, (0, 0, -100, 0, 0, 1, 1, 0, 0, 0))


@pytest.mark.parametrize(
    ("late", "minor", "unknown"),
    [
        (AIMS[2], "6", {9}),
        (HOOKS, "6", set(range(9, 19))),
        (HOOKS, "22", set()),
    ],
)
def test_an_input_that_may_lack_makes_the_state_uncertain(
    late: Any, minor: str, unknown: set[int], tmp_path: Path
) -> None:
    """After a tick without input, one that equals the last may have come too late, and acts instead.

    Another aim changes one tick; a hook that flies a tick later ends as the first one does.
    """
    story: dict[int, list[Any]] = {1: [0], 3: [AIMS[0]], 4: [AIMS[1]], 8: [late]}
    rows = played(tmp_path, 24, story, version_minor=minor, server_version="0.6.4, 17.4.2").table().to_pylist()
    assert {row["tick"] for row in rows if not row["known"]} == unknown
    assert all(row["exact"] for row in rows[1:])


@pytest.mark.parametrize(
    ("records", "unknown"),
    [
        ({7: [(1, RIGHT)], 8: [AIMS[2]]}, {9}),
        ({7: [AIMS[0]], 8: [AIMS[2]]}, {8}),
        ({8: [AIMS[2]], 9: [TYPES], 14: [AIMS[0]]}, set(range(9, 16))),
        ({8: [TYPES], 14: [AIMS[0]]}, {15}),
        ({8: [TYPES], 10: [(0, (0, 100, 8, 0, 0, 0, 5, 0, 0, 0))]}, set()),
    ],
)
def test_an_aim_is_uncertain_after_a_tick_without_input_of_its_client(
    records: dict[int, list[Any]], unknown: set[int], tmp_path: Path
) -> None:
    """It stays so while the client types, which moves nothing; what others sent does not tell."""
    story: dict[int, list[Any]] = {1: [0, 1], 3: [AIMS[0]], 4: [AIMS[1]], **records}
    rows = played(tmp_path, 24, story, version_minor="6", server_version="0.6.4, 17.4.2").table().to_pylist()
    assert {row["tick"] for row in rows if not row["known"] and row["client"] == 0} == unknown


@pytest.mark.parametrize("settings", [(), ("hook",), ("weapons",), ("hook", "weapons")])
def test_old_settings_leave_teleporters_to_hooks_and_shots(settings: tuple[str, ...], tmp_path: Path) -> None:
    """A hook or a bullet meets a teleporter above the tee, whose exit is at (272, 176)."""
    config = {f"sv_old_teleport_{name}": "1" for name in settings}
    sha256 = write_layers(tmp_path / "floor.map", tele={(3, 3): (1, 26), (8, 5): (1, 27)})
    inputs = {2: STILL, 3: (0, 0, -100, 0, 1, 1, 1, 0, 0, 0)}
    data = write_recording(sha256, [(112, 176)] * 7, inputs, tuning={"gravity": "0"}, config=config)
    simulation = playhead.open(data).simulate(tmp_path)
    assert not simulation.problems
    seen = watched(simulation, lambda world: (world.tees[0].hook_x, [x for _, x, _ in world.shots.places()]))
    assert seen[3][0] == (272 if "hook" in settings else 112)
    assert {x for _, places in seen.values() for x in places} == ({112, 272} if "weapons" in settings else {112})


@pytest.mark.parametrize("tile", [233, 220])
@pytest.mark.parametrize(("team", "moves"), [(5, True), (128, False)])
def test_draggers_and_turrets_spare_super_tees(team: int, moves: bool, tile: int, tmp_path: Path) -> None:
    """A dragger pulls a tee up, the plasma of a turret pushes it."""
    story = {1: [0], 2: [ex.PlayerTeam(0, team)]}
    counts = played(tmp_path, 120, story, {(5, 5): tile}, {}).exactness
    assert (counts["exact"] < counts["compared"]) == moves


@pytest.mark.parametrize("kind", [26, 10])
@pytest.mark.parametrize("setting", [None, "sv_old_teleport_hook", "sv_old_teleport_weapons"])
def test_old_settings_let_tees_pass_a_teleporter(setting: str | None, kind: int, tmp_path: Path) -> None:
    """An evil one takes them to its exit all the same, with their velocity of 5 units a tick."""
    sha256 = write_layers(tmp_path / "floor.map", tele={(3, 5): (1, kind), (8, 5): (1, 27)})
    ways = {(26, False): (277, 282), (10, False): (272, 274), (26, True): (105, 110), (10, True): (277, 282)}
    places = [(x, 176) for x in (80, 82, 85, 90, 95, 100, *ways[kind, setting is not None])]
    config = {setting: "1"} if setting else {}
    data = write_recording(sha256, places, {2: RIGHT}, tuning={"gravity": "0"}, config=config)
    assert playhead.open(data).simulate(tmp_path).exactness["exact"] == 7


@pytest.mark.parametrize("setting", ["0", "1"])
def test_a_teleporter_keeps_hooks_and_takes_weapons_by_settings(setting: str, tmp_path: Path) -> None:
    config = {"sv_teleport_hold_hook": setting, "sv_teleport_lose_weapons": setting}
    sha256 = write_layers(tmp_path / "floor.map", tele={(3, 5): (1, 26), (8, 5): (1, 27)})
    places = [(112, 176), (272, 176), (272, 176)]
    data = write_recording(sha256, places, {2: HOOKS[1]}, tuning={"gravity": "0"}, config=config)
    simulation = playhead.open(data).simulate(tmp_path)
    hooks = watched(simulation, lambda world: (world.tees[0].hook_state, world.takes_weapons))
    assert hooks[2] == ((4, True) if setting == "1" else (-1, False))


def test_every_input_of_a_stalled_tick_can_fire(tmp_path: Path) -> None:
    """Nine inputs come at once; the eighth shoots, with its own aim."""
    still, press = (0, 100, 0, 0, 0, 0, 1, 0, 0, 0), (0, 0, -100, 0, 1, 0, 1, 0, 0, 0)
    last = (0, -100, 0, 0, 1, 0, 1, 0, 0, 0)
    given = [(0, (0, 100 + i, 0, 0, 0, 0, 1, 0, 0, 0)) for i in range(7)]
    story: dict[int, list[Any]] = {1: [0], 3: [(0, still)], 6: [*given, (0, press), (0, last)]}
    shots = played(tmp_path, 12, story).table("shots").to_pylist()
    assert [(shot["aim_x"], shot["aim_y"]) for shot in shots] == [(0, -100)]


def test_late_inputs_push_the_first_recorded_one_back(tmp_path: Path) -> None:
    """A late server gets several inputs at once. The only one that changes something is seldom first."""
    other = [(1, (0, 100, number, 0, 0, 0, 1, 0, 0, 0)) for number in range(1, 4)]
    story: dict[int, list[Any]] = {1: [0, 1], 3: [AIMS[0], (1, AIMS[0][1])], 4: [AIMS[1]], 8: [AIMS[2], *other]}
    for late, seen in ((story, 1), ({**story, 8: [AIMS[2]]}, 2)):
        simulation = played(tmp_path, 14, late, version_minor="6", server_version="0.6.4, 17.4.2")
        rows = {row["tick"]: row["angle"] for row in simulation.table(players=[0]).to_pylist()}
        assert [round(100 * math.tan(math.radians(rows[tick]))) for tick in (9, 10)] == [seen, 2]


def test_a_late_input_that_is_not_recorded_switches_weapons_too(tmp_path: Path) -> None:
    """The hammer waits for the reload; on a late tick the first input takes it, the second the gun again."""
    press, hammer, gun, turned = (
        (0, (0, 100 + i, 0, 0, 1, 0, 1, wanted, 0, 0)) for i, wanted in ((0, 0), (0, 1), (0, 2), (1, 2))
    )
    other = [(1, (0, 100, number, 0, 0, 0, 1, 0, 0, 0)) for number in range(3)]
    story: dict[int, list[Any]] = {1: [0, 1], 3: [AIMS[0], other[0]], 5: [press], 6: [hammer], 7: [gun]}
    rows = played(tmp_path, 15, {**story, 11: [turned, *other[1:]]}).table(players=[0]).to_pylist()
    assert {row["weapon"] for row in rows} == {"gun"}


def test_two_tees_push_each_other_as_32_bit_numbers_do(tmp_path: Path) -> None:
    """With 40.6 instead of 28 x 1.45 in 32 bits, the velocity is a step smaller."""
    sha256 = write_map(tmp_path / "floor.map")
    fields = {"version": "2", "version_minor": "22", "server_version": "0.6, 20.1", "map_name": "floor"}
    writer = TeehistorianWriter({**fields, "map_sha256": sha256, "tuning": {"gravity": "10"}})
    for cid in range(2):
        writer.record(Join(cid))
    for tick, places in ((1, ((131, 165), (112, 176))), (2, ((139, 161), (109, 178)))):
        writer.set_tick(tick)
        for cid, place in enumerate(places):
            writer.tee_at(cid, *place)
    writer.record(Finish())
    row = playhead.open(writer.to_bytes()).simulate(tmp_path).at(2)[0]
    assert (row["exact"], row["velocity_x"], row["velocity_y"]) == (True, 1976 / 256 * 50, -1123 / 256 * 50)


@pytest.mark.parametrize("newer", ["beam", "plasma"])
def test_beams_and_plasma_act_in_the_order_of_their_making(newer: str, tmp_path: Path) -> None:
    """The newest acts first: a tee that a laser thaws after a turret froze it is free, and the other way round."""
    simulation = played(tmp_path, 64, {1: [0, 1]})
    frozen: dict[int, bool] = {}

    def begin(rerun: Any, _: object) -> None:
        def watch(tick: int) -> None:
            world = rerun.world
            if tick == 60:
                beam = Beam(4, 1, 2 if newer == "beam" else 1)
                beam.x, beam.y, beam.dx, beam.energy, beam.seen = 60, FLOOR, 1, 400, 1
                world.lasers.beams.append(beam)
                made = 1 if newer == "beam" else 2
                world.entities.plasma.append(Plasma(90, FLOOR, 10, 0, True, False, 0, made))
            frozen[tick] = world.tees[0].freeze_ticks > 0

        rerun.watcher = watch

    for _ in simulation.passes(begin=begin):
        pass
    assert (frozen[60], frozen[61]) == (False, newer == "beam")


def test_a_teleport_keeps_a_deep_freeze(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map", {(3, 9): 12})
    fields = {"version": "2", "version_minor": "22", "server_version": "0.6, 20.1", "map_name": "floor"}
    writer = TeehistorianWriter({**fields, "map_sha256": sha256})
    writer.record(Join(0))
    for tick in range(1, 12):
        writer.set_tick(tick)
        writer.tee_at(0, 112 if tick < 7 else 752, FLOOR)
        if tick == 2:
            writer.record(ex.PlayerTeam(0, 5))
            writer.record(ex.TeamPractice(5, 1))
        if tick == 6:
            writer.record(said("tp"))
    writer.record(Finish())
    rows = playhead.open(writer.to_bytes()).simulate(tmp_path).table().to_pylist()
    assert {row["tick"]: row["deep_frozen"] for row in rows if row["tick"] in (6, 8)} == {6: True, 8: True}
    assert all(row["exact"] for row in rows[1:])


def test_positions_narrow_a_velocity_that_nothing_explains(tmp_path: Path) -> None:
    """A tee falls half a unit faster each tick. The first ways tell its velocity; no later one differs."""
    sha256 = write_map(tmp_path / "floor.map")
    places, y, velocity = [(112, 80)], 80, 2.9
    for _ in range(14):
        y = math.floor(y + velocity + 0.5)
        places.append((112, y))
        velocity += 0.5
    simulation = playhead.open(write_recording(sha256, places, {}, tuning={"gravity": "50"})).simulate(tmp_path)
    rows = simulation.table().to_pylist()
    assert [row["tick"] for row in rows if row["exact"] is False] == [2, 3]


@pytest.mark.parametrize("protocol", [6, 7])
def test_a_0_7_client_joins_the_spectators_without_a_message(protocol: int, tmp_path: Path) -> None:
    """Its tee is gone before the tick: nobody hooks it at the end of it."""
    hook = (0, 100, 0, 0, 0, 1, 1, 0, 0, 0)
    story: dict[int, list[Any]] = {1: [1], 2: [0], 3: [(0, hook)], 12: [1]}
    joins = {1: [ex.JoinVersion7(1)] if protocol == 7 else [ex.JoinVersion6(1)]}
    simulation = played(tmp_path, 14, story, joins=joins)
    hooked = watched(simulation, lambda world: world.tees[0].hooked)
    assert [hooked[tick] for tick in (11, 12, 13)] == [1, -1 if protocol == 7 else 1, -1]
    reasons = [row["reason"] for row in simulation.table("deaths").to_pylist()]
    assert reasons == ["spectators" if protocol == 7 else None]


def test_a_rescue_returns_to_the_last_ground_with_the_jumps_of_then(tmp_path: Path) -> None:
    """A tee holds jump in the air; its rescue lets it jump from the floor at once."""
    sha256 = write_map(tmp_path / "floor.map")
    fields = {"version": "2", "version_minor": "22", "server_version": "0.6, 20.1", "map_name": "floor"}
    writer = TeehistorianWriter({**fields, "map_sha256": sha256})
    writer.record(Join(0))
    for tick, place in enumerate([(112, FLOOR)] * 5 + [(752, 100), (752, 87), (112, 292), (112, 279)], 1):
        writer.set_tick(tick)
        writer.tee_at(0, *place)
        if tick == 2:
            writer.record(ex.PlayerTeam(0, 5))
            writer.record(ex.TeamPractice(5, 1))
        if tick in (5, 7):
            writer.record(said("tp" if tick == 5 else "r"))
        if tick == 6:
            writer.set_input(0, JUMP)
    writer.record(Finish())
    row = playhead.open(writer.to_bytes()).simulate(tmp_path).at(8)[0]
    assert (row["exact"], row["velocity_y"]) == (True, pytest.approx(-660, abs=1))


def test_a_server_that_rescues_everybody_returns_the_whole_tee(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map")
    fields = {"version": "2", "version_minor": "4", "server_version": "0.6, 16.4", "map_name": "floor"}
    writer = TeehistorianWriter({**fields, "map_sha256": sha256, "config": {"sv_rescue": "1"}})
    writer.record(Join(0))
    for tick, y in enumerate([FLOOR] * 3 + [292, 279, FLOOR, FLOOR], 1):
        writer.set_tick(tick)
        writer.tee_at(0, 112, y)
        if tick == 5:
            writer.record(said("r"))
        if tick in (3, 5):
            writer.set_input(0, JUMP if tick == 3 else STILL)
    writer.record(Finish())
    row = playhead.open(writer.to_bytes()).simulate(tmp_path).at(6)[0]
    assert (row["exact"], row["known"], row["air_jumps_left"], row["velocity_y"]) == (True, True, 1, 0)


@pytest.mark.parametrize("version", ["16.4", "20.1"])
def test_a_tee_that_finishes_touches_its_new_team_on_the_same_tick(version: str, tmp_path: Path) -> None:
    """Servers before 18.3 record no finish: the line under a tee that leaves its team tells it."""
    sha256 = write_map(tmp_path / "floor.map", {(3, 9): 34})
    fields = {"version": "2", "server_version": f"0.6, {version}", "map_name": "floor", "map_sha256": sha256}
    uuids = [ex.PlayerFinish.extension_name] if version == "20.1" else []
    writer = TeehistorianWriter({**fields, "uuids": uuids})
    writer.record(Join(0))
    for tick in range(1, 6):
        writer.set_tick(tick)
        writer.tee_at(0, 112, FLOOR)
        if tick == 2:
            writer.record(ex.PlayerTeam(0, 5))
        if tick == 4:
            writer.record(ex.PlayerTeam(0, 0))
    writer.record(Finish())
    left = watched(playhead.open(writer.to_bytes()).simulate(tmp_path), lambda world: dict(world.leaving))
    assert (left[3], left[4]) == ({}, {0: 0} if version == "16.4" else {})


COMMANDS = [
    ([admin("force_pause", "3", "9")], lambda world: world.tees[3].paused, 0),
    ([said("ninjajetpack")], lambda world: world.tees[0].sword, 1),
    ([said("ninjajetpack"), said("ninjajetpack", "0")], lambda world: world.tees[0].sword, 0),
    ([admin("freezehammer", "1")], lambda world: world.tees[1].freeze_hammer, 1),
    ([admin("freezehammer", "1"), admin("unfreezehammer", "1")], lambda world: world.tees[1].freeze_hammer, 0),
]


@pytest.mark.parametrize(("commands", "look", "seen"), COMMANDS)
def test_commands_act_on_those_whom_they_name(
    commands: list[Any], look: Callable[[Any], Any], seen: int, tmp_path: Path
) -> None:
    """Nobody has slot 3; a client chooses whether its jetpack looks like a sword, which shoots nothing."""
    simulation = played(tmp_path, 6, {1: [0, 1], 3: commands}, config={"sv_test_cmds": "1"})
    assert watched(simulation, look)[4] == seen


def test_an_administrator_puts_a_tee_where_another_one_is(tmp_path: Path) -> None:
    """It keeps its velocity there, so the place is no guess."""
    sha256 = write_map(tmp_path / "floor.map")
    fields = {"version": "2", "version_minor": "4", "server_version": "0.6, 16.4", "map_name": "floor"}
    writer = TeehistorianWriter({**fields, "map_sha256": sha256, "config": {"sv_test_cmds": "1"}})
    for cid in range(2):
        writer.record(Join(cid))
    for tick in range(1, 6):
        writer.set_tick(tick)
        writer.tee_at(0, 112 if tick < 4 else 432, FLOOR)
        writer.tee_at(1, 432, FLOOR)
        if tick == 3:
            writer.record(admin("tele", "0", "1"))
    writer.record(Finish())
    row = playhead.open(writer.to_bytes()).simulate(tmp_path).at(4)[0]
    assert (row["x"], row["exact"], row["known"]) == (432, True, True)
