"""Numbers beyond 64 bits, late recordings, negative numbers of units, forks while another thread reads."""

from __future__ import annotations

import gzip
import lzma
import os
import subprocess
import sys
import textwrap
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.cli.in_process import run as command
from tests.samples.blizzard import EventWriter
from tests.samples.sc2 import replay as sc2
from tests.samples.sc2.events import sample_streams
from tests.samples.source2 import dota2

import playhead
from playhead.blizzard.protocol.tables import TRACKER
from playhead.corpus import scan
from playhead.registry import BUILTIN_FORMATS, list_formats
from playhead.sc2.protocol.tables import protocol_table
from playhead.teehistorian.stream.messages import Finish, Join, PlayerNew, TickSkip
from playhead.teehistorian.writing.writer import TeehistorianWriter
from playhead.text.json import to_json

pytestmark = pytest.mark.slow_interpreted

HUGE = str(10**30)


@pytest.fixture(scope="module")
def replays(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("replays")
    return [format.write_sample(folder) for format in list_formats()]


@pytest.mark.parametrize("number", [HUGE, f"-{HUGE}", "9" * 5000, "99999999999999999999"])
def test_numbers_beyond_64_bits_are_usage_errors(replays: list[Path], number: str) -> None:
    tees = replays[-1]
    for words in (
        ("sql", "select 1", tees, f"--rows={number}"),
        ("messages", tees, f"--limit={number}"),
        ("patterns", tees, f"--client={number}"),
        ("patterns", tees, f"--session={number}"),
        ("runs", tees, f"--run={number}"),
        ("runs", tees, f"--session={number}"),
        ("export", tees, tees, "-o", tees.parent / "lake", f"--shard-inputs={number}"),
    ):
        found = command(*words)
        assert found.returncode == 2, found


@pytest.mark.parametrize(
    "time", [f"{HUGE}t", f"{HUGE}s", f"{HUGE}:00", "9999999999t", "-9999999999t", "9999999999s"]
)
def test_times_beyond_the_recording_are_errors_of_ours(replays: list[Path], time: str) -> None:
    for path in replays:
        assert command("at", path, time).returncode in (1, 2)
        assert command("slice", path, f"--from={time}", f"--to={time}", "-o", path.parent / "cut").returncode in (
            1,
            2,
        )


@pytest.mark.long
def test_a_late_recording_has_a_report(tmp_path: Path) -> None:
    writer = TeehistorianWriter({"version": "2", "map_name": "late", "uuids": []})
    writer.write(Join(0))
    writer.write(TickSkip(0x7FFFFF00))
    for step in range(50):
        writer.write(PlayerNew(0, 320 + step, 320)) if step == 0 else writer.write(TickSkip(1))
    writer.write(Finish())
    path = tmp_path / "late.teehistorian"
    path.write_bytes(writer.to_bytes())
    for name in ("report", "export"):
        assert command(name, path, "-o", tmp_path / name).returncode in (0, 3)


@pytest.mark.parametrize("start", [0, 1 << 30, 0x7FFFFF00])
def test_a_late_game_has_a_report(tmp_path: Path, start: int) -> None:
    table = protocol_table(sc2.HEADER.base_build, sc2.HEADER.build)
    writer = EventWriter(table, TRACKER)
    writer.write(start, 0, "SPlayerSetupEvent", m_playerId=1, m_type=1, m_userId=0, m_slotId=0)
    for loop in range(start + 1, start + 200, 50):
        writer.write(loop, 0, "SPlayerStatsEvent", m_playerId=1)
    path = tmp_path / "late.SC2Replay"
    path.write_bytes(sc2.archive(sc2.HEADER, {**sample_streams(table), TRACKER: writer.to_bytes()}))
    for name in ("report", "export"):
        assert command(name, path, "-o", tmp_path / name).returncode in (0, 3)


def test_events_of_a_game_that_goes_on_from_a_save_are_in_time_order() -> None:
    """Its tracker sets the players up again, in loop 0: loops have 32 bits."""
    table = protocol_table(sc2.HEADER.base_build, sc2.HEADER.build)
    writer = EventWriter(table, TRACKER)
    for loop in (0, 160, 1 << 32, (1 << 32) + 320):
        writer.write(loop, 0, "SPlayerSetupEvent", m_playerId=1, m_type=1, m_userId=0, m_slotId=0)
        writer.write(loop, 0, "SPlayerStatsEvent", m_playerId=1)
    replay = playhead.open(sc2.archive(sc2.HEADER, {**sample_streams(table), TRACKER: writer.to_bytes()}))
    assert [each.tick for each in replay.events("tracker")] == [0] * 4 + [160] * 2 + [320] * 2
    told = [(each.tick, each.kind) for each in replay.events()]
    rows = replay.table("events", columns=["tick", "kind"]).to_pylist()
    assert told == [(row["tick"], row["kind"]) for row in rows] == sorted(told, key=lambda each: each[0])


@pytest.mark.parametrize("index", [-1, -(1 << 31), 1 << 40, -(1 << 60)])
def test_numbers_of_units_may_be_negative(index: int) -> None:
    table = protocol_table(sc2.HEADER.base_build, sc2.HEADER.build)
    writer = EventWriter(table, TRACKER)
    unit = {"m_unitTagIndex": index, "m_unitTagRecycle": index}
    writer.write(0, 0, "SUnitBornEvent", m_unitTypeName=b"Marine", m_controlPlayerId=1, m_upkeepPlayerId=1, **unit)
    writer.write(9, 0, "SUnitDiedEvent", **unit)
    replay = playhead.open(sc2.archive(sc2.HEADER, {**sample_streams(table), TRACKER: writer.to_bytes()}))
    assert replay.table("units").num_rows == 1 or replay.problems  # it may exceed the type
    assert replay.table("events").num_rows
    assert replay.at(5).units or replay.problems


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_while_another_thread_reads_does_not_hang(replays: list[Path]) -> None:
    text = f"""
        import os, threading, playhead
        replay = playhead.open({str(replays[2])!r})
        held, done = threading.Event(), threading.Event()
        def hold():
            with replay.lock:
                held.set()
                done.wait(20)
        threading.Thread(target=hold, daemon=True).start()
        held.wait()
        child = os.fork()
        if not child:
            replay.info, replay.players
            os._exit(0)
        _, status = os.waitpid(child, 0)
        done.set()
        print(os.waitstatus_to_exitcode(status))
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout.strip()) == (0, "0"), done.stderr


def test_the_sanitizers_see_the_buffers_of_arrow() -> None:
    script = Path(__file__).parents[2] / "fuzz" / "sanitized.sh"
    assert "export ARROW_DEFAULT_MEMORY_POOL=system" in script.read_text()


def test_tools_of_releases_are_pinned_by_hash() -> None:
    folder = Path(__file__).parents[2] / ".github"
    pinned = (folder / "tools.txt").read_text()
    assert all(f"\n{name}==" in pinned for name in ("build", "uv", "twine", "cibuildwheel"))
    names = [line for line in pinned.splitlines() if "==" in line]
    assert pinned.count("--hash=sha256:") > len(names)
    for path in (folder / "workflows").glob("*.yml"):
        for line in path.read_text().splitlines():
            if "pip install" in line and "dist/" not in line:
                assert "--require-hashes -r .github/tools.txt" in line or not any(
                    f" {name}" in line for name in ("build", "uv", "twine", "cibuildwheel")
                ), line


def test_an_index_is_bound_to_every_byte(tmp_path: Path) -> None:
    path = BUILTIN_FORMATS[-1].write_sample(tmp_path)
    data = path.read_bytes() + bytes(400_000)
    path.write_bytes(data)
    assert not playhead.open(path).use_index()  # type: ignore[attr-defined]
    assert playhead.open(path).use_index()  # type: ignore[attr-defined]
    for place in (70_000, 150_000, 300_000, len(data) - 70_000):
        changed = bytearray(data)
        changed[place] ^= 1
        path.write_bytes(changed)
        assert not playhead.open(path).use_index()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "condition",
    [{"build": ">>5"}, {"start_time": ">2020"}, {"build": [">x"]}, {"map": "==>x"}, {"duration_seconds": "long"}],
)
def test_a_condition_that_no_value_can_fit_is_refused_at_once(condition: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=next(iter(condition))):
        scan(str(tmp_path)).filter(**condition)


def test_the_limit_that_hides_the_game_is_named(tmp_path: Path) -> None:
    with (
        playhead.open(dota2.sample_demo()[0], limits=playhead.Limits(frame=50)) as replay,
        pytest.raises(KeyError, match=r"no table 'positions'.*over the limit of 50"),
    ):
        replay.table("positions")


def test_a_file_that_is_compressed_twice_is_told() -> None:
    with pytest.raises(playhead.UnknownFormat, match="found xz data inside compressed data"):
        playhead.open(gzip.compress(lzma.compress(sc2.sample_bytes())))


def test_the_limit_of_a_decompressor_names_the_file() -> None:
    asks = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]
    with pytest.raises(playhead.LimitExceeded, match="asks for more") as found:
        playhead.open(lzma.compress(sc2.sample_bytes(), filters=asks))
    assert found.value.file == "<bytes>"


def test_sums_are_numbers() -> None:
    held = [Decimal(119), Decimal("0.5"), Decimal(1 << 70), Decimal("12345678901234567890.123")]
    assert to_json(held) == f'[119, 0.5, "{1 << 70}", "12345678901234567890.123"]'


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts what a process asks for")
def test_what_arrow_reserves_does_not_count_as_memory_of_a_call() -> None:
    """Its allocator asks for 1 GiB at its first use, and got it whenever other memory had just become free."""
    code = """
    from threading import Thread
    import pyarrow as pa
    from playhead.runtime.bounded import confined

    held = bytearray(35 << 20)
    with confined(1 << 30):
        del held
        assert len(pa.array(range(1000))) == 1000
        assert len(bytearray(100 << 20))
        Thread(target=print, args=("begun",)).start()
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.stdout == "begun\n", done.stderr
