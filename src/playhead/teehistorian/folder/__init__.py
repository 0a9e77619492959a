"""`RecordingFolder`: the recordings of a folder with the facts of each, and searches by a `Query`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from fnmatch import translate
from functools import cache

from playhead.errors import ReplayError
from playhead.io.inputs import STDIN, expand_inputs
from playhead.io.source import open_stream
from playhead.limits import Limits
from playhead.registry import detect
from playhead.runtime.records import dataclass, field, fields
from playhead.teehistorian.folder.facts import CommandFacts, RecordingFacts, VisitFacts, read_facts
from playhead.teehistorian.stream.header import CLIENT_MAGICS
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND


class Matching(StrEnum):
    """Comparison of the texts of a query; all ignore case."""

    literal = "literal"
    glob = "glob"
    regex = "regex"


@cache
def _pattern(text: str, matching: Matching) -> re.Pattern[str]:
    if matching is Matching.regex:
        return re.compile(text, re.IGNORECASE)
    whole = translate(text.casefold()) if matching is Matching.glob else rf"(?s:{re.escape(text.casefold())})\Z"
    return re.compile(whole)


@dataclass(frozen=True, slots=True)
class Query:
    """The conditions of a search; a hit fits all of them, and None is no condition.

    Attributes:
        player: a name of the session at any time.
        clan, skin: a value of the client at any time.
        version: version of the client, as number (``18090``) or as text.
        connection_uuid: UUID sent by the client.
        timeout_hash: SHA-256 of a ``timeout`` code in hexadecimal, or its beginning.
        team: a team of the session at any time; for a command or finish, the team on its tick.
        map: name of the map.
        command: name of a console command, with or without arguments (``team 5``).
        origin: origin of a console command: ``chat``, ``rcon`` or ``server``.
        at: a time, with its zone: players who were connected then.
        finish: search finishes of players and, without conditions on players, of teams.
        matching: comparison of texts: equal (`literal`), a pattern with ``*``, ``?`` and ``[…]`` (`glob`), or a
            search for a Python regular expression (`regex`).

    Raises:
        ValueError: a regular expression is invalid; or `at` is asked for with commands or finishes.
    """

    player: str | None = None
    clan: str | None = None
    skin: str | None = None
    version: str | None = None
    connection_uuid: str | None = None
    timeout_hash: str | None = None
    team: int | None = None
    map: str | None = None
    command: str | None = None
    origin: str | None = None
    at: datetime | None = None
    finish: bool = False
    matching: Matching = Matching.literal

    def __post_init__(self) -> None:
        if self.at is not None and (self.of_commands or self.finish):
            raise ValueError("a time is for players, not for their commands and finishes")
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, str) and each.name != "matching":
                try:
                    _pattern(value, self.matching)
                except re.error as error:
                    raise ValueError(f"{value!r} is no regular expression: {error}") from None

    @property
    def of_people(self) -> bool:
        """Whether there are conditions on players."""
        asked = (self.player, self.clan, self.skin, self.version, self.connection_uuid, self.timeout_hash)
        return any(one is not None for one in asked)

    @property
    def of_commands(self) -> bool:
        """Whether commands are asked for."""
        return self.command is not None or self.origin is not None

    @property
    def empty(self) -> bool:
        """Whether there are no conditions."""
        asked = (self.team, self.map, self.command, self.origin, self.at)
        return not self.of_people and not self.finish and all(one is None for one in asked)

    def fits(self, visit: VisitFacts) -> bool:
        """Return whether a session fits."""
        return (
            self._fits(self.player, (name for _, name in visit.names))
            and self._fits(self.clan, visit.clans)
            and self._fits(self.skin, visit.skins)
            and self._fits(self.version, visit.versions)
            and self._fits(self.connection_uuid, visit.connection_uuids)
            and (self.team is None or any(team == self.team for _, team in visit.teams))
            and (
                self.timeout_hash is None
                or any(one.startswith(self.timeout_hash.lower()) for one in visit.timeout_hashes)
            )
        )

    def fits_map(self, name: str | None) -> bool:
        """Return whether a map fits."""
        return self._fits(self.map, () if name is None else (name,))

    def fits_command(self, row: CommandFacts) -> bool:
        """Return whether a command fits."""
        return self.origin in (None, row.origin) and self._fits(self.command, (row.command, row.line))

    def _fits(self, asked: str | None, texts: Iterable[str]) -> bool:
        if asked is None:
            return True
        pattern = _pattern(asked, self.matching)
        if self.matching is Matching.regex:
            return any(pattern.search(text) for text in texts)
        return any(pattern.match(text.casefold()) for text in texts)


#: Inputs: a path, folder, pattern, pack, list of paths or URL, or several of them.
Names = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

_ENDINGS = tuple(f".teehistorian{packed}" for packed in ("", ".xz", ".zst", ".gz", ".bz2"))


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """One file: its path, its size and time of change, and its facts."""

    path: str
    facts: RecordingFacts


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search.

    Attributes:
        recording: its recording.
        kind: ``recording``, ``visit``, ``online`` (at `Query.at`), ``command`` or ``finish``.
        tick: its tick; the first tick of a visit.
        client, player, name: client id, number of the connection and name at that tick (for a visit the first
            name); None if nobody or unknown.
        team: that of a team's finish; None for everything else.
        text: the command with its arguments; names and time of a finish; later names of a visit; else empty.
    """

    recording: FolderEntry
    kind: str
    tick: int
    client: int | None = None
    player: int | None = None
    name: str | None = None
    text: str = ""
    team: int | None = None

    @property
    def time(self) -> datetime | None:
        """Its time, from the header's start time."""
        return self.recording.facts.time_of(self.tick)


