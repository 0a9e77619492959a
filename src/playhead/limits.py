"""Bounds on what a hostile file may make playhead allocate. A size that a file declares is checked, not obeyed."""

from __future__ import annotations

from playhead.runtime.records import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes are in bytes. The defaults are far above any real replay seen and far below a machine's memory.

    Attributes:
        decompressed_input: an input that is held in memory: what a pipe, a device, a URL or a file object gives,
            and what an outer ``.xz``/``.gz``/``.bz2``/``.zst`` decompresses to.
        mapped: a plain file of more bytes than this is mapped into memory, a smaller one read. Who cuts a mapped
            file kills the process that reads it (SIGBUS); a high value makes that impossible, for a copy.
        frame: one Source 2 frame, stored or decompressed.
        frames: how many frames a Source 2 demo may have; each takes 40 bytes of memory and three of the file.
        cells: rows times columns of a table of entity fields; each takes eight bytes and a bit.
        fragment: one part of a fragment of a broadcast, decompressed.
        member: one member of an MPQ archive, decompressed.
        expansion: how many times its size such an input, or a member of a pack, may grow to, once it is more than
            64 MiB; what is read as a stream takes no memory for it and may grow on.
        message: one teehistorian message payload.
        string: one text of a teehistorian message.
        depth: nesting of a self-describing structure.
        elements: elements of one array in a self-describing structure; arguments of a teehistorian command.
        work: messages of a compressed teehistorian for each byte that it takes compressed; four million are always
            allowed. One that is not compressed pays for every message with its own bytes.
        rows: messages of a teehistorian that one pass makes rows of one by one: all but those of ticks, positions
            and inputs. A row takes about a kilobyte of memory until the tables are made. And entries of string
            tables that a pass of a Source 2 demo reads, besides one for each 16 bytes of the demo.
        events: events in one stream of a StarCraft II replay.
        problems: how many problems of a replay are listed; the last then says that there are more.
        sessions: connections in a teehistorian; each takes about a kilobyte of memory.
    """

    decompressed_input: int = 2 << 30
    mapped: int = 16 << 20
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
    events: int = 1 << 21
    problems: int = 10_000
    sessions: int = 1 << 16
