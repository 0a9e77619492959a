"""User messages of a Dota 2 demo: playhead and protobuf with gem-dota's generated classes, in the same run.

    python benchmarks/bench_source2_messages.py [FILE.dem]

Without a file, it creates a synthetic match of five minutes and realistic size. Times are CPU seconds. Both
start from the bytes of the messages. Protobuf is measured twice: parsing alone, which leaves field access to the
object, and parsing to a dict, which is playhead's result.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from fastest import fastest
from real_match import real_match

import playhead
from playhead.source2.messages.definitions import decoder, message_numbers
from playhead.source2.replay import Source2Replay


def _open(data: bytes) -> Source2Replay:
    replay = playhead.open(data)
    assert isinstance(replay, Source2Replay)
    return replay


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else real_match(folder, 5)
        data = path.read_bytes()
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
