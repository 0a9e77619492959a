"""Messages of clients of protocol 0.6, DDNet's extension of Teeworlds 0.6.

Server messages share the numbers 1 to 16 and 27 to 30; a client does not send them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from playhead.runtime.records import dataclass
from playhead.teehistorian.network.records import NetworkRecord, numbered

_TABLE: dict[int, type[NetworkRecord]] = {}

#: Every known message by its number.
MESSAGES: Mapping[int, type[NetworkRecord]] = MappingProxyType(_TABLE)


@numbered(_TABLE, 17)
@dataclass(frozen=True, slots=True)
class Say(NetworkRecord):
    """Chat; team 1 for team chat. DDNet does not record it (bar one line of a joke); mods may."""

    team: int
    text: str


@numbered(_TABLE, 18)
@dataclass(frozen=True, slots=True)
class SetTeam(NetworkRecord):
    """Requests to spectate (-1) or to play (0)."""

    team: int


@numbered(_TABLE, 19)
@dataclass(frozen=True, slots=True)
class SetSpectatorMode(NetworkRecord):
    """Selects the watched client; -1 free view."""

    spectator_id: int


@numbered(_TABLE, 20)
@dataclass(frozen=True, slots=True)
class StartInfo(NetworkRecord):
    """A client's name, clan, country (ISO 3166-1 number or -1) and skin on entering."""

    name: str
    clan: str
    country: int
    skin: str
    use_custom_color: int
    color_body: int
    color_feet: int


@numbered(_TABLE, 21)
@dataclass(frozen=True, slots=True)
class ChangeInfo(NetworkRecord):
    """A client's new name, clan, country and skin; the server may refuse them."""

    name: str
    clan: str
    country: int
    skin: str
    use_custom_color: int
    color_body: int
    color_feet: int


@numbered(_TABLE, 22)
@dataclass(frozen=True, slots=True)
class Kill(NetworkRecord):
    """Kills its own tee."""


@numbered(_TABLE, 23)
@dataclass(frozen=True, slots=True)
class Emoticon(NetworkRecord):
    """Shows an emoticon, 0 to 15."""

    emoticon: int


@numbered(_TABLE, 24)
@dataclass(frozen=True, slots=True)
class Vote(NetworkRecord):
    """Votes yes (1) or no (-1). DDNet does not record it."""

    vote: int


@numbered(_TABLE, 25)
@dataclass(frozen=True, slots=True)
class CallVote(NetworkRecord):
    """Calls a vote: type ``option``, ``kick`` or ``spectate``. DDNet does not record it."""

    type: str
    value: str
    reason: str


@numbered(_TABLE, 26)
@dataclass(frozen=True, slots=True)
class IsDDNetLegacy(NetworkRecord):
    """Identifies an old DDNet client; the first ones send no version."""

    version: int | None


@numbered(_TABLE, 31)
@dataclass(frozen=True, slots=True)
class ShowOthersLegacy(NetworkRecord):
    """Shows players of other teams (1) or not (0); later clients send `extended.ShowOthers`."""

    show: int
