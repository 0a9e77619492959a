"""Replays of a walk on a grid.

A file is lines of text: ``TOYREPLAY 1 <ticks per second> <map>``, then a line for each thing that happened,
``<tick> <player> <what> <the rest>``, and ``<tick> end`` at last:

    TOYREPLAY 1 10 meadow
    0 1 join ada
    5 1 walk 1 0
    9 1 say hello
    12 end
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playhead import Format

if TYPE_CHECKING:
    from playhead import Replay
    from playhead.io.source import Source
    from playhead.model import Options
    from playhead.registry import Vocabulary

FORMAT = Format(
    name="toy",
    title="Walk on a grid",
    magics=(b"TOYREPLAY ",),
    package="playhead_toy",
    suffix=".toy",
)

_SAMPLE = """\
TOYREPLAY 1 10 meadow
0 1 join ada
2 2 join grace
5 1 walk 1 0
6 2 walk 0 -1
9 1 say hello
9 2 walk 0 -1
12 2 say hello, ada
14 1 walk 1 1
20 end
"""


def open_replay(source: Source, options: Options) -> Replay:
    """What `playhead.open` calls once `FORMAT` has recognised the file."""
    from playhead_toy.replay import ToyReplay

    return ToyReplay(source, options)


def write_sample(folder: Path) -> Path:
    """What ``playhead sample`` calls."""
    path = folder / f"sample{FORMAT.suffix}"
    path.write_text(_SAMPLE, encoding="utf-8", newline="\n")
    return path


def vocabulary() -> Vocabulary:
    """What the shell completes, and what tells a misspelt word from one of another format."""
    from playhead.registry import Vocabulary
    from playhead_toy.replay import EVENTS, TABLES

    return Vocabulary(frozenset(schema.name for schema in TABLES), frozenset(source.kind for source in EVENTS))
