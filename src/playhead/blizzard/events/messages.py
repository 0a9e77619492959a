"""Messages beside the game: chat, pings, loading, connections."""

from __future__ import annotations

from playhead.blizzard.events.base import Event, raw
from playhead.blizzard.events.conversions import AS_TEXT, IN_FINE, Worded

#: Recipients of a message.
CHANNELS = ("all", "allies", "individual", "battlenet", "observers")


class ChatMessage(Event):
    """A line of chat. `channel` is all, allies, individual, battlenet or observers."""

    channel: str | None = raw("m_recipient", convert=Worded(CHANNELS))
    text: str = raw("m_string", convert=AS_TEXT, default="")


class PingMessage(Event):
    """A ping on the minimap; `x`, `y` in cells."""

    channel: str | None = raw("m_recipient", convert=Worded(CHANNELS))
    x: float | None = raw("m_point.x", convert=IN_FINE)
    y: float | None = raw("m_point.y", convert=IN_FINE)


class LoadingProgressMessage(Event):
    """Progress of a user's loading; `progress` as stored."""

    progress: int | None = raw("m_progress")


class ServerPingMessage(Event):
    """A ping of the server's own."""


class ReconnectNotifyMessage(Event):
    """A user's connection was lost or restored; `status` as stored."""

    status: int | None = raw("m_status")


class PlayerAnnounceMessage(Event):
    """A player announced an ability, a behaviour or the vitals of a unit to the team."""

    what: str | None = raw("m_announcement", convert=lambda choice, scope: next(iter(choice), None))
    unit: int | None = raw("m_unitTag")
    other_unit: int | None = raw("m_otherUnitTag")