@dataclass(slots=True)
class RecordingFolder:
    """All recordings of a folder and its sub-folders, or of other inputs.

    Attributes:
        names: the inputs.
        recordings: by start time; of several files of one game the most complete, of equal ones the first by name.
        duplicates: the other files of a game, such as a compressed or damaged copy.
        unreadable: files that are not recordings or cannot be opened, with the reason.
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
        limits: Limits | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> RecordingFolder:
        """Read every recording once.

        Args:
            recordings: a folder, or other inputs of `playhead.io.inputs`: paths, URLs, patterns, packs, lists; or
                several. Files of other formats in a folder, pattern or pack are skipped.
            progress: called with the number of files read and the number of all files.
        """
        names = [recordings] if isinstance(recordings, str | os.PathLike) else list(recordings)
        found = cls(tuple(os.fspath(name) for name in names))
        files = sorted(expand_inputs(names), key=lambda file: file.path)
        games: dict[tuple[str | None, str | None], FolderEntry] = {}
        for done, file in enumerate(files):
            if progress is not None:
                progress(done, len(files))
            try:
                if file.error is not None:
                    raise file.error
                other = _other_format(file.path)
                if other is not None:
                    if file.named or file.path.endswith(_ENDINGS):
                        found.unreadable[file.path] = other
                    continue
                facts = read_facts(sys.stdin.buffer if file.path == STDIN else file.path, limits or Limits())
            except (ReplayError, OSError, ModuleNotFoundError) as error:
                found.unreadable[file.path] = str(error)
                continue
            entry = FolderEntry(file.path, facts)
            game = (None, file.path) if facts.game_id is None else (facts.game_id, facts.part)
            best = games.setdefault(game, entry)
            if best is entry:
                continue
            if (facts.complete, facts.last_tick) > (best.facts.complete, best.facts.last_tick):
                games[game], entry = entry, best
            found.duplicates.append(entry.path)
        found.recordings = list(games.values())
        found.recordings.sort(key=lambda recording: (recording.facts.start_time or "", recording.path))
        return found

    def sessions(self) -> list[list[FolderEntry]]:
        """The recordings of each server process, in order, by ``prev_game_uuid`` (DDNet 17.3 and later).

        A new list begins after a missing recording. Each recording of an older server, and
        each slice, has its own list.
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
        # The rest refer to each other in a ring, which no server writes: each gets its own list.
        reached = {recording.path for session in out for recording in session}
        out += [[recording] for recording in self.recordings if recording.path not in reached]
        return out

    def find(self, query: Query) -> Iterator[Hit]:
        """Yield the results that fit all conditions of a `Query`, by recording and tick.

        Results are commands and finishes if the query is about them; else sessions, or recordings if there are no
        conditions on players. A player is found by any of his names; a hit contains the name at its tick.
        """
        for recording in self.recordings:
            if not query.fits_map(recording.facts.map):
                continue
            hits: list[Hit] = []
            of_people = query.of_people or query.team is not None
            people = {visit.player for visit in recording.facts.visits if query.fits(visit)}
            if query.of_commands:
                hits += _commands(recording, query)
            if query.finish:
                hits += _finishes(recording)
            if query.at is not None:
                hits += _online(recording, query.at)
            elif not query.of_commands and not query.finish:
                hits += _visits(recording) if of_people else [Hit(recording, "recording", 0)]
            hits.sort(key=lambda hit: hit.tick)
            if query.of_people:
                hits = [hit for hit in hits if hit.player in people]
            yield from (hit for hit in hits if _is_of(hit, query))


