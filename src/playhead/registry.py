"""`Format`: detects the format of a file by its first bytes, never by its name, and opens it.

A `Format` is cheap to create; its `open` imports the reader. Other packages add formats through the entry point
group ``playhead.formats``: each entry names a `Format` instance, or a function without arguments that returns one.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from playhead.errors import ReplayError, UnknownFormat
from playhead.io.compression import compression_of
from playhead.io.source import Input, Source, open_source, open_stream, read_all
from playhead.io.stream import Follow
from playhead.model import Options
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.records import dataclass, field
from playhead.runtime.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.presentation import SeriesSource
    from playhead.replay import Replay

ENTRY_POINT_GROUP = "playhead.formats"

#: Number of bytes that `Format.recognises` gets.
HEAD_SIZE = 4096


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that a format accepts for any recording; other names are misspelt.

    Attributes:
        tables: names of tables.
        event_kinds: words for kinds of events.
        event_words: other arguments of its `Replay.events`, or patterns of them.
        series: the tables that `Corpus.series` reads.
        documents: names of export forms besides files of tables (`Replay.documents`).
        facts: the format's own columns of table ``info``.
        games: the title of each game by its name in `Info.game`.
        is_whole: the lists are complete; a format of another package may not provide them.
    """

    tables: frozenset[str] = frozenset()
    event_kinds: frozenset[str] = frozenset()
    event_words: frozenset[str] = frozenset()
    series: tuple[SeriesSource, ...] = ()
    documents: frozenset[str] = frozenset()
    facts: frozenset[str] = frozenset()
    games: Mapping[str, str] = field(default_factory=dict)
    is_whole: bool = True

    def __or__(self, other: Vocabulary) -> Vocabulary:
        return Vocabulary(
            self.tables | other.tables,
            self.event_kinds | other.event_kinds,
            self.event_words | other.event_words,
            self.series + other.series,
            self.documents | other.documents,
            self.facts | other.facts,
            {**self.games, **other.games},
            self.is_whole and other.is_whole,
        )


@dataclass(frozen=True)
class Format:
    """One family of replays.

    Attributes:
        name: short name, as in `Replay.format` (``source2``).
        title: name for people (``Source 2 demo``).
        magics: possible first bytes of a file.
        package: module with ``open_replay(source, options) -> Replay``, ``write_sample(folder) -> Path`` and,
            optionally, ``vocabulary() -> Vocabulary``.
        suffix: usual ending of file names; never for detection.
        streams: ``open_replay`` reads a `Source` that is a stream; other formats get the whole stream as one
            buffer.
        marks: pairs of bytes and their offset, which identify a file with a damaged beginning.
        broadcasts: ``open_replay`` reads a `Source` that consists of the fragments of a broadcast.
        parts: ``open_replay`` reads the recording of number `Options.part` in a file with several.
    """

    name: str
    title: str
    magics: tuple[bytes, ...]
    package: str
    suffix: str
    streams: bool = False
    marks: tuple[tuple[int, bytes], ...] = ()
    broadcasts: bool = False
    parts: bool = False

    def recognises(self, head: bytes) -> bool:
        """Return whether this format reads a file that starts with `head` (up to `HEAD_SIZE` bytes).

        A format also claims related files that it cannot read: its `open` raises an error that names them.
        """
        if head.startswith(self.magics):
            return True
        return any(head.startswith(mark, offset) for offset, mark in self.marks)

    def open(self, source: Source, options: Options) -> Replay:
        """Open a replay; raise `ReplayError` if it is unreadable, ValueError if this format cannot follow
        files, or has no several recordings in a file."""
        if options.part != 1 and (not self.parts or source.fragments or (source.stream and source.stream.follow)):
            raise ValueError(f"{source.name}: this {self.title} has one part, got part={options.part}")
        if source.stream is not None and not self.streams:
            if source.stream.follow is not None:
                raise ValueError(f"{source.name}: a {self.title} cannot be followed while it is being written")
            source = read_all(source, options.limits)
        replay: Replay = importlib.import_module(self.package).open_replay(source, options)
        return replay

    def write_sample(self, folder: Path) -> Path:
        """Write a small synthetic replay into `folder`; return its path."""
        path: Path = importlib.import_module(self.package).write_sample(folder)
        return path

    def vocabulary(self) -> Vocabulary:
        """Return the names that this format accepts, if its package lists them. Imports the reader."""
        package = importlib.import_module(self.package)
        found: Vocabulary = package.vocabulary() if hasattr(package, "vocabulary") else Vocabulary(is_whole=False)
        return found


BUILTIN_FORMATS: tuple[Format, ...] = (
    Format(
        name="source2",
        title="Source 2 demo",
        # The last two are Source 1 demos (Dota 2 before Reborn, CS:GO); opening them raises an error that names
        # them.
        magics=(b"PBDEMS2\0", b"PBUFDEM\0", b"HL2DEMO\0"),
        package="playhead.source2",
        suffix=".dem",
        streams=True,
        broadcasts=True,
        parts=True,
    ),
    # Before StarCraft II, which claims every archive of this kind.
    Format(
        name="hots",
        title="Heroes of the Storm replay",
        magics=(),
        package="playhead.hots",
        suffix=".StormReplay",
        marks=((21, b"Heroes of the Storm replay"),),
    ),
    Format(
        name="sc2",
        title="StarCraft II replay",
        magics=(b"MPQ\x1b", b"MPQ\x1a"),
        package="playhead.sc2",
        suffix=".SC2Replay",
        # The text in both encodings of the replay header; the archive header in both sizes.
        marks=(
            (21, b"StarCraft II replay"),
            (17, b"StarCraft II replay"),
            (1024, b"MPQ\x1a\x2c\0\0\0"),
            (1024, b"MPQ\x1a\xd0\0\0\0"),
        ),
    ),
    Format(
        name="teehistorian",
        title="DDNet teehistorian",
        # The last two are demos and ghosts of the client, which are another class of replay.
        magics=(bytes.fromhex("699db17b8efb34ffb1d8da6f60c15dd1"), b"TWDEMO\0", b"TWGHOST\0"),
        package="playhead.teehistorian",
        suffix=".teehistorian",
        streams=True,
    ),
)


