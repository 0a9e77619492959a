"""Header and details of StarCraft II replays: playhead and Blizzard's s2protocol, same files, same run.

Usage: bench_sc2.py [FOLDER]     (default: the corpus folder of the tests, or $PLAYHEAD_CORPUS/sc2)

Only files that both read count. Each reader gets every file in turn, best of three rounds, including opening and
reading the file but not importing. s2protocol reads through mpyq, as its own command does.
"""

from __future__ import annotations

import io
import os
import sys
from functools import partial
from pathlib import Path

import mpyq
from fastest import fastest
from s2protocol import versions

import playhead
from playhead.blizzard.members.details import Details
from playhead.runtime import hot
from playhead.sc2.replay import Sc2Replay

ROUNDS = 3


def with_playhead(path: Path) -> tuple[int, int]:
    replay = playhead.open(path)
    assert isinstance(replay, Sc2Replay)
    assert replay.recording.container.header is not None
    details = replay.recording.details
    assert isinstance(details, Details)
    return replay.recording.container.header.loops, len(details.players)


def with_s2protocol(path: Path) -> tuple[int, int]:
    archive = mpyq.MPQArchive(io.BytesIO(path.read_bytes()))  # with a path, it would leave the file open
    header = versions.latest().decode_replay_header(archive.header["user_data_header"]["content"])
    protocol = versions.build(header["m_version"]["m_baseBuild"])
    details = protocol.decode_replay_details(archive.read_file("replay.details"))
    return header["m_elapsedGameLoops"], len(details["m_playerList"])


def corpus_folder() -> Path:
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    named = os.environ.get("PLAYHEAD_CORPUS")
    return (Path(named) if named else Path(__file__).parents[2] / "shared" / "corpus") / "sc2"


def main() -> None:
    files = []
    for path in sorted(p for p in corpus_folder().rglob("*") if p.suffix.lower() == ".sc2replay"):
        try:
            theirs = with_s2protocol(path)
        except (Exception, SystemExit):
            continue  # s2protocol has no table for the build, or cannot read the file
        assert with_playhead(path) == theirs, path
        files.append(path)
    if not files:
        raise SystemExit(f"expected a replay that both read in {corpus_folder()}, found none")
    ours, theirs_total = [], []
    for path in files:
        ours.append(fastest(partial(with_playhead, path), ROUNDS)[0])
        theirs_total.append(fastest(partial(with_s2protocol, path), ROUNDS)[0])
    a, b = sum(ours) / len(files) * 1e3, sum(theirs_total) / len(files) * 1e3
    print(f"{len(files)} replays, header and details, ms a file")
    print(f"playhead   {a:8.3f}   ({hot.summary()})")
    print(f"s2protocol {b:8.3f}")
    print(f"ratio      {b / a:8.1f}")


main()
