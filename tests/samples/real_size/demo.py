"""The match of real size as a file."""

from __future__ import annotations

from pathlib import Path

from tests.samples.real_size.match import RealMatch
from tests.samples.real_size.messages import RealMessages
from tests.samples.source2.match_demo import FILE_HEADER, write_match

from playhead.source2.writing.demo import DemoWriter


def write_real_match(path: Path, minutes: float, *, seed: int = 7) -> tuple[RealMatch, RealMessages]:
    """Write a match of that many minutes to a file; return its match and messages with the expected values.

    The same arguments give the same bytes. The file is written as the match is played: memory grows only by the
    expected values, some bytes per packet.
    """
    match = RealMatch(minutes, seed)
    messages = RealMessages(match, minutes, seed + 6)
    with path.open("wb") as file:
        write_match(DemoWriter(FILE_HEADER, file=file), match, minutes, messages=messages)
    return match, messages
