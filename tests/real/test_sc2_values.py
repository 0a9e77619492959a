"""Values of single columns that real replays once showed to be wrong."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from tests.opened import open_as
from tests.real.sc2_index import sc2_replays, sc2_rows

from playhead.sc2.recording.unfilled import barred
from playhead.sc2.replay import Sc2Replay


def corpus_replay(corpus: Path, name: str) -> Sc2Replay:
    """Return the only replay of the corpus with this file name."""
    (file,) = (row["file"] for row in sc2_rows(corpus / "sc2") if row["file"].endswith("/" + name))
    return open_as(Sc2Replay, corpus / "sc2" / file)


def test_the_player_of_a_death_is_the_killer(corpus: Path) -> None:
    replay = corpus_replay(corpus, "Sample_5.SC2Replay")
    units = {unit["unit"]: unit["attacker_player"] for unit in replay.table("units").to_pylist()}
    deaths = list(replay.events("unit_killed"))
    rows = [row for row in replay.table("events").to_pylist() if row["kind"] == "unit_killed"]
    assert [event.player for event in deaths] == [row["player"] for row in rows]
    assert [event.player for event in deaths] == [units[event.unit] for event in deaths]  # type: ignore[attr-defined]
    assert {event.player for event in deaths} == {1, 2}


def test_outcomes_have_seconds(corpus: Path) -> None:
    winner, loser = corpus_replay(corpus, "Sample_5.SC2Replay").table("outcomes").to_pylist()
    assert (winner["end_seconds"], loser["end_tick"]) == (None, 16400)
    assert loser["end_seconds"] == pytest.approx(16400 / 22.4)


def test_every_empty_column_has_a_reason(corpus: Path, step: int) -> None:
    """No reason restates nulls, and what a build or mode cannot fill has no value in any replay of it."""
    for file, replay in sc2_replays(corpus / "sc2", 4 * step - 3):
        odd = [
            name for name, reason in replay.unfilled.items() if re.match("none of|the recording has noth", reason)
        ]
        assert odd == [], file
        missing = [
            name
            for name in barred(replay.recording, replay.info.details)
            if (replay.table(name.partition(".")[0]).num_rows if "." in name else name in replay.tables)
            and name not in replay.unfilled
        ]
        assert missing == [], file


def test_larvae_without_an_order_have_the_player_of_their_hatchery(corpus: Path) -> None:
    """Before 3.16 larvae have no recorded creator."""
    rows = corpus_replay(corpus, "2.0.8.25604__issue135.SC2Replay").table("injects").to_pylist()
    alone = [row for row in rows if row["known_by"] == "larvae"]
    assert {row["player"] for row in alone} == {4}


def test_hallucinations_are_unknown_before_3_16(corpus: Path) -> None:
    """In 3.15 the tracker names no creator; in 4.9 it does, and no unit of this game without Sentries is one."""
    early = corpus_replay(corpus, "3.14.0.54518__2.SC2Replay")
    assert set(early.table("units")["hallucinated"].to_pylist()) == {None}
    assert early.unfilled["units.hallucinated"] == (
        "before build 54724 (3.16) the tracker does not say what created a unit"
    )
    later = corpus_replay(corpus, "patch_4_9_2_zvt.SC2Replay")
    assert set(later.table("units")["hallucinated"].to_pylist()) == {False}


def test_ordered_hallucinations_are_no_products(corpus: Path) -> None:
    """Before 3.16 the tracker does not say it, but they appear in the loop of the order: a Phoenix at 8471 of a
    game whose first Stargate begins at 19189."""
    replay = corpus_replay(corpus, "3.3.0__1.SC2Replay")
    orders = replay.table("commands").to_pylist()
    assert [row["tick"] for row in orders if row["ability"] == "HallucinatePhoenix"] == [8471]
    made = [row for row in replay.table("build_order").to_pylist() if row["product"] == "Phoenix"]
    assert len(made) == 6
    assert min(row["tick"] for row in made) > 19189


def test_computers_have_their_number_in_the_lobby(corpus: Path) -> None:
    replay = corpus_replay(corpus, "224d6163_test.SC2Replay")
    slots = {row["kind"]: row["player"] for row in replay.table("slots").to_pylist()}
    assert (slots["human"], slots["computer"]) == (1, 2)
    assert [(player.player, player.kind) for player in replay.players] == [(1, "human"), (2, "computer")]


def test_nothing_begins_with_the_mission(corpus: Path) -> None:
    """The map spawns Probes later; each has a start of its own."""
    replay = corpus_replay(corpus, "kerrigan.SC2Replay")
    probes = [row for row in replay.table("build_order").to_pylist() if row["product"] == "Probe"]
    assert len(probes) == 40
    assert min(row["tick"] for row in probes) == 90
    assert all(row["tick"] > 0 for row in replay.table("production").to_pylist() if row["state"] == "busy")


def test_selected_units_are_known(corpus: Path) -> None:
    replay = corpus_replay(corpus, "Sample_5.SC2Replay")
    known = {row["unit"] for row in replay.table("units").to_pylist()}
    rows = replay.table("selections").to_pylist()
    assert {unit for row in rows for unit in row["added_units"] or ()} <= known
    assert None not in {type_ for row in rows for type_ in row["added_types"] or ()}


def test_selected_changelings_have_the_name_of_their_link(corpus: Path) -> None:
    """Players select a changeling by link 32, also when the tracker says that it looks like a Zealot."""
    names: Counter[tuple[int, str | None]] = Counter()
    for file in ("69d0a8e9_test.SC2Replay", "patch_5_0_16.SC2Replay", "56f902e2_test.SC2Replay"):
        for row in corpus_replay(corpus, file).table("selections").to_pylist():
            names.update(zip(row["added_type_ids"] or (), row["added_types"] or (), strict=True))
    assert {name for link, name in names if link == 32} == {"Changeling"}
    assert {name for link, name in names if link == 33} <= {"ChangelingZealot"}


@pytest.mark.parametrize(
    ("file", "title", "english"),
    [
        ("replay18.SC2Replay", "Wüstenoase", "Desert Oasis"),
        ("1.1.3.16939__11.SC2Replay", "밀림 분지", "Jungle Basin"),
        ("3.0.0.38215__fourth.SC2Replay", "Terraformação ER", "Terraform LE"),
        ("0.2.0.13891__0.2.0.13891.SC2Replay", "大都會", "Metalopolis"),
        (
            "00a4cc2cf3a02784ad5e9c9aba7759ab787612899380099092793357c7e44839.SC2Replay",
            "闯星 - 天梯版",
            "Interloper LE",
        ),
    ],
)
def test_maps_of_the_ladder_have_english_names(corpus: Path, file: str, title: str, english: str) -> None:
    info = corpus_replay(corpus, file).brief_info
    assert (info.map, info.details["map_english"]) == (title, english)


def test_two_chinese_titles_are_maps_of_that_shape(corpus: Path) -> None:
    """No list translates them: the size of the map and the first camera of both players are those of a replay with
    an English title."""
    for chinese, english in (
        ("0.2.0.13891__0.2.0.13891.SC2Replay", "0.10.0.14803/test.SC2Replay"),
        (
            "00a4cc2cf3a02784ad5e9c9aba7759ab787612899380099092793357c7e44839.SC2Replay",
            "3.18.0.57507/test.SC2Replay",
        ),
    ):
        shapes = []
        for replay in (corpus_replay(corpus, chinese), open_as(Sc2Replay, corpus / "sc2" / english)):
            first = {
                row["player"]: round(row["x"]) for row in reversed(replay.table("camera").to_pylist()) if row["x"]
            }
            size = replay.info.details["map_width"], replay.info.details["map_height"]
            shapes.append((size, {x for player, x in first.items() if player}))
        assert shapes[0][0] == shapes[1][0]
        assert len(shapes[0][1]) == 2
        assert shapes[0][1] <= shapes[1][1]


@pytest.mark.parametrize(
    "file", ["3.3.0__1.SC2Replay", "event_order.SC2Replay", "Ro4_-_Classic_vs_Maru_-_G2_-_Pylon.SC2Replay"]
)
def test_a_building_without_reactor_makes_one_thing_at_a_time(corpus: Path, file: str) -> None:
    """A boosted Forge with two upgrades, Gateways side by side, Warp Gates with a boosted cooldown."""
    rows = corpus_replay(corpus, file).table("production").to_pylist()
    busy = [row for row in rows if row["state"] == "busy" and row["unit_type"] in ("Gateway", "WarpGate", "Forge")]
    last: dict[int, int] = {}
    for row in busy:
        assert row["tick"] >= last.get(row["unit"], 0) - 2, row
        last[row["unit"]] = row["end_tick"] or 1 << 30
    assert len(busy) > 20


@pytest.mark.parametrize("file", ["2.0.10.26490__replay26490.SC2Replay", "3.3.0__1.SC2Replay"])
def test_a_nexus_makes_one_probe_at_a_time(corpus: Path, file: str) -> None:
    """Boosts that no order shows; the tracker of these builds does not name the Nexus."""
    last: dict[int, int] = {}
    for row in corpus_replay(corpus, file).table("production").to_pylist():
        if row["state"] == "busy" and row["unit_type"] == "Nexus":
            assert row["tick"] >= last.get(row["unit"], 0) - 2, row
            last[row["unit"]] = row["end_tick"] or 1 << 30
    assert last


def test_two_products_at_once_are_marked(corpus: Path, step: int) -> None:
    """Outside missions they are few, and a column says so."""
    marked: Counter[str] = Counter()
    for file, replay in sc2_replays(corpus / "sc2", 4 * step - 3):
        running: dict[int, list[int]] = {}
        rows = [row for row in replay.table("production").to_pylist() if row["state"] == "busy"]
        first_types = {row["unit"]: row["unit_type"] for row in reversed(rows)}
        for row in rows:
            most = 2 if first_types[row["unit"]].startswith(("Barracks", "Factory", "Starport")) else 1
            now = [end for end in running.get(row["unit"], ()) if end > row["tick"] + 2]
            assert row["overlaps"] == (len(now) >= most), (file, row)
            running[row["unit"]] = [*now, row["end_tick"] or 1 << 30]
            marked[replay.info.details["mode"]] += row["overlaps"]
    assert marked.total() - marked["co-op"] <= 40


@pytest.mark.parametrize(
    ("file", "product", "loops"),
    [
        # The table of build times had 960 from the betas of Legacy of the Void to 3.x.
        ("2.5.5.37164/lotv2.SC2Replay", "Oracle", 800),
        ("3.16.0.55505/3.16__AbyssalReef.SC2Replay", "Oracle", 800),
    ],
)
def test_build_times_by_order(corpus: Path, file: str, product: str, loops: int) -> None:
    """Two boosted Oracles of 3.16 in one Stargate appear 696 loops apart, 800 / 1.15."""
    replay = open_as(Sc2Replay, corpus / "sc2" / file)
    (row,) = (row for row in replay.table("unit_types").to_pylist() if row["catalog_key"] == product)
    assert row["build_ticks"] == loops
    made = [row for row in replay.table("production").to_pylist() if row["product"] == product]
    assert made
    assert not any(row["overlaps"] for row in made)


def test_the_first_beta_of_legacy_of_the_void_pays_for_its_boosts(corpus: Path) -> None:
    """A single Nexus boosts as soon as it has 25 energy, as in Heart of the Swarm."""
    boosts = open_as(Sc2Replay, corpus / "sc2/2.5.0.34835/sample.SC2Replay").table("boosts").to_pylist()
    assert [round(row["energy"] or 0) for row in boosts[:4]] == [29, 33, 27, 32]
    assert {row["end_tick"] - row["tick"] for row in boosts} == {320}


def test_what_a_building_becomes_takes_its_time(corpus: Path) -> None:
    """A Hatchery that becomes a Lair makes no upgrade meanwhile, so another made it."""
    rows = corpus_replay(corpus, "3.0.0.38996__2.SC2Replay").table("production").to_pylist()
    (lair,) = (row for row in rows if row["product"] == "Lair")
    (speed,) = (row for row in rows if row["product"] == "overlordspeed")
    assert speed["tick"] < lair["tick"] < speed["end_tick"]
    assert speed["unit"] != lair["unit"]


def test_what_its_owner_ended_is_not_lost(corpus: Path) -> None:
    """The tracker names the owner as the killer of Hatcheries that he cancelled, and of warp-ins without pylon."""
    for file, player, kind, tick in (
        ("56f902e2_test.SC2Replay", 1, "Hatchery", 9768),
        ("3.4.0__issueYY.SC2Replay", 1, "DarkTemplar", 13432),
    ):
        replay = corpus_replay(corpus, file)
        units = [
            row for row in replay.table("units").to_pylist() if (row["player"], row["unit_type"]) == (player, kind)
        ]
        ended = [row for row in units if row["end_tick"] == tick]
        assert len(ended) == 3
        assert {(row["attacker_player"], row["finished_tick"]) for row in ended} == {(player, None)}
        lost = sum(row["attacker_player"] is not None for row in units if row not in ended)
        rows = replay.table("unit_counts").to_pylist()
        assert (
            max(row["units_lost"] for row in rows if (row["player"], row["unit_type"]) == (player, kind)) == lost
        )
