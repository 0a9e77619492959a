"""Names of unit types by catalog link: the tracker's, those learnt within a replay, and packaged lists."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st
from tests.samples.sc2 import replay as sample

import playhead
from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.units import changes
from playhead.blizzard.units.history import UnitHistory
from playhead.blizzard.units.states import links_of_units, types_at
from playhead.sc2.abilities.bundled import bundled_names, shifted

LISTED = {10: "Marine", 11: "Reaper", 12: "Ghost", 13: "Raven", 14: "Banshee"}


def test_links_between_two_equal_shifts_are_shifted() -> None:
    """The shift changes between Ghost and Banshee: the Raven's link is unknown."""
    known = [(12, "Marine"), (14, "Ghost"), (17, "Banshee")]
    assert shifted(LISTED, known) == {12: "Marine", 13: "Reaper", 14: "Ghost", 17: "Banshee"}


def test_an_unshifted_list_remains_and_new_types_are_added() -> None:
    known = [(12, "Ghost"), (99, "Warhound")]
    assert shifted(LISTED, known) == {**LISTED, 99: "Warhound"}


def test_a_build_between_two_measured_ones_has_what_both_agree_on() -> None:
    """57507 is measured; nothing from 55,959 to 57,506 is."""
    names = bundled_names("LotV", 56000)
    assert names is not None
    assert names.unit(67) == "SCV"
    later = bundled_names("LotV", 57507)
    assert later is not None
    assert all(later.units.get(link, name) == name for link, name in names.units.items())
    # 435 is MineralField in the next measured build, another type in the last one.
    assert (names.unit(435), later.unit(435)) == (None, "MineralField")


def test_the_tracker_knows_the_type_just_before_a_loop() -> None:
    born = {"index": [5], "recycle": [1], "unit_type": [0], "player": [1]}
    turned = {"index": [5], "recycle": [1], "unit_type": [1]}
    parts = [
        (change, array("i", [row]), {name: array("q", values) for name, values in columns.items()})
        for row, (change, columns) in enumerate(((changes.BORN, born), (changes.TYPE, turned)))
    ]
    history = UnitHistory(parts, array("i", [100, 200]), ["SiegeTank", "SiegeTankSieged"])
    tag, other = 5 << 18 | 1, 6 << 18 | 1
    tags = array("q", [tag, tag, other, NOTHING, tag])
    assert list(types_at(history, tags, array("q", [50, 200, 201, 201, 201]))) == [0, 0, NOTHING, NOTHING, 1]


def test_counts_that_do_not_add_up_name_no_unit() -> None:
    ends, links, counts = array("i", [2, 3, 4]), array("q", [7, 8, 9, 6]), array("q", [2, 1, 5, -1])
    found, places = links_of_units(ends, links, counts, array("i", [3, 4, 5]))
    assert list(found) == [7, 7, 8, NOTHING, NOTHING]
    assert list(places) == [0, 0, 0, 1, 2]


@given(st.lists(st.tuples(st.lists(st.integers(-3, 1 << 40), max_size=3), st.integers(0, 4)), max_size=6))
def test_any_counts_are_accepted(rows: list[tuple[list[int], int]]) -> None:
    """A count from a damaged file allocates nothing."""
    counts, group_ends, unit_ends = array("q"), array("i"), array("i")
    total = 0
    for many, units in rows:
        counts.extend(many)
        total += units
        group_ends.append(len(counts))
        unit_ends.append(total)
    found, _ = links_of_units(group_ends, array("q", range(len(counts))), counts, unit_ends)
    assert len(found) == total


def test_selections_have_names() -> None:
    """The sample's catalog links are of no real build, so its types are those of the tracker."""
    rows = playhead.open(sample.sample_bytes()).table("selections").to_pylist()
    assert [row["added_types"] for row in rows] == [["CommandCenter"], ["Hatchery"], ["Marine"]]
