"""One budget for all that a file asks for: members, events, headers and steps of time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.hostile import attempts, makers
from tests.hostile.makers import far_demo
from tests.samples.sc2.replay import sample_bytes
from tests.samples.source2 import dota2

import playhead
from playhead import LimitExceeded, Limits
from playhead.dota2.sources.game_clock import GameClock
from playhead.io.compression import compression_of, inflate

pytestmark = [
    pytest.mark.slow_interpreted,
    pytest.mark.skipif(not Path("/proc").exists(), reason="bounds of memory need Linux"),
]

LIMIT = "LimitExceeded"


def kinds(replay: playhead.Replay) -> set[str]:
    """Return the classes of a replay's problems."""
    return {problem.kind for problem in replay.problems}


# -- far ticks -----------------------------------------------------------------------------------------------

FAR: Mapping[str, Callable[[], bytes]] = {
    "tracker.SC2Replay": makers.far_tracker,
    "game.SC2Replay": makers.far_game,
    "one.teehistorian": makers.far_teehistorian,
    "many.teehistorian": lambda: makers.far_teehistorian(5000),
    **makers.far_demos(),
}


@pytest.mark.long
@pytest.mark.one_of("name")
@pytest.mark.parametrize("name", FAR)
def test_a_far_tick_costs_nothing(tmp_path: Path, name: str, step: int) -> None:
    path = tmp_path / name
    path.write_bytes(FAR[name]())
    attempts.commands(path, tmp_path, step, attempts.COMMANDS[3:5])
    found = attempts.program(
        f"""
        import playhead, warnings
        warnings.simplefilter("ignore")
        for jobs in range(0, 2, {min(step, 2)}):
            rows = playhead.scan({str(path)!r}, jobs=jobs).series(every="1s").read_all().num_rows
            assert rows < 3_000_000, rows
        """
    )
    assert attempts.kept_within(found, 1 << 30)


