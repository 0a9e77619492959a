"""Messages of clients of protocol 0.7.

The numbers 1 to 23, 33 and 35 to 38 are server messages; a client does not send them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from playhead.teehistorian.network.records import NetworkRecord, numbered

_TABLE: dict[int, type[NetworkRecord]] = {}

#: Every known message by its number.
MESSAGES: Mapping[int, type[NetworkRecord]] = MappingProxyType(_TABLE)

#: One value for each part of a tee: body, marking, decoration, hands, feet, eyes.
PartTexts = tuple[str, str, str, str, str, str]
PartNumbers = tuple[int, int, int, int, int, int]


@numbered(_TABLE, 24)
class Say(NetworkRecord):
    """Chat; mode 1 all, 2 team, 3 whisper to `target`. DDNet does not record it."""

    mode: int
    target: int
    text: str


@numbered(_TABLE, 25)
class SetTeam(NetworkRecord):
    """Requests to spectate (-1) or to play (0). DDNet does not record it."""

    team: int


@numbered(_TABLE, 26)
class SetSpectatorMode(NetworkRecord):
    """Selects the view of a spectator: mode 0 free view, 1 the client `spectator_id`, 2 and 3 a flag."""

    mode: int
    spectator_id: int


@numbered(_TABLE, 27)
class StartInfo(NetworkRecord):
    """A client's name, clan, country and skin on entering."""

    name: str
    clan: str
    country: int
    skin_parts: PartTexts
    use_custom_colors: PartNumbers
    part_colors: PartNumbers


@numbered(_TABLE, 28)
class Kill(NetworkRecord):
    """Kills its own tee."""


@numbered(_TABLE, 29)
class ReadyChange(NetworkRecord):
    """Changes between ready and not ready."""


@numbered(_TABLE, 30)
class Emoticon(NetworkRecord):
    """Shows an emoticon, 0 to 15."""

    emoticon: int


@numbered(_TABLE, 31)
class Vote(NetworkRecord):
    """Votes yes (1) or no (-1)."""

    vote: int


@numbered(_TABLE, 32)
class CallVote(NetworkRecord):
    """Calls a vote: type ``option``, ``kick`` or ``spectate``; `force` by an administrator."""

    type: str
    value: str
    reason: str
    force: int


@numbered(_TABLE, 34)
class SkinChange(NetworkRecord):
    """A client's new skin."""

    skin_parts: PartTexts
    use_custom_colors: PartNumbers
    part_colors: PartNumbers


@numbered(_TABLE, 39)
class Command(NetworkRecord):
    """A chat command that the client recognises; the server also records it as a console command."""

    name: str
    arguments: str
