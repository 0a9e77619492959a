"""The name of the map, read without the other events."""

from __future__ import annotations

from tests.samples.hots.replay import BUILD, sample_streams

from playhead.blizzard.protocol.tables import TRACKER
from playhead.hots.members.setting import read_map_name
from playhead.hots.protocol import PROTOCOLS

DATA = sample_streams(PROTOCOLS.table(BUILD, BUILD))[TRACKER]


def test_the_end_of_the_game_names_the_map() -> None:
    assert read_map_name(DATA) == "TwoRivers"


def test_a_spray_names_it_too_under_another_key() -> None:
    renamed = DATA.replace(b"\x2cEndOfGameTalentChoices", b"\x1aLootSprayUsed").replace(
        b"\x06Map\x02", b"\x0aMapID\x02"
    )
    assert read_map_name(renamed) == "TwoRivers"


def test_cut_and_changed_bytes_name_no_other_map() -> None:
    place = DATA.find(b"EndOfGameTalentChoices")
    for size in range(place - 8, place + 200):
        assert read_map_name(DATA[:size]) in (None, "TwoRivers")
    for at in range(place - 6, place + 60):
        for byte in (0, 5, 255):
            found = read_map_name(DATA[:at] + bytes((byte,)) + DATA[at + 1 :])
            assert found is None or found.endswith("Rivers") or len(found) < 200
