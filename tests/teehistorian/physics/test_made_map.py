"""Games on a map with every tile and entity: compiled and interpreted alike, and as a real server plays them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("twmap")

from tests.teehistorian.physics.demo_reader import read_demo
from tests.teehistorian.physics.made_map import (
    LIGHTS,
    MACHINES,
    ON_WALLS,
    PICKUPS,
    TELEPORTERS,
    TILES,
    write_made_map,
)
from tests.teehistorian.physics.written_games import outputs_both_ways

import playhead
from playhead.teehistorian.stream.messages import Finish, Join
from playhead.teehistorian.writing.writer import TeehistorianWriter

SERVER = shutil.which("DDNet-Server") or shutil.which("DDNet-Server", path="/usr/games:/usr/lib/ddnet")


def random_game(sha256: str, ticks: int = 70, tees: int = 6) -> bytes:
    """Tees with random inputs, each put to another place now and then."""
    random = Random(4)
    header = {"version": "2", "version_minor": "22", "server_version": "0.6, 20.1", "map_name": "made"}
    seed = f"pcg-xsh-rr:{1:016x}:{2:016x}"
    writer = TeehistorianWriter({**header, "map_sha256": sha256, "prng_description": seed})
    for cid in range(tees):
        writer.record(Join(cid))
    places = [(0, 0)] * tees
    fires = [0] * tees
    for tick in range(1, ticks):
        writer.set_tick(tick)
        for cid in range(tees):
            if tick % 20 == 1 or not places[cid][0]:
                places[cid] = (random.randint(100, 6900), random.randint(100, 1800))
            writer.tee_at(cid, *places[cid])
            fires[cid] += random.random() < 0.4
            aim = random.randint(-300, 300), random.randint(-300, 300)
            pressed = random.randint(-1, 1), int(random.random() < 0.3), int(random.random() < 0.6)
            wanted = random.choice((0, 0, 1, 2, 3, 4, 5))
            writer.set_input(cid, (pressed[0], *aim, pressed[1], fires[cid], pressed[2], 1, wanted, 0, 0))
    writer.record(Finish())
    return writer.to_bytes()


def test_the_map_has_everything(tmp_path: Path) -> None:
    sha256 = write_made_map(tmp_path / "made.map")
    found = playhead.open(random_game(sha256, 5)).simulate(tmp_path).map
    both = {*found.tiles.layer("game"), *found.tiles.layer("front")}
    assert {*TILES, *ON_WALLS, 1, 3} <= both
    assert {*PICKUPS, *MACHINES, *LIGHTS, 49} <= {entity.kind for entity in found.entities}
    assert {*TELEPORTERS, 27, 29, 30} <= {*found.tiles.layer("tele")}
    assert {7, 9, 12, 13, 19, 20, 22, 23, 24, 25, 98, 99, 144, 145} <= {*found.tiles.layer("switch")}
    assert any(found.tiles.layer("speedup_force"))
    assert any(found.tiles.layer("tune"))
    assert found.tiles.has_doors
    assert len(found.settings) == 9


SCRIPT = """
import hashlib, sys, playhead
simulation = playhead.open(sys.argv[1]).simulate(sys.argv[2])
for name in simulation.tables:
    print(name, hashlib.sha256(repr(simulation.table(name).to_pydict()).encode()).hexdigest())
print(hashlib.sha256(simulation.write_demo(sys.argv[3]).read_bytes()).hexdigest())
"""


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_compiled_and_interpreted_give_the_same_bytes(tmp_path: Path) -> None:
    sha256 = write_made_map(tmp_path / "made.map")
    (tmp_path / "game").write_bytes(random_game(sha256))
    found = outputs_both_ways(SCRIPT, tmp_path / "game", tmp_path, tmp_path / "x.demo")
    assert len(found) == 1


#: Let bots play with inputs that always differ from the one before. Of two inputs that reach a busy server in one
#: tick it applies the first, and does not record it if it repeats the last one.
PLAY = """
import runpy, sys
from pathlib import Path
path = Path(sys.argv[1])
sys.path.insert(0, str(path.parent))
import twbots
wander = twbots.wander
def wander_on(bot, now):
    aim = bot.inp[1]
    wander(bot, now)
    bot.inp[1] += bot.inp[1] == aim
twbots.wander = wander_on
del sys.argv[0]
runpy.run_path(str(path), run_name="__main__")
"""


@pytest.fixture(scope="module")
def played(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record twelve bots on the made map for some seconds; return the server's folder."""
    tools = corpus.parent / "tools" / "ddnet"
    if SERVER is None or not (tools / "play.py").is_file():
        pytest.skip("DDNet-Server or the program that plays on it is missing")
    pytest.importorskip("twnet_parser")
    folder = tmp_path_factory.mktemp("server")
    for name in ("maps", "maps7"):
        (folder / name).mkdir()
        write_made_map(folder / name / "made.map")
    settings = corpus / "teehistorian" / "deb16.4-physics" / "server.cfg"
    text = settings.read_text().replace("sv_map sunny", "sv_map made")
    (folder / "autoexec_server.cfg").write_text(text)
    (folder / "storage.cfg").write_text("add_path .\nadd_path /usr/share/games/ddnet/data\n")
    with subprocess.Popen([SERVER, "sv_port 8397"], cwd=folder, stdout=subprocess.DEVNULL) as server:
        try:
            play = [sys.executable, "-c", PLAY, str(tools / "play.py"), "8397", "12", "10", "made"]
            subprocess.run(play, check=True, timeout=90)
            server.wait(20)
        finally:
            server.kill()
    return folder


@pytest.mark.long
@pytest.mark.real_server
def test_a_real_server_plays_the_same(played: Path, tmp_path: Path) -> None:
    recording = next((played / "teehistorian").glob("*.teehistorian"))
    simulation = playhead.open(recording).simulate(played / "maps")
    counts = simulation.exactness
    assert counts["compared"] > 3000
    assert counts["exact"] >= 0.999 * counts["compared"]
    written = simulation.write_demo(tmp_path / "own.demo")
    ours = {chunk.tick: chunk.items for chunk in read_demo(written) if chunk.items is not None}
    compared = equal = aims = 0
    for chunk in read_demo(played / "demos" / "made.demo"):
        own = ours.get(chunk.tick)
        for (kind, number), fields in (chunk.items or {}).items():
            if own is not None and kind == 9 and fields[0] == chunk.tick and (kind, number) in own:
                compared += 1
                equal += _without_aim(fields) == _without_aim(own[kind, number])
                aims += fields[5] == own[kind, number][5]
    assert compared > 2000
    assert equal >= 0.999 * compared
    assert aims >= 0.999 * compared


def _without_aim(fields: tuple[int, ...]) -> tuple[int, ...]:
    """Return the core fields of a character but its aim, and the weapon."""
    return fields[1:5] + fields[6:15] + fields[19:20]
