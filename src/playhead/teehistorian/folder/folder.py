"""A folder of recordings as a database: which server process made which, and where something happened."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path

from playhead.errors import ReplayError
from playhead.io.atomic import whole_file
from playhead.io.inputs import STDIN, InputFile, expand_inputs
from playhead.io.source import open_stream
from playhead.limits import Limits
from playhead.registry import detect
from playhead.runtime.records import dataclass, field
from playhead.teehistorian.folder.facts import RecordingFacts, read_facts
from playhead.teehistorian.folder.query import Query
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

#: What may be named: a path, folder, pattern, pack, list of paths or URL, or several.
Names = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

_ENDINGS = tuple(f".teehistorian{packed}" for packed in ("", ".xz", ".zst", ".gz", ".bz2"))
_INDEX_VERSION = 2
#: Files that were read anew between two writes of the index, so that an interrupted scan is not lost.
_WRITE_EVERY = 256


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """One file: where it is, as it was found, and what is in it."""

    path: str
    facts: RecordingFacts


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that was looked for.

    Attributes:
        recording: where.
        kind: ``recording``, ``visit``, ``command`` or ``finish``.
        tick: when; of a visit, its first tick.
        client, session, player: who: client id, number of the session and name at that tick (of a visit the first
            one); None where it is nobody or not known.
        text: what: the command with its arguments; of a finish, who and in which time; of a
            visit, later names; else empty.
    """

    recording: FolderEntry
    kind: str
    tick: int
    client: int | None = None
    session: int | None = None
    player: str | None = None
    text: str = ""

    @property
    def time(self) -> datetime | None:
        """When it was, by the header's start time."""
        return self.recording.facts.time_of(self.tick)


