"""Messages of clients of protocol 0.6, DDNet's extension of Teeworlds 0.6.

Server messages share the numbers 1 to 16 and 27 to 30; a client does not send them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from playhead.teehistorian.network.records import NetworkRecord, numbered

_TABLE: dict[int, type[NetworkRecord]] = {}

#: Every known message by its number.
MESSAGES: Mapping[int, type[NetworkRecord]] = MappingProxyType(_TABLE)


@numbered(_TABLE, 17)
class Say(NetworkRecord):
    """Chat; team 1 for team chat. DDNet does not record it (bar one line of a joke); mods may."""

    team: int
    text: str


@numbered(_TABLE, 18)
class SetTeam(NetworkRecord):
    """Requests to spectate (-1) or to play (0)."""

    team: int


@numbered(_TABLE, 19)
class SetSpectatorMode(NetworkRecord):
    """Selects the watched client; -1 free view."""

    spectator_id: int


@numbered(_TABLE, 20)
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
class Kill(NetworkRecord):
    """Kills its own tee."""


@numbered(_TABLE, 23)
class Emoticon(NetworkRecord):
    """Shows an emoticon, 0 to 15."""

    emoticon: int


@numbered(_TABLE, 24)
class Vote(NetworkRecord):
    """Votes yes (1) or no (-1). DDNet does not record it."""

    vote: int


@numbered(_TABLE, 25)
class CallVote(NetworkRecord):
    """Calls a vote: type ``option``, ``kick`` or ``spectate``. DDNet does not record it."""

    type: str
    value: str
    reason: str


@numbered(_TABLE, 26)
class IsDDNetLegacy(NetworkRecord):
    """Identifies an old DDNet client; the first ones send no version."""

    version: int | None


@numbered(_TABLE, 31)
class ShowOthersLegacy(NetworkRecord):
    """Shows players of other teams (1) or not (0); later clients send `extended.ShowOthers`."""

    show: int
