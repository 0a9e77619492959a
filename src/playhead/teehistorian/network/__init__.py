"""Game network messages inside a teehistorian file: what clients sent to the server, as it arrived.

A payload starts with the packed int ``(number << 1) | system``. Number 0 is followed by a UUID that says which
extended message it is; any other number means one thing in protocol 0.6 and another in 0.7. The fields follow as
packed ints and zero-terminated strings.

* `six`, `seven`, `extended`: the messages that clients send, one record each.
* `records`: how a record becomes bytes and back.
* `decode`: from a payload and the client's protocol to a `NetworkMessage`, and back.
* `player_info`: what a client says of itself, the same for both protocols.

DDNet's servers leave out the numbers 17, 24 and 25: see ``docs/teehistorian.md`` for what is never in a file.
"""

from __future__ import annotations

from playhead.teehistorian.network import extended, seven, six
from playhead.teehistorian.network.decode import NetworkMessage, decode_network, encode_network
from playhead.teehistorian.network.player_info import PlayerInfo, may_describe_player, player_info
from playhead.teehistorian.network.records import NetworkRecord

__all__ = [
    "NetworkMessage",
    "NetworkRecord",
    "PlayerInfo",
    "decode_network",
    "encode_network",
    "extended",
    "may_describe_player",
    "player_info",
    "seven",
    "six",
]
