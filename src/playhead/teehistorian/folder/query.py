"""`Query`: the conditions of a search in a folder of recordings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from fnmatch import translate
from functools import cache

from playhead.runtime.records import dataclass, fields
from playhead.teehistorian.folder.facts import CommandFacts, VisitFacts


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
