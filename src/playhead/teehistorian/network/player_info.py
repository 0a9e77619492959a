"""`PlayerInfo`: a client's name, clan, country and skin, for both protocols."""

from __future__ import annotations

from playhead.runtime.records import dataclass
from playhead.teehistorian.network import seven, six
from playhead.teehistorian.network.records import NetworkRecord


@dataclass(frozen=True, slots=True)
class PlayerInfo:
    """The content of one message.

    Attributes:
        entering: sent on entering, not as a change.
        name, clan, country: None if the message does not contain them (a 0.7 client can only change its skin).
        skin: name of the skin; for 0.7, the names of its six parts joined by blanks.
        colors: colours of body and feet, as the game packs them; None if the skin has its own.
    """

    entering: bool
    name: str | None
    clan: str | None
    country: int | None
    skin: str
    colors: tuple[int, int] | None = None


# The first byte of a packed int has its six lowest bits, for any length of the encoding.
_LOW_BITS = 0x3F
_STARTS = frozenset(
    record.number << 1 & _LOW_BITS for record in (six.StartInfo, six.ChangeInfo, seven.StartInfo, seven.SkinChange)
)


def may_describe_player(data: bytes) -> bool:
    """Return whether `player_info` may support a payload: a fast check that avoids decoding most payloads."""
    return bool(data) and data[0] & _LOW_BITS in _STARTS


def player_info(record: NetworkRecord | None) -> PlayerInfo | None:
    """Return the player info of a record; None for other messages."""
    match record:
        case six.StartInfo() | six.ChangeInfo():
            entering = isinstance(record, six.StartInfo)
            colors = (record.color_body, record.color_feet) if record.use_custom_color else None
            return PlayerInfo(entering, record.name, record.clan, record.country, record.skin, colors)
        case seven.StartInfo():
            return PlayerInfo(True, record.name, record.clan, record.country, " ".join(record.skin_parts))
        case seven.SkinChange():
            return PlayerInfo(False, None, None, None, " ".join(record.skin_parts))
        case _:
            return None
