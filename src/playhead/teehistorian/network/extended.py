"""Extended messages: DDNet's additions to both protocols, identified by a UUID."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from uuid import UUID

from playhead.teehistorian.network.records import NetworkRecord, named

_TABLE: dict[UUID, type[NetworkRecord]] = {}

#: Every known message by its UUID.
MESSAGES: Mapping[UUID, type[NetworkRecord]] = MappingProxyType(_TABLE)


@named(_TABLE, "show-distance@netmsg.ddnet.tw")
class ShowDistance(NetworkRecord):
    """Size of the client's visible area, in world units."""

    x: int
    y: int


@named(_TABLE, "showothers@netmsg.ddnet.tw")
class ShowOthers(NetworkRecord):
    """Shows players of other teams: 0 no, 1 yes, 2 only those of its own team."""

    show: int


@named(_TABLE, "camera-info@netmsg.ddnet.org")
class CameraInfo(NetworkRecord):
    """The client's camera: zoom in thousandths; the other two in the client's units."""

    zoom: int
    deadzone: int
    follow_factor: int


@named(_TABLE, "enable-spectator-count@netmsg.ddnet.org")
class EnableSpectatorCount(NetworkRecord):
    """Requests the number of its spectators (1) or not (0)."""

    enable: int
