"""Find and replace texts in encoded members. The first byte selects the member, the second its build."""

from __future__ import annotations

from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.blizzard.encoding.blob_offsets import BlobOffset, Patches, packed_blobs, tagged_leaves
from playhead.blizzard.members.details import read_details
from playhead.blizzard.members.lobby import read_lobby
from playhead.sc2.members.replay_info import info_blobs, read_replay_info
from playhead.sc2.protocol.tables import distinct_builds, init_data_program, protocol_table
from targets import LIMITS


def fuzz(data: bytes) -> None:
    if len(data) < 2:
        return
    base, build = distinct_builds()[data[1] % len(distinct_builds())]
    content = data[2:]
    if data[0] % 3 == 0:
        read_details(content, LIMITS)
        leaves = tagged_leaves(content)
        assert all(0 <= start < end <= len(content) for start, end in leaves.values())
        return
    if data[0] % 3 == 1:
        table = protocol_table(base, build)

        def places_in(member: bytes) -> list[BlobOffset]:
            return list(packed_blobs(table.pool, table.init_data, BitPackedReader(member)))

        read_lobby(content, init_data_program(base, build))
    else:
        places_in = info_blobs
        read_replay_info(content)
    places = places_in(content)
    patches = Patches(content)
    new = []
    for number, place in enumerate(places):
        assert content[place.start : place.start + len(place.data)] == place.data
        text = (b"", b"x" * 40, place.data)[number % 3]
        patches.set_blob(place, text)
        new.append(text[: place.least + (1 << place.width) - 1].ljust(place.least, b"\0"))
    assert [place.data for place in places_in(patches.apply())] == new
