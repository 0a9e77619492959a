"""A folder of recordings as a database: which server process made which, and where something happened."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path

from playhead.errors import ReplayError
from playhead.io.atomic import whole_file
from playhead.limits import Limits
from playhead.teehistorian.folder.facts import RecordingFacts, read_facts
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

_ENDINGS = tuple(f".teehistorian{packed}" for packed in ("", ".xz", ".zst", ".gz", ".bz2"))
_CACHE_VERSION = 1


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
        client, player: who: client id and name; None where it is nobody or not known.
        text: what: the command with its arguments; of a finish, who and in which time; else empty.
    """

    recording: FolderEntry
    kind: str
    tick: int
    client: int | None
    player: str | None
    text: str

    @property
    def time(self) -> datetime | None:
        """When it was, by the header's start time."""
        return self.recording.facts.time_of(self.tick)


def _matches(pattern: str | None, text: str | None) -> bool:
    """Whether `text` fits `pattern` (``*`` and ``?`` stand for anything); upper and lower case are the same."""
    if pattern is None:
        return True
    return text is not None and fnmatchcase(text.casefold(), pattern.casefold())


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
        cache: str | Path | None = None,
        limits: Limits | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> RecordingFolder:
        """Read every recording once.

        Args:
            cache: a file that keeps what was found; the next scan reads only files that are new or have changed.
            progress: called with files done and files in all.

        Raises:
            OSError: `folder` is no folder, or `cache` cannot be written.
        """
        found = cls(Path(folder))
        if not found.folder.is_dir():
            raise NotADirectoryError(f"{folder} is no folder")
        paths = sorted(path for path in found.folder.rglob("*") if path.name.endswith(_ENDINGS) and path.is_file())
        known = {} if cache is None else _read_cache(Path(cache))
        kept: dict[str, tuple[list[int], RecordingFacts]] = {}
        games: set[tuple[str, str | None]] = set()
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
            kept[name] = (version, facts)
            if facts.game_id is not None:
                game = (facts.game_id, facts.part)
                if game in games:
                    found.duplicates.append(path)
                    continue
                games.add(game)
            found.recordings.append(FolderEntry(path, facts))
        found.recordings.sort(key=lambda recording: (recording.facts.start_time or "", recording.path))
        if cache is not None and kept != known:
            _write_cache(Path(cache), kept)
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

    def find(
        self,
        *,
        player: str | None = None,
        map: str | None = None,
        command: str | None = None,
        finish: bool = False,
    ) -> Iterator[Hit]:
        """What fits all that is asked for, by recording and tick.

        Names may hold ``*`` and ``?``, and upper and lower case are the same.

        Args:
            player: name of a player. Alone: when they were connected. With `command` or `finish`: theirs.
            map: name of the map. Alone: the recordings of it.
            command: name of a console command, or of a command with its arguments (``team 5``, ``timeout *``).
            finish: finishes of players and, without `player`, of teams.
        """
        for recording in self.recordings:
            if not _matches(map, recording.facts.map):
                continue
            hits: list[Hit] = []
            if command is not None:
                hits += _commands(recording, command)
            if finish:
                hits += _finishes(recording)
            if command is None and not finish:
                hits += (
                    _visits(recording) if player is not None else [Hit(recording, "recording", 0, None, None, "")]
                )
            hits.sort(key=lambda hit: hit.tick)
            yield from (hit for hit in hits if _matches(player, hit.player))


def _chain(first: FolderEntry, following: dict[str, FolderEntry]) -> list[FolderEntry]:
    out = [first]
    while first.facts.part is None and (follower := following.get(out[-1].facts.game_id or "")) is not None:
        out.append(follower)
    return out


def _name(recording: FolderEntry, client: int, tick: int) -> str | None:
    visit = recording.facts.visit_at(client, tick)
    return None if visit is None else visit.name


def _visits(recording: FolderEntry) -> Iterator[Hit]:
    for visit in recording.facts.visits:
        yield Hit(recording, "visit", visit.tick, visit.client, visit.name, "")


def _commands(recording: FolderEntry, pattern: str) -> Iterator[Hit]:
    for row in recording.facts.commands:
        if _matches(pattern, row.command) or _matches(pattern, row.line):
            name = _name(recording, row.client, row.tick) if row.client >= 0 else None
            client = row.client if row.client >= 0 else None
            yield Hit(recording, "command", row.tick, client, name, row.line)


def _finishes(recording: FolderEntry) -> Iterator[Hit]:
    for row in recording.facts.finishes:
        seconds = f"{row.time / TICKS_PER_SECOND:.2f} s"
        if row.client is None:
            yield Hit(recording, "finish", row.tick, None, None, f"team {row.team} in {seconds}")
        else:
            name = _name(recording, row.client, row.tick)
            yield Hit(recording, "finish", row.tick, row.client, name, f"in {seconds}")


def _read_cache(path: Path) -> dict[str, tuple[list[int], RecordingFacts]]:
    """What an earlier scan wrote; empty if it cannot be read: it is only ever made from the recordings."""
    try:
        content = json.loads(path.read_bytes())
        if content["version"] != _CACHE_VERSION:
            return {}
        return {
            name: ([int(number) for number in version], RecordingFacts.from_dict(facts))
            for name, (version, facts) in content["recordings"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _write_cache(path: Path, kept: dict[str, tuple[list[int], RecordingFacts]]) -> None:
    content = {
        "version": _CACHE_VERSION,
        "recordings": {name: [version, facts.as_dict()] for name, (version, facts) in kept.items()},
    }
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), "utf-8")
