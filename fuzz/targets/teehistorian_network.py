"""Network messages. The first byte selects the protocol."""

from __future__ import annotations

from playhead.teehistorian.network import decode_network, encode_network, may_describe_player, player_info


def fuzz(data: bytes) -> None:
    if not data:
        return
    protocol = (None, 6, 7)[data[0] % 3]
    message = decode_network(data[1:], protocol)
    may_describe_player(data[1:])
    player_info(message.record)
    if message.record is not None and message.protocol is not None:
        again = decode_network(encode_network(message.record), message.protocol)
        assert again.record == message.record
