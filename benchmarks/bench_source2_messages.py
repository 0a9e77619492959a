"""User messages of a Dota 2 demo: playhead against protobuf with gem-dota's generated classes, in the same run.

    python benchmarks/bench_source2_messages.py [FILE.dem]

Without a file, a synthetic recording is made, with the kinds of messages that fill a match. Both start from the
bytes of the messages. Protobuf is measured parsing alone, which leaves every field to be fetched from the object,
and parsing to a dict, which is what playhead gives.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

from fastest import fastest

import playhead
from playhead.source2.messages.definitions import decoder, message_numbers
from playhead.source2.messages.wire import encode
from playhead.source2.replay import Source2Replay
from playhead.source2.writing.demo import DemoWriter, InnerMessage
from playhead.source2.writing.messages import encode_message


def _combat_log(dice: random.Random) -> InnerMessage:
    names = {key: dice.randrange(200) for key in ("target_name", "attacker_name", "inflictor_name")}
    flags = {key: dice.random() < 0.5 for key in ("is_attacker_hero", "is_target_hero", "is_visible_radiant")}
    more = {"value": dice.randrange(300), "health": dice.randrange(2000), "timestamp": dice.random() * 3000}
    entry = {"type": "DOTA_COMBATLOG_DAMAGE", **names, **flags, **more, "attacker_team": 2, "target_team": 3}
    return encode_message("dota", "CMsgDOTACombatLogEntry", entry)


def _particle(dice: random.Random) -> InnerMessage:
    place = {"x": dice.random() * 9000, "y": dice.random() * 9000, "z": 128.0}
    update = {"control_point": dice.randrange(4), "position": place}
    fields = {"type": "GAME_PARTICLE_MANAGER_EVENT_UPDATE_TRANSFORM", "index": dice.randrange(10**6)}
    return encode_message("dota", "CUserMsg_ParticleManager", {**fields, "update_particle_transform": update})


def _sound(dice: random.Random) -> InnerMessage:
    fields = {"soundevent_guid": dice.randrange(10**5), "soundevent_hash": dice.randrange(2**32)}
    more = {"source_entity_index": dice.randrange(2000), "seed": dice.randrange(200)}
    return encode_message(
        "dota", "CMsgSosStartSoundEvent", {**fields, **more, "packed_params": dice.randbytes(20)}
    )


def _chat_event(dice: random.Random) -> InnerMessage:
    line = {"type": "CHAT_MESSAGE_HERO_KILL", "value": 250, "playerid_1": dice.randrange(10), "playerid_2": -1}
    return encode_message("dota", "CDOTAUserMsg_ChatEvent", line)


def synthetic(ticks: int = 20_000) -> bytes:
    """A recording with some 200,000 user messages."""
    dice = random.Random(1)
    makers = [_combat_log] * 4 + [_particle] * 3 + [_sound] * 3
    writer = DemoWriter({"game": "dota", "map_name": "start"})
    writer.signon([(40, encode("CSVCMsg_ServerInfo", {"tick_interval": 1 / 30}))])
    for tick in range(1, ticks):
        messages = [dice.choice(makers)(dice) for _ in range(dice.randrange(20))]
        if tick % 400 == 0:
            messages.append(_chat_event(dice))
        writer.packet(tick, [(4, b"\x08\x01"), (55, dice.randbytes(300)), *messages])
    return writer.finish(ticks, {"playback_ticks": ticks})


def _open(data: bytes) -> Source2Replay:
    replay = playhead.open(data)
    assert isinstance(replay, Source2Replay)
    return replay


def main() -> None:
    data = Path(sys.argv[1]).read_bytes() if len(sys.argv) > 1 else synthetic()
    known = message_numbers(_open(data).info.game)
    found = [message for message in _open(data).messages() if message.number >= 100 and message.type]
    work = [(known[message.number].message or "", message.raw) for message in found]
    size = sum(len(raw) for _, raw in work)
    print(
        f"{len(work)} messages of {size / len(work):.0f} bytes: {dict(Counter(n for n, _ in work).most_common(5))}"
    )

    def show(what: str, seconds: float) -> None:
        print(f"{what:58} {seconds / len(work) * 1e9:7.0f} ns a message, {size / seconds / 1e6:6.1f} MB/s")

    decoders = [(decoder(name).decode, raw) for name, raw in work]
    show("playhead, bytes to dicts", fastest(lambda: sum(1 for decode, raw in decoders if decode(raw)), 5)[0])
    try:
        import gem.proto.dota_usermessages_pb2
        import gem.proto.gameevents_pb2
        import gem.proto.te_pb2
        import gem.proto.usermessages_pb2  # noqa: F401
        from google.protobuf.descriptor_pool import Default
        from google.protobuf.internal.api_implementation import Type
        from google.protobuf.json_format import MessageToDict
        from google.protobuf.message_factory import GetMessageClass
    except ImportError:
        print("gem-dota is not installed: no peer in this run")
    else:
        classes = {name: GetMessageClass(Default().FindMessageTypeByName(name)) for name, _ in work}
        jobs = [(classes[name].FromString, raw) for name, raw in work]
        to_dict = {"preserving_proto_field_name": True}
        listed = fastest(lambda: sum(len(parse(raw).ListFields()) for parse, raw in jobs), 5)[0]
        parsed = fastest(lambda: sum(1 for parse, raw in jobs if parse(raw)), 5)[0]
        show(f"protobuf ({Type()}), bytes to objects", parsed)
        show(f"protobuf ({Type()}), and their top fields listed", listed)
        show(
            f"protobuf ({Type()}), bytes to dicts (MessageToDict)",
            fastest(lambda: sum(1 for parse, raw in jobs if MessageToDict(parse(raw), **to_dict)), 2)[0],
        )
    print("from the file, frames and all:")
    show("playhead, table 'user_messages' (fields as JSON)", fastest(lambda: _table(data), 3)[0])
    show(
        "playhead, all user messages",
        fastest(lambda: sum(1 for _ in _open(data).messages("DOTA_UM_*", "UM_*", "GE_*")), 3)[0],
    )
    few = fastest(lambda: sum(1 for _ in _open(data).messages("CDOTAUserMsg_ChatEvent")), 3)[0]
    print(f"{'playhead, CDOTAUserMsg_ChatEvent alone':58} {few * 1e3:7.1f} ms")
    heads = fastest(lambda: _open(data).table("messages").num_rows, 3)[0]
    print(f"{'playhead, table messages (heads alone)':58} {heads * 1e3:7.1f} ms")


def _table(data: bytes) -> int:
    return _open(data).table("user_messages").num_rows


main()
