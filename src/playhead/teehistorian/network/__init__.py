"""Game network messages in a teehistorian file: the messages of clients, as the server received them.

A payload starts with the packed int ``(number << 1) | system``. After number 0, a UUID identifies the extended
message; other numbers have different meanings in protocols 0.6 and 0.7. The fields follow as packed ints and
zero-terminated strings.

* `six`, `seven`, `extended`: the messages of clients, one record each.
* `records`: encodes and decodes a record.
* `decode`: decodes a payload, given the client's protocol, to a `NetworkMessage`, and encodes it.
* `player_info`: a client's name, clan, country and skin, for both protocols.

DDNet's servers do not record the numbers 17, 24 and 25; ``docs/teehistorian.md`` lists unrecorded data.
"""

from __future__ import annotations

from playhead.teehistorian.network import extended, seven, six
from playhead.teehistorian.network.decode import (
    NetworkMessage,
    PlayerInfo,
    decode_network,
    encode_network,
    may_describe_player,
    player_info,
)
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
