"""A folder of recordings as a database: which server process made which, and where something happened."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from playhead.errors import ReplayError
from playhead.io.atomic import whole_file
from playhead.limits import Limits
from playhead.teehistorian.folder.facts import RecordingFacts, read_facts
from playhead.teehistorian.folder.query import Query
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

_ENDINGS = tuple(f".teehistorian{packed}" for packed in ("", ".xz", ".zst", ".gz", ".bz2"))
_INDEX_VERSION = 2
#: Files that were read anew between two writes of the index, so that an interrupted scan is not lost.
_WRITE_EVERY = 256


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """One file of the folder."""

    path: Path
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
    """All recordings below a folder (``*.teehistorian``, also compressed).

    Attributes:
        folder: where they are.
        recordings: by time of their start; of files with the same game, the first by name.
        duplicates: the other files of a game, as when the plain and the compressed one are both there.
        unreadable: files that are no recordings or cannot be opened, with the reason.
    """

    folder: Path
    recordings: list[FolderEntry] = field(default_factory=list)
    duplicates: list[Path] = field(default_factory=list)
    unreadable: dict[Path, str] = field(default_factory=dict)

    @classmethod
    def scan(
        cls,
        folder: str | Path,
        *,
        index: str | Path | None = None,
        limits: Limits | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> RecordingFolder:
        """Read every recording once.

        Args:
            index: a file that keeps what was found; the next scan reads only files whose size or time of change is
                not the one of then. It appears whole or not at all, and now and then during a long scan.
            progress: called with files done and files in all.

        Raises:
            OSError: `folder` is no folder, or `index` cannot be written.
        """
        found = cls(Path(folder))
        if not found.folder.is_dir():
            raise NotADirectoryError(f"{folder} is no folder")
        paths = sorted(path for path in found.folder.rglob("*") if path.name.endswith(_ENDINGS) and path.is_file())
        known = {} if index is None else _read_index(Path(index))
        kept: dict[str, tuple[list[int], RecordingFacts]] = {}
        games: set[tuple[str, str | None]] = set()
        new = 0
        for done, path in enumerate(paths):
            if progress is not None:
                progress(done, len(paths))
            status = path.stat()
            name = path.relative_to(found.folder).as_posix()
            version = [status.st_size, status.st_mtime_ns]
            cached = known.get(name)
            if cached is not None and cached[0] == version:
                facts = cached[1]
            else:
                try:
                    facts = read_facts(str(path), limits or Limits())
                except (ReplayError, OSError) as error:
                    found.unreadable[path] = str(error)
                    continue
                new += 1
                if index is not None and new % _WRITE_EVERY == 0:
                    _write_index(Path(index), {**known, name: (version, facts), **kept})
            kept[name] = (version, facts)
            if facts.game_id is not None:
                game = (facts.game_id, facts.part)
                if game in games:
                    found.duplicates.append(path)
                    continue
                games.add(game)
            found.recordings.append(FolderEntry(path, facts))
        found.recordings.sort(key=lambda recording: (recording.facts.start_time or "", recording.path))
        if index is not None and kept != known:
            _write_index(Path(index), kept)
        return found

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