@dataclass(slots=True)
class RecordingFolder:
    """All recordings of a folder and what is below it, or of what else was named.

    Attributes:
        names: where they are.
        recordings: by time of their start; of files with the same game, the first by name.
        duplicates: the other files of a game, as when the plain and the compressed one are both there.
        unreadable: files that are no recordings or cannot be opened, with the reason.
    """

    names: tuple[str, ...]
    recordings: list[FolderEntry] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)

    @classmethod
    def scan(
        cls,
        recordings: Names,
        *,
        index: str | Path | None = None,
        limits: Limits | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> RecordingFolder:
        """Read every recording once.

        Args:
            recordings: a folder, or what else `playhead.io.inputs` knows: paths, URLs, patterns, packs, lists;
                or several. What of a folder, pattern or pack is of another format is passed over.
            index: a file that keeps what was found; the next scan reads only files whose size or time of change is
                not the one of then. It appears whole or not at all, and now and then during a long scan.
            progress: called with files done and files in all.

        Raises:
            OSError: `index` cannot be written.
        """
        names = [recordings] if isinstance(recordings, str | os.PathLike) else list(recordings)
        found = cls(tuple(os.fspath(name) for name in names))
        files = sorted(expand_inputs(names), key=lambda file: file.path)
        known = {} if index is None else _read_index(Path(index))
        kept: dict[str, tuple[list[int], RecordingFacts]] = {}
        games: set[tuple[str, str | None]] = set()
        new = 0
        for done, file in enumerate(files):
            if progress is not None:
                progress(done, len(files))
            name, version = found._key(file), _version(file)
            cached = known.get(name)
            if cached is not None and cached[0] == version:
                facts = cached[1]
            else:
                try:
                    if file.error is not None:
                        raise file.error
                    if not file.named and not _may_be_recording(file.path):
                        continue
                    facts = read_facts(sys.stdin.buffer if file.path == STDIN else file.path, limits or Limits())
                except (ReplayError, OSError, ModuleNotFoundError) as error:
                    found.unreadable[file.path] = str(error)
                    continue
                new += 1
                if index is not None and new % _WRITE_EVERY == 0:
                    _write_index(Path(index), {**known, **kept, **({name: (version, facts)} if version else {})})
            if version:
                kept[name] = (version, facts)
            if facts.game_id is not None:
                game = (facts.game_id, facts.part)
                if game in games:
                    found.duplicates.append(file.path)
                    continue
                games.add(game)
            found.recordings.append(FolderEntry(file.path, facts))
        found.recordings.sort(key=lambda recording: (recording.facts.start_time or "", recording.path))
        if index is not None and kept != known:
            _write_index(Path(index), kept)
        return found

    def _key(self, file: InputFile) -> str:
        """The name of a file in an index: below the folder, if it is one, which may move with its index."""
        if len(self.names) == 1 and os.path.isdir(self.names[0]):
            return Path(file.path).relative_to(self.names[0]).as_posix()
        return file.path if "://" in file.path else os.path.abspath(file.path)

    def sessions(self) -> list[list[FolderEntry]]:
        """The recordings of each server process, in order, found by ``prev_game_uuid`` (DDNet 17.3 and later).

        Where a recording in between is missing, a new list begins. Recordings of older servers, and slices, are
        alone in theirs.
        """
        whole = {r.facts.game_id: r for r in self.recordings if r.facts.game_id and r.facts.part is None}
        following: dict[str, FolderEntry] = {}
        for recording in whole.values():
            previous = recording.facts.previous_id
            if previous in whole and previous != recording.facts.game_id:
                following.setdefault(previous, recording)
        later = {recording.path for recording in following.values()}
        out = []
        for recording in self.recordings:
            if recording.path in later:
                continue
            out.append(_chain(recording, following))
        # What is left refers to itself in a ring, which no server writes: each is alone.
        reached = {recording.path for session in out for recording in session}
        out += [[recording] for recording in self.recordings if recording.path not in reached]
        return out

    def find(self, query: Query) -> Iterator[Hit]:
        """What fits all that is asked for, by recording and tick; see `Query`.

        Without `Query.command` and `Query.finish` it is sessions, or recordings if nothing is asked of people;
        with them it is what those people did. Whoever had a name at some time is found by it, whatever they were
        called when they did something; a hit says what that was.
        """
        for recording in self.recordings:
            if not query.fits_map(recording.facts.map):
                continue
            hits: list[Hit] = []
            people = {visit.session for visit in recording.facts.visits if query.fits(visit)}
            if query.command is not None:
                hits += _commands(recording, query)
            if query.finish:
                hits += _finishes(recording)
            if query.command is None and not query.finish:
                hits += _visits(recording) if query.of_people else [Hit(recording, "recording", 0)]
            hits.sort(key=lambda hit: hit.tick)
            yield from (hit for hit in hits if not query.of_people or hit.session in people)


def _version(file: InputFile) -> list[int]:
    """Size and time of change of a file; nothing where these do not say whether it is the same."""
    if file.changed and file.size is not None:  # behind a URL, or in a pack
        return [file.size, int(file.changed * 1e9)]
    try:
        status = os.stat(file.path)
    except (OSError, ValueError):
        return []
    return [status.st_size, status.st_mtime_ns] if stat.S_ISREG(status.st_mode) else []


def _may_be_recording(path: str) -> bool:
    """Whether a file that nobody named is a recording by its name, damaged ones too, or by its first bytes.

    Raises:
        OSError: it cannot be read.
    """
    if path.endswith(_ENDINGS):
        return True
    try:
        return detect(open_stream(path)).name == "teehistorian"
    except ReplayError:
        return False


def _chain(first: FolderEntry, following: dict[str, FolderEntry]) -> list[FolderEntry]:
    out = [first]
    while first.facts.part is None and (follower := following.get(out[-1].facts.game_id or "")) is not None:
        out.append(follower)
    return out


def _person(recording: FolderEntry, session: int | None, tick: int) -> str | None:
    visit = recording.facts.visit(session)
    return None if visit is None else visit.name_at(tick)


def _visits(recording: FolderEntry) -> Iterator[Hit]:
    for visit in recording.facts.visits:
        later = " / ".join(dict.fromkeys(name for _, name in visit.names[1:]))
        yield Hit(
            recording,
            "visit",
            visit.tick,
            visit.client,
            visit.session,
            visit.first_name,
            f"then {later}" if later else "",
        )


def _commands(recording: FolderEntry, query: Query) -> Iterator[Hit]:
    for row in recording.facts.commands:
        if query.fits_command(row):
            client = row.client if row.client >= 0 else None
            name = _person(recording, row.session, row.tick)
            yield Hit(recording, "command", row.tick, client, row.session, name, row.line)


def _finishes(recording: FolderEntry) -> Iterator[Hit]:
    for row in recording.facts.finishes:
        seconds = f"{row.time / TICKS_PER_SECOND:.2f} s"
        if row.client is None:
            yield Hit(recording, "finish", row.tick, text=f"team {row.team} in {seconds}")
        else:
            name = _person(recording, row.session, row.tick)
            yield Hit(recording, "finish", row.tick, row.client, row.session, name, f"in {seconds}")


def _read_index(path: Path) -> dict[str, tuple[list[int], RecordingFacts]]:
    """What an earlier scan wrote; empty if it cannot be read: it is only ever made from the recordings."""
    try:
        content = json.loads(path.read_bytes())
        if content["version"] != _INDEX_VERSION:
            return {}
        return {
            name: ([int(number) for number in version], RecordingFacts.from_dict(facts))
            for name, (version, facts) in content["recordings"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _write_index(path: Path, kept: dict[str, tuple[list[int], RecordingFacts]]) -> None:
    content = {
        "version": _INDEX_VERSION,
        "recordings": {name: [version, facts.as_dict()] for name, (version, facts) in kept.items()},
    }
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), "utf-8")