def _other_format(path: str) -> str | None:
    """Return what a file is, by its first bytes, if it is no recording; None for recordings, damaged ones too.

    Raises:
        OSError: the file cannot be read.
    """
    if path == STDIN:
        return None
    try:
        source = open_stream(path)
        format = detect(source)
    except ReplayError as error:
        return str(error)
    if format.name == "teehistorian" and not bytes(source.data[:8]).startswith(CLIENT_MAGICS):
        return None
    title = "demo or ghost of DDNet's client" if format.name == "teehistorian" else format.title
    return f"{path}: a {title}, not a teehistorian recording"


def _chain(first: FolderEntry, following: dict[str, FolderEntry]) -> list[FolderEntry]:
    out = [first]
    while first.facts.part is None and (follower := following.get(out[-1].facts.game_id or "")) is not None:
        out.append(follower)
    return out


def _is_of(hit: Hit, query: Query) -> bool:
    """Return whether a result is of the team that a query asks for."""
    if query.team is None:
        return True
    visit = hit.recording.facts.visit(hit.player)
    if visit is None:
        return hit.team == query.team
    return query.fits(visit) if hit.kind == "visit" else visit.team_at(hit.tick) == query.team


def _person(recording: FolderEntry, player: int | None, tick: int) -> str | None:
    visit = recording.facts.visit(player)
    return None if visit is None else visit.name_at(tick)


def _visits(recording: FolderEntry) -> Iterator[Hit]:
    for visit in recording.facts.visits:
        later = " / ".join(dict.fromkeys(name for _, name in visit.names[1:]))
        yield Hit(
            recording,
            "visit",
            visit.tick,
            visit.client,
            visit.player,
            visit.first_name,
            f"then {later}" if later else "",
        )


def _online(recording: FolderEntry, time: datetime) -> Iterator[Hit]:
    tick = recording.facts.tick_at(time)
    if tick is None:
        return
    for visit in recording.facts.visits:
        if visit.tick <= tick and (visit.end_tick is None or tick < visit.end_tick):
            yield Hit(recording, "online", tick, visit.client, visit.player, visit.name_at(tick))


def _commands(recording: FolderEntry, query: Query) -> Iterator[Hit]:
    for row in recording.facts.commands:
        if query.fits_command(row):
            client = row.client if row.client >= 0 else None
            name = _person(recording, row.player, row.tick)
            yield Hit(recording, "command", row.tick, client, row.player, name, row.line)


def _finishes(recording: FolderEntry) -> Iterator[Hit]:
    for row in recording.facts.finishes:
        seconds = f"{row.time / TICKS_PER_SECOND:.2f} s"
        if row.client is None:
            yield Hit(recording, "finish", row.tick, text=f"team {row.team} in {seconds}", team=row.team)
        else:
            name = _person(recording, row.player, row.tick)
            yield Hit(recording, "finish", row.tick, row.client, row.player, name, f"in {seconds}")
