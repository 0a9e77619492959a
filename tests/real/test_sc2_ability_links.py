"""Links of spells by build: what an order is called, against what the tracker shows after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.opened import open_as
from tests.real.sc2_index import sc2_rows

from playhead.sc2.abilities.bundled import bundled_names
from playhead.sc2.replay import Sc2Replay


def corpus_replay(corpus: Path, name: str) -> Sc2Replay:
    """Return the only replay of the corpus with this file name."""
    (file,) = (row["file"] for row in sc2_rows(corpus / "sc2") if row["file"].endswith("/" + name))
    return open_as(Sc2Replay, corpus / "sc2" / file)


@pytest.mark.parametrize(
    ("file", "link", "name", "product", "made"),
    [
        ("3.2.0__1.SC2Replay", 505, "PurificationNovaTargeted", "DisruptorPhased", 19),
        ("sample.SC2Replay", 498, "AdeptPhaseShift", "AdeptPhaseShift", 4),
        ("sample.SC2Replay", 494, "OracleStasisTrapBuild", "OracleStasisTrap", 18),
        ("patch_4_9_2_zvt.SC2Replay", 630, "KD8Charge", "KD8Charge", 1),
        ("patch_380_protoss.SC2Replay", 603, "AdeptPhaseShift", "AdeptPhaseShift", 1),
        ("patch_380_protoss.SC2Replay", 598, "BuildOracleStasisTrap", "OracleStasisTrap", 1),
    ],
)
def test_the_unit_of_a_spell_follows_its_order(
    corpus: Path, file: str, link: int, name: str, product: str, made: int
) -> None:
    """`made` orders are followed by the unit within ten seconds."""
    replay = corpus_replay(corpus, file)
    commands = replay.table("commands").to_pylist()
    orders = [row for row in commands if row["ability_id"] == link and row["kind"] == "command_given"]
    assert {row["ability"] for row in orders} == {name}
    units = [row for row in replay.table("units").to_pylist() if row["first_unit_type"] == product]
    assert made == sum(
        any(unit["player"] == order["player"] and 0 <= unit["tick"] - order["tick"] <= 160 for unit in units)
        for order in orders
    )


@pytest.mark.parametrize(
    ("build", "link", "name"),
    [
        (42932, 588, "AdeptPhaseShift"),
        (48258, 419, "MothershipCorePurifyNexus"),
        (48258, 460, "TemporalField"),
        (48258, 526, "Hyperjump"),
        (48258, 686, "SpawnLocustsTargeted"),
        (72282, 608, "AdeptPhaseShift"),
        (72282, 709, "ObserverMorphtoObserverSiege"),
        *((64469, link, name) for link, name in ((708, "ChronoBoostEnergyCost"), (709, "NexusMassRecall"))),
        (70326, 713, "ChronoBoostEnergyCost"),
        # 4.8.1: 604 of 4.7 and 608 of 4.8.2 are the Adept's; no replay shows which of them holds.
        (71523, 608, None),
    ],
)
def test_spells_by_build(build: int, link: int, name: str | None) -> None:
    names = bundled_names("LotV", build)
    assert names is not None
    assert names.name(link, 0) == name


def test_chrono_boosts_of_2018_and_2019_have_a_name(corpus: Path) -> None:
    """Nothing else could be ordered on so many kinds of buildings; the energy never fills up in between."""
    orders = {
        "4.4.0.65895__1.SC2Replay": 12,
        "patch_4_6_0_pvt.SC2Replay": 29,
        "2018-11-29_Z_iaguz_VS_P_Luneth.SC2Replay": 21,
        "Sample_5.SC2Replay": 21,
        "New_Repugnancy_LE__6_.SC2Replay": 6,
    }
    for file, count in orders.items():
        boosts = corpus_replay(corpus, file).table("boosts").to_pylist()
        assert len(boosts) == count, file
        assert {row["known_by"] for row in boosts} == {"order"}
        assert max(row["energy"] or 0 for row in boosts) < 150
        assert all(row["energy"] > 48 for row in boosts if row["energy"]), file


def test_a_nexus_boosts_itself_in_3_x(corpus: Path) -> None:
    """Eight minutes without an order: the first Nexus alone; Probes of 237 loops, not of 272."""
    replay = corpus_replay(corpus, "patch_380_protoss.SC2Replay")
    boosts = replay.table("boosts").to_pylist()
    assert [row["known_by"] for row in boosts] == ["build time"] * len(boosts)
    assert {(row["target_unit_type"], row["caster_unit"] == row["target_unit"]) for row in boosts} == {
        ("Nexus", True)
    }
    steps = replay.table("build_order").to_pylist()
    probes = [row for row in steps if row["product"] == "Probe" and row["known_by"] in ("queue", "command")]
    assert len(probes) > 15
    assert all(row["boosted"] for row in probes if row["end_tick"] - row["tick"] in (236, 237))
    assert not any(row["boosted"] for row in probes if row["end_tick"] - row["tick"] in (271, 272))


def test_heart_of_the_swarm_on_a_later_client_pays_for_its_boosts(corpus: Path) -> None:
    """Client 3.0, data of Heart of the Swarm: 25 energy for 20 seconds, a boosted Probe takes 181 loops."""
    replay = corpus_replay(corpus, "3.0.0.38215__second.SC2Replay")
    boosts = replay.table("boosts").to_pylist()
    assert {row["end_tick"] - row["tick"] for row in boosts} == {320}
    assert max(row["energy"] or 0 for row in boosts) < 70
    steps = replay.table("build_order").to_pylist()
    probes = [row for row in steps if row["product"] == "Probe" and row["known_by"] in ("queue", "command")]
    assert all(row["boosted"] for row in probes if row["end_tick"] - row["tick"] == 181)
    assert not any(row["boosted"] for row in probes if row["end_tick"] - row["tick"] in (271, 272))
