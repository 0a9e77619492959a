"""`verify`: each check holds on good recordings and fails on the very thing it is for."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.samples.teehistorian import sample_bytes

import playhead
from playhead.teehistorian.state.checks import CHECKS
from playhead.teehistorian.stream.extensions import (
    EXTENSIONS,
    DDNetVersionOld,
    Extension,
    PlayerFinish,
    PlayerReady,
    encode_extension,
)
from playhead.teehistorian.stream.header import encode_header
from playhead.teehistorian.stream.messages import (
    Drop,
    Extra,
    Finish,
    InputDiff,
    InputNew,
    Join,
    Message,
    NetMessage,
    PlayerDiff,
    PlayerNew,
    PlayerOld,
    TickSkip,
)
from playhead.teehistorian.writing.writer import encode_message

GAME = "1ed87a7e-1d33-4c1d-a961-541e7492ac71"
HEADER: dict[str, object] = {
    "version": "2",
    "version_minor": "22",
    "game_uuid": GAME,
    "start_time": "2026-11-21T01:50:06+0000",
    "map_name": "raceA",
    "map_crc": "0123abcd",
    "config": {"sv_map": "raceA"},
    "uuids": [record.extension_name for record in EXTENSIONS.values()],
}
INPUT = (0,) * 10
#: A game in which everything is in order.
GOOD: tuple[Message | Extension, ...] = (
    TickSkip(4),
    Join(1),
    PlayerReady(1),
    NetMessage(1, b"\x2c"),
    TickSkip(0),
    PlayerNew(1, 32, 32),
    InputNew(1, INPUT),
    PlayerDiff(1, 1, 0),
    InputDiff(1, INPUT),
    PlayerFinish(1, 3),
    TickSkip(3),
    Drop(1, ""),
    PlayerOld(1),
    TickSkip(3),
    Join(1),
    Finish(),
)


def verify(
    *messages: Message | Extension, header: dict[str, object] | None = None
) -> tuple[dict[str, tuple[int, int]], playhead.Replay]:
    encoded = [encode_extension(m) if isinstance(m, Extension) else m for m in messages]
    replay = playhead.open(encode_header({**HEADER, **(header or {})}) + b"".join(map(encode_message, encoded)))
    return {check.name: (check.passed, check.failed) for check in replay.verify()}, replay


def before(place: int, *more: Message | Extension) -> tuple[Message | Extension, ...]:
    return (*GOOD[:place], *more, *GOOD[place:])


def test_a_good_game() -> None:
    found, replay = verify(*GOOD)
    assert [name for name, (_, failed) in found.items() if failed] == []
    assert found.keys() == CHECKS.keys() - {"file name"}
    assert found["joins"] == (2, 0)
    assert found["tees that move"] == (2, 0)
    assert found["tees after a leave"] == (1, 0)
    assert replay.problems == ()


@pytest.mark.parametrize(
    ("name", "messages"),
    [
        ("joins", before(3, Join(1))),
        ("drops", before(2, Drop(5, ""))),
        ("tees that appear", before(7, PlayerNew(1, 0, 0))),
        ("tees that appear", before(5, PlayerNew(0, 0, 0))),
        ("tees that move", before(7, PlayerDiff(3, 1, 1))),
        ("tees that move", before(7, PlayerOld(3))),
        ("inputs", before(5, InputNew(0, INPUT))),
        ("inputs", before(13, InputNew(1, INPUT))),
        ("input changes", before(4, InputDiff(1, INPUT))),
        ("entered", before(15, InputNew(1, INPUT))),
        ("tees after a leave", before(12, TickSkip(2))),
        ("network messages", before(13, NetMessage(1, b"\x2c"))),
        ("extensions", before(13, DDNetVersionOld(1, 5))),
        ("known extensions", before(4, Extra(GOOD[2].uuid.__class__(int=5), b""))),  # type: ignore[union-attr]
        ("ticks", before(4, TickSkip(0))),
        ("FINISH", GOOD[:-1]),
    ],
)
def test_a_bad_game(name: str, messages: tuple[Message | Extension, ...]) -> None:
    found, replay = verify(*messages)
    assert found[name][1] == 1
    assert replay.problems


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("client ids", {"version_minor": "9"}),
        ("header", {"map_crc": "yes"}),
        ("header", {"start_time": "yesterday"}),
        ("header", {"game_uuid": "mine"}),
        ("map", {"map_name": "raceB"}),
    ],
)
def test_a_bad_header(name: str, header: dict[str, object]) -> None:
    found, replay = verify(TickSkip(0), Join(100), Finish(), header=header)
    assert found[name][1] == 1
    assert any("check failed" in problem.what for problem in replay.problems)
    assert all(failed == 0 for other, (_, failed) in found.items() if other != name)


def test_the_name_of_the_file(tmp_path: Path) -> None:
    for stem, failed in ((GAME, 0), (GAME.replace("1", "2"), 1)):
        path = tmp_path / f"{stem}.teehistorian"
        path.write_bytes(encode_header(HEADER) + encode_message(Finish()))
        checks = {check.name: check.failed for check in playhead.open(path).verify()}
        assert checks["file name"] == failed


def test_the_sample_and_what_is_made_of_it(tmp_path: Path) -> None:
    replay = playhead.open(sample_bytes())
    assert [check for check in replay.verify() if check.failed] == []
    for start in range(0, 500, 60):
        replay.write_slice(tmp_path / "slice", f"{start}t", f"{start + 30}t")
        assert [check for check in playhead.open(tmp_path / "slice").verify() if check.failed] == []


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_every_real_recording(corpus: Path) -> None:
    checked = 0
    for path in sorted((corpus / "teehistorian").glob("*/*.teehistorian")):
        if path.stat().st_size > 1_000_000:
            continue
        replay = playhead.open(path)
        checks = list(replay.verify())
        failed = [check.name for check in checks if check.failed]
        assert failed == ([] if replay.info.complete else ["FINISH"]), path
        checked += sum(check.passed for check in checks)
    if not checked:
        pytest.skip("no teehistorian recordings in the corpus")
    assert checked > 100_000
