"""Bounds on the memory and time that a hostile file can cost; declared sizes are checked against them."""

from __future__ import annotations

from playhead.errors import LimitExceeded
from playhead.runtime.records import dataclass

#: Bytes to which every input may expand, independent of its size.
ALWAYS_ALLOWED = 64 << 20

#: Events that a stream of a StarCraft II replay may have whatever the size of the file. Real replays have one
#: event for five bytes or more.
FREE_EVENTS = 1 << 19

#: Bytes that a member of an MPQ archive without events may have whatever the size of the file. The largest of real
#: replays has 0.3 MB, and twice the bytes of its file.
FREE_MEMBER = 1 << 20

#: Rows of `Limits.rows` that a compressed teehistorian may have whatever its size.
FREE_ROWS = 1 << 17

#: Frames of `Limits.frames` that a compressed Source 2 demo may have whatever its size.
FREE_FRAMES = 1 << 17

#: Steps of time that each recorded row pays for.
STEPS_PER_ROW = 16


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes are in bytes. The defaults are far above those of real replays and far below a machine's memory.

    Attributes:
        decompressed_input: an input, held in memory: a file, or the bytes of a pipe, a device, a URL or a file
            object, decompressed. Longer ones can be read with ``stream=True``.
        frame: one Source 2 frame, stored or decompressed.
        frames: number of frames in a Source 2 demo; a frame takes 40 bytes of memory and at least 3 of the file;
            in a compressed one at most `FREE_FRAMES` plus one per compressed byte.
        cells: rows times columns of a table of entity fields; a cell takes eight bytes and one bit.
        fragment: one part of a fragment of a broadcast, decompressed.
        member: one member of an MPQ archive, decompressed; without events, at most `FREE_MEMBER` plus four per
            byte of the file.
        expansion: decompressed size of an input, of a member of a pack, of all members of an MPQ archive or of all
            parts of a broadcast together, divided by its stored size; checked above `ALWAYS_ALLOWED` (16 MiB for
            the members of an archive), and not for streams of files, which take no memory.
        message: payload of one teehistorian message.
        string: one text of a teehistorian message.
        depth: nesting depth of a self-describing structure.
        elements: elements of one array in a self-describing structure; arguments of a teehistorian command.
        work: messages per compressed byte of a compressed teehistorian; four million are always allowed. An
            uncompressed file has at least one byte per message.
        rows: messages of a teehistorian that one pass turns into rows one by one (all except ticks, positions and
            inputs), and in a compressed one at most `FREE_ROWS` plus one per compressed byte; a row takes about a
            kilobyte of memory until the tables are built. Also entries of string
            tables in one pass of a Source 2 demo, in addition to one per 16 bytes of the demo.
        header: the JSON text of a teehistorian header; a longer one is skipped.
        events: events in one stream of a StarCraft II replay, and at most `FREE_EVENTS` plus one per byte of the
            file.
        steps: steps of time (a row a minute, a row a second …) that a table has for a recording, in addition to
            `STEPS_PER_ROW` for each recorded row. A file may claim to last for years.
        network: seconds that opening a URL may take, with all its requests; in a broadcast that is followed, each
            request has ten.
        problems: number of listed problems of a replay; the last one then states that there are more.
        sessions: connections in a teehistorian; a connection takes about a kilobyte of memory.
    """

    decompressed_input: int = 2 << 30
    frame: int = 256 << 20
    frames: int = 2 << 20
    cells: int = 256 << 20
    fragment: int = 64 << 20
    member: int = 256 << 20
    expansion: int = 500
    message: int = 64 << 20
    string: int = 1 << 20
    depth: int = 64
    elements: int = 1 << 20
    work: int = 256
    rows: int = 1 << 19
    header: int = 1 << 20
    events: int = 1 << 21
    steps: int = 1 << 17
    network: float = 600.0
    problems: int = 10_000
    sessions: int = 1 << 16

    def check_steps(self, steps: float, rows: int, what: str) -> None:
        """Compare the steps of time of a result with those that its recorded rows pay for.

        Raises:
            LimitExceeded: there are more.
        """
        most = self.steps + STEPS_PER_ROW * rows
        if steps > most:
            raise LimitExceeded(
                f"{what} would have {steps:.0f} steps of time for {rows} recorded rows, more than {most}; "
                "set another limit of steps if the recording is that long"
            )
