"""Parts that vanish whole, between intact neighbours: what FileInfo or the header say of the whole is compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.hostile import makers
from tests.samples.blizzard import EventWriter
from tests.samples.sc2 import replay as sc2

import playhead
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.sc2.protocol.tables import protocol_table
from playhead.source2.container.frames import COMPRESSED, FILE_INFO, PACKET, SPAWN_GROUPS, STOP, SYNC_TICK
from playhead.source2.replay import Source2Replay
from playhead.source2.writing.demo import DemoWriter

#: Command with the compression bit, tick, and stored bytes.
Frame = tuple[int, int, bytes]


def _reframed(path: Path, change: Callable[[list[Frame]], object]) -> bytes:
    """Return a recording whose frames between the header and the Stop frame are changed."""
    with playhead.open(path) as replay:
        assert isinstance(replay, Source2Replay)
        recording = replay.recording
        _, *others = recording.frames
        last = {f.command: bytes(recording.payload(f)) for f in others if f.command in (FILE_INFO, SPAWN_GROUPS)}
        frames = [
            (frame.command | (COMPRESSED if frame.compressed else 0), frame.tick, bytes(recording.stored(frame)))
            for frame in others
            if frame.command not in (STOP, FILE_INFO, SPAWN_GROUPS)
        ]
        change(frames)
        writer = DemoWriter(recording.file_header)
        for frame in frames:
            writer.stored_frame(*frame)
        return writer.finish(others[-1].tick, last[FILE_INFO], last[SPAWN_GROUPS])


def _packets(frames: list[Frame]) -> list[int]:
    return [place for place, frame in enumerate(frames) if frame[0] & ~COMPRESSED == PACKET]


def _lose(frames: list[Frame]) -> None:
    del frames[_packets(frames)[7]]


def _double(frames: list[Frame]) -> None:
    place = _packets(frames)[7]
    frames.insert(place, frames[place])


def _empty(frames: list[Frame]) -> None:
    place = _packets(frames)[7]
    frames[place] = PACKET, frames[place][1], b""


def _far(frames: list[Frame]) -> None:
    """Put a frame of another kind with a tick years ahead between two packets."""
    frames.insert(_packets(frames)[7], (SYNC_TICK, 1 << 29, b""))


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda frames: None, None),
        (_lose, "packets, as in FileInfo, found"),
        (_double, "packets, as in FileInfo, found"),
        (_empty, "expected messages in a packet, found none"),
        (_far, "expected frames in the order of their ticks"),
    ],
    ids=["intact", "lost", "twice", "empty", "far"],
)
def test_packets_are_counted(samples: dict[str, Path], change: Callable[[list[Frame]], object], said: str) -> None:
    data = _reframed(samples["source2"], change)
    with playhead.open(data) as replay:
        replay.table("user_messages")
        found = [problem.what for problem in replay.problems]
        assert any(said in each for each in found) if said else not found
    if said:
        with pytest.raises(playhead.ReplayError), playhead.open(data, strict=True) as replay:
            replay.table("user_messages")


def test_events_after_the_end_of_the_game() -> None:
    with playhead.open(makers.far_tracker()) as replay:
        replay.table("tracker_events")
        (problem,) = replay.problems
        assert f"up to about loop {sc2.HEADER.loops}, as in the header, found the last at" in problem.what


@pytest.mark.parametrize(("last", "problems"), [(160, 1), (sc2.HEADER.loops - 100, 0)])
def test_a_tracker_that_ends_between_two_events(last: int, problems: int) -> None:
    protocol = protocol_table(sc2.HEADER.base_build, sc2.HEADER.build)
    game, writer = EventWriter(protocol, GAME), EventWriter(protocol, TRACKER)
    for loop in range(0, sc2.HEADER.loops, 1000):  # nobody pauses
        game.write(loop, 0, "SCameraUpdateEvent", m_target={"x": 40 * 256, "y": 40 * 256})
    writer.write(0, 0, "SPlayerSetupEvent", m_playerId=1, m_type=1, m_userId=0, m_slotId=0)
    writer.write(last, 0, "SPlayerStatsEvent", m_playerId=1, m_stats={"m_scoreValueMineralsCurrent": 50})
    streams = {**makers._sc2_streams(), GAME: game.to_bytes(), TRACKER: writer.to_bytes()}
    with playhead.open(sc2.archive(sc2.HEADER, streams)) as replay:
        replay.table("tracker_events")
        assert len(replay.problems) == problems