@cache
def _third_party() -> tuple[Format, ...]:
    from importlib.metadata import entry_points

    things = [entry.load() for entry in entry_points(group=ENTRY_POINT_GROUP)]
    return tuple(thing if isinstance(thing, Format) else thing() for thing in things)


def list_formats() -> tuple[Format, ...]:
    """Return all formats, built-in and installed."""
    return BUILTIN_FORMATS + _third_party()


@cache
def vocabulary() -> Vocabulary:
    """Return the names that any format accepts. Imports all readers."""
    from playhead.tables.shared import EVENTS, INFO, PLAYERS

    found = Vocabulary(frozenset({INFO.name, PLAYERS.name, EVENTS.name}))
    for known in list_formats():
        found |= known.vocabulary()
    return found


@cache
def series_sources() -> Mapping[str, tuple[SeriesSource, ...]]:
    """Return the tables that `Corpus.series` reads, by format. Imports all readers."""
    return {known.name: known.vocabulary().series for known in list_formats()}


_ONE_OF = ", of which PACK::FILE names a file"
# Common other files; the error message names them.
_FOREIGN: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\x89PNG", "a PNG picture"),
    (b"GIF8", "a GIF picture"),
    (b"PK\x03\x04", f"a ZIP archive (or a file made of one){_ONE_OF}"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"%PDF", "a PDF document"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file it points to"),
    (b"RIFF", "a RIFF file (AVI, WAV, WebP)"),
    (b"\x7fELF", "a Linux program"),
    (b"MZ", "a Windows program"),
    (b"\x1aE\xdf\xa3", "a Matroska or WebM video"),
)


def _describe(head: bytes) -> str:
    if not head:
        return "an empty file"
    if head[257:262] == b"ustar":
        return f"a tar archive{_ONE_OF}"
    for magic, title in _FOREIGN:
        if head.startswith(magic):
            return title
    if (again := compression_of(head)) is not None:
        return f"{again.name} data inside compressed data (decompress it once)"
    if head[4:8] == b"ftyp":
        return "an MP4 video"
    start = head.lstrip()[:64].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "an HTML page (was the download answered by a web page?)"
    if start.startswith((b"{", b"[")):
        return "JSON text"
    if not any(head):
        return f"nothing but zero bytes ({len(head)} looked at)"
    return f"a file that begins with the bytes {head[:8].hex(' ')}"


def _candidates() -> Iterator[Format]:
    yield from BUILTIN_FORMATS
    yield from _third_party()  # entry points are read only if no built-in format fits


def detect(source: Source) -> Format:
    """Return the format of `source`.

    Raises:
        UnknownFormat: no format recognises it; the message names the likely file type and the supported formats.
    """
    head = bytes(source.data[:HEAD_SIZE])

    for candidate in _candidates():
        if candidate.broadcasts if source.fragments is not None else candidate.recognises(head):
            return candidate
    supported = ", ".join(f"{known.title} ({known.suffix})" for known in list_formats())
    raise UnknownFormat(
        f"expected a replay, found {_describe(head)}; supported are: {supported}", file=source.name
    )


def join_replays(parts: Sequence[Replay]) -> Replay:
    """Return several recordings of one match as one.

    Raises:
        ValueError: the package of their format or game has no ``join``, or they are not of one match.
    """
    package = importlib.import_module(type(parts[0]).__module__.rpartition(".")[0])
    if not hasattr(package, "join"):
        raise ValueError(f"recordings of {parts[0].brief_info.game} cannot be joined; open them one by one")
    joined: Replay = package.join(parts)
    return joined


def open_replay(
    target: Input,
    options: Options | None = None,
    *,
    stream: bool = False,
    follow: Follow | None = None,
    copy: str | None = None,
    disk: bool = False,
) -> Replay:
    """Open a replay of any format; for arguments and errors see `playhead.open` and `open_source`."""
    options = options or Options()
    if stream or follow is not None:
        source = open_stream(target, follow, options.limits)
    else:
        source = open_source(target, options.limits, check_head=detect, copy=copy, disk=disk)
    try:
        with GC_PAUSED:  # the first one imports the reader
            return detect(source).open(source, options)
    except ReplayError as error:
        error.locate(file=source.name)
        raise


def has_replay_name(path: str) -> bool:
    """Return whether a file is named like a replay, compressed or not: if it is none, that is an error."""
    name = path.lower().removesuffix(".xz").removesuffix(".gz").removesuffix(".bz2").removesuffix(".zst")
    return any(name.endswith(known.suffix.lower()) for known in _candidates())


def is_replay(path: str) -> bool:
    """Return whether the first bytes of a file, compressed or not, are those of a replay; read only these bytes.

    Raises:
        OSError: the file cannot be opened.
    """
    try:
        detect(open_stream(path))
    except UnknownFormat:
        return False
    except ReplayError:  # compressed and damaged: `playhead.open` reports it
        return True
    return True