def test_minutes_that_a_far_tick_skips_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0
    tick_at = GameClock.tick_at

    def counted(clock: GameClock, game_seconds: float) -> int | None:
        nonlocal looks
        looks += 1
        return tick_at(clock, game_seconds)

    monkeypatch.setattr(GameClock, "tick_at", counted)
    data = dota2.sample_demo()[0]
    tables = [
        playhead.open(each).table("player_series", clock="game", every="60s") for each in (data, far_demo(data))
    ]
    minutes = [[seconds // 60 for seconds in table["game_seconds"].to_pylist()] for table in tables]
    assert minutes == [[1] * 10, [1] * 10]  # the game ends before the far tick
    assert looks < 100


@pytest.mark.long
def test_a_series_without_rows_is_warned_about(tmp_path: Path) -> None:
    path = tmp_path / "far.teehistorian"
    path.write_bytes(makers.far_teehistorian())
    for jobs in (0, 1):
        with pytest.warns(UserWarning, match=r"1 of 1 inputs add no rows .*far\.teehistorian: .* steps of time"):
            assert playhead.scan(path, jobs=jobs).series(every="1s").read_all().num_rows == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        patient = playhead.scan(path, jobs=0, limits=Limits(steps=1 << 33))
        assert patient.series(every=100_000.0).read_all().num_rows > 100


def test_a_lake_warns_about_a_series_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "far.teehistorian"
    path.write_bytes(makers.far_teehistorian())
    playhead.scan(path, jobs=0).export(tmp_path / "lake")
    with pytest.warns(UserWarning, match="adds no rows to the series"):
        assert playhead.open_lake(tmp_path / "lake").series(every="1s").read_all().num_rows == 0


def test_minutes_of_a_far_game_are_a_problem() -> None:
    for data in (makers.far_tracker(), makers.far_game()):
        replay = playhead.open(data)
        assert 0 < replay.table("player_stats").num_rows < 20
        assert replay.table("player_stats", every="1 min").num_rows == 0
        assert [each.cost for each in replay.problems if each.kind == LIMIT] == ["the rows of player_stats"]
    with pytest.raises(playhead.ReplayError, match="as in the header"):  # before the rows are made
        playhead.open(makers.far_tracker(), strict=True).table("player_stats", every="1 min")
    assert not kinds(playhead.open(sample_bytes()))


# -- members and events --------------------------------------------------------------------------------------


@pytest.mark.long
def test_members_have_one_budget(tmp_path: Path, step: int) -> None:
    path = tmp_path / "zero.SC2Replay"
    path.write_bytes(makers.zero_members())
    attempts.commands(path, tmp_path, step)
    replay = playhead.open(path)
    replay.verify()
    assert any("bytes together" in problem.what for problem in replay.problems)
    assert attempts.kept_within(attempts.command("info", path), 120 << 20)


def test_a_larger_budget_reads_more_members() -> None:
    data = makers.zero_members(100_000)
    assert not [each for each in _verified(data, Limits()) if "together" in each]
    assert [each for each in _verified(data, Limits(member=200_000)) if "together" in each]


def _verified(data: bytes, limits: Limits) -> list[str]:
    replay = playhead.open(data, limits=limits)
    replay.verify()
    return [problem.what for problem in replay.problems]


@pytest.mark.long
@pytest.mark.stepped
@pytest.mark.parametrize("make", [makers.unknown_events, makers.game_flood])
def test_events_have_one_budget(tmp_path: Path, make: Callable[[], bytes], step: int) -> None:
    path = tmp_path / "flood.SC2Replay"
    path.write_bytes(make())
    # The other command prints half a million lines.
    attempts.commands(path, tmp_path, step, attempts.COMMANDS[2:4] if step == 1 else attempts.COMMANDS[3:4])


# -- teehistorian --------------------------------------------------------------------------------------------

FLOODS: Mapping[str, Callable[[], bytes]] = {
    "lists": lambda: makers.header_lists(15_000_000),
    "short_lists": lambda: makers.header_lists(340_000),
    "keys": lambda: makers.header_keys(900_000),
    "short_keys": lambda: makers.header_keys(50_000),
    "joins": makers.joins,
    "joins_of_one": lambda: makers.joins(step=0),
    "commands": makers.commands,
    "ticks": makers.ticks,
}


@pytest.mark.long
@pytest.mark.stepped
@pytest.mark.parametrize("name", FLOODS)
def test_a_small_compressed_recording_costs_little(tmp_path: Path, name: str, step: int) -> None:
    path = tmp_path / f"{name}.teehistorian.zst"
    path.write_bytes(makers.COMPRESSED_AS[".zst"](FLOODS[name]()))
    wanted = [each for each in attempts.COMMANDS if each[0] in ("info", "export", "report")]
    attempts.commands(path, tmp_path, step, wanted)


def test_a_long_header_is_a_problem() -> None:
    replay = playhead.open(makers.header_keys(100_000))
    (problem, *_) = replay.problems
    assert (problem.kind, problem.where, problem.cost[:10]) == (LIMIT, "header", "the fields")
    assert replay.info.map is None
    assert playhead.open(makers.header_keys(100)).info.map == "m"
    with pytest.raises(LimitExceeded, match="JSON has"):
        playhead.open(makers.header_keys(100_000), strict=True)


def test_a_window_ends_where_the_pass_ended() -> None:
    replay = playhead.open(makers.joins(6400), limits=Limits(sessions=100))
    assert replay.table("sessions").num_rows == 100
    window = replay.window(0, 0)  # type: ignore[attr-defined]
    assert window.positions.num_rows == 0


# -- compressed streams --------------------------------------------------------------------------------------


@pytest.mark.stepped
@pytest.mark.parametrize("suffix", makers.COMPRESSED_AS)
def test_short_streams_have_a_budget(suffix: str) -> None:
    compress = makers.COMPRESSED_AS[suffix]
    for content in (b"", b"x"):
        many = compress(content) * ((2 << 20) // len(compress(content)))
        compression = compression_of(many)
        assert compression is not None
        with pytest.raises(LimitExceeded, match="streams in"):
            sum(map(len, inflate([many], compression)))


@pytest.mark.parametrize("suffix", makers.COMPRESSED_AS)
@pytest.mark.parametrize("piece", [1, 999, 1 << 20])
def test_streams_one_after_another_are_whole(suffix: str, piece: int) -> None:
    compress = makers.COMPRESSED_AS[suffix]
    parts = [bytes([number % 256]) * (number * 37 % 5000) for number in range(100)]
    data = b"".join(map(compress, parts)) + bytes(7)
    compression = compression_of(data)
    assert compression is not None
    pieces = [data[at : at + piece] for at in range(0, len(data), piece)]
    assert b"".join(inflate(pieces, compression)) == b"".join(parts)


@pytest.mark.long
def test_a_large_dictionary_is_a_limit(tmp_path: Path) -> None:
    import lzma

    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": (1 << 32) - 1}]
    # The compressor would need the dictionary too: the header of a small one is changed instead.
    small = bytearray(lzma.compress(sample_bytes(), filters=[{**filters[0], "dict_size": 1 << 20}]))
    size = small[12]
    head = small[12 : 12 + 4 * (size + 1)]
    head[4] = 40  # four gigabytes
    head[-4:] = _crc(bytes(head[:-4]))
    small[12 : 12 + len(head)] = head
    path = tmp_path / "large.SC2Replay.xz"
    path.write_bytes(small)
    with pytest.raises(LimitExceeded, match="asks for more than"):
        playhead.open(path)
    for name in ("info", "export"):
        command = (name,) if name == "info" else (name, "-o", str(tmp_path / "out"))
        found = attempts.command(command[0], path, *command[1:])
        assert found.status == 1


def _crc(data: bytes) -> bytes:
    import zlib

    return zlib.crc32(data).to_bytes(4, "little")
