"""Rewritten real StarCraft II replays."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as
from tests.real.sc2_index import sc2_replays

from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.writing.rewriter import rewrite_replay
from playhead.sc2.replay import Sc2Replay

_FIRST_WITHOUT_SECTORS = 15097


@pytest.fixture
def replays(corpus: Path, step: int) -> list[Sc2Replay]:
    """Return the opened replays with an archive."""
    return [
        replay for _, replay in sc2_replays(corpus / "sc2", step) if replay.recording.container.archive is not None
    ]


def test_written_again_they_are_the_same(replays: list[Sc2Replay], step: int) -> None:
    """Archives of format 1 are identical, except for one rearranged by an editor; in format 3, every member's
    stored bytes are.
    """
    identical: Counter[tuple[int, bool]] = Counter()
    for replay in replays:
        before = replay.recording.container.archive
        assert isinstance(before, MpqArchive)
        out = rewrite_replay(replay.recording.container)
        identical[before.header.format_version, out == bytes(replay.recording.container.data)] += 1
        again = open_as(Sc2Replay, out)
        after = again.recording.container.archive
        assert isinstance(after, MpqArchive)
        assert after.names == before.names
        for old, new in zip(before.blocks, after.blocks, strict=True):
            assert old.exists == new.exists
            if old.exists:
                assert (old.unpacked_size, old.flags) == (new.unpacked_size, new.flags)
                assert before.stored(old) == after.stored(new)
    expected = {(1, True): 123, (1, False): 1, (3, False): 205}
    assert identical == expected if step == 1 else identical.keys() <= expected.keys()


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_others_read_them(replays: list[Sc2Replay], step: int) -> None:
    mpyq: Any = pytest.importorskip("mpyq", reason="mpyq is not installed")
    sc2reader: Any = pytest.importorskip("sc2reader", reason="sc2reader is not installed")
    read: Counter[str] = Counter()
    for replay in replays[:: 9 if step == 1 else 3]:
        before = replay.recording.container.archive
        assert before is not None
        changed = [name for name in (member_names.GAME_EVENTS, member_names.DETAILS) if name in before]
        out = rewrite_replay(
            replay.recording.container, {name: replay.recording.container.read_member(name) for name in changed}
        )
        try:
            original = mpyq.MPQArchive(io.BytesIO(bytes(replay.recording.container.data)))
        except NotImplementedError:
            continue  # an encrypted list of names
        theirs = mpyq.MPQArchive(io.BytesIO(out))
        for name in before.names:
            if (
                replay.recording.container.header is None
                or replay.recording.container.header.build < _FIRST_WITHOUT_SECTORS
            ):
                break  # mpyq cannot read uncompressed sectors
            assert theirs.read_file(name) == original.read_file(name)
        read["mpyq"] += 1
        try:
            expected = sc2reader.load_replay(io.BytesIO(bytes(replay.recording.container.data)), load_level=2)
        except Exception:
            continue  # betas, computers without cache handles, …
        found = sc2reader.load_replay(io.BytesIO(out), load_level=2)
        assert [str(player) for player in found.players] == [str(player) for player in expected.players]
        read["sc2reader"] += 1
    assert read["mpyq"] >= 30 // step
    assert read["sc2reader"] >= 25 // step
