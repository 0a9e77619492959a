"""Tables of economies and fights on real replays, against the game's own statistics and against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.opened import open_as
from tests.real.sc2_index import sc2_replays

from playhead.sc2.replay import Sc2Replay

_WORKERS = ("SCV", "Probe", "Drone", "DroneBurrowed")
#: Resumed at loops 3153 and 144: units that died before have no record.
_RESUMED = "bad_unit_ids"


@pytest.fixture(scope="module")
def melee(corpus: Path, short_step: int) -> list[Sc2Replay]:
    return list(_melee(corpus / "sc2", short_step))


def _melee(folder: Path, step: int) -> Iterator[Sc2Replay]:
    for file, replay in sc2_replays(folder, step):
        details = replay.brief_info.details
        if details.get("tracker") and details["mode"] in ("1v1", "2v2") and _RESUMED not in file:
            yield replay


@pytest.mark.long
def test_counted_workers_are_those_of_the_statistics(melee: list[Sc2Replay]) -> None:
    off: Counter[int] = Counter()
    for replay in melee:
        counted: Counter[tuple[int, int]] = Counter()
        for row in replay.table("unit_counts", every="160 ticks").to_pylist():
            if row["unit_type"] in _WORKERS:
                counted[row["tick"], row["player"]] += row["units_alive"]
        for row in replay.table("player_series").to_pylist():
            if row["tick"] % 160 == 0 and row["workers"] is not None:
                off[abs(counted[row["tick"], row["player"]] - row["workers"])] += 1
    assert off[0] / off.total() > 0.985, off.most_common(5)
    assert (off[0] + off[1]) / off.total() > 0.99, off.most_common(5)


def test_known_casters_have_the_energy(melee: list[Sc2Replay]) -> None:
    """The energy is worked out from other casts, so it would not be enough if casters were guessed."""
    enough: Counter[bool] = Counter()
    for replay in melee:
        if "A.I." in " ".join(player.name or "" for player in replay.players):
            continue
        for name, cost in (("mules", 50), ("scans", 50), ("injects", 25)):
            enough.update(row["energy"] > cost - 2 for row in replay.table(name).to_pylist() if row["energy"])
    assert enough[True] / enough.total() > 0.97, enough


def test_injects_end_with_larvae_and_mules_have_casters(melee: list[Sc2Replay]) -> None:
    hatched: Counter[bool] = Counter()
    for replay in melee:
        length = replay.brief_info.duration_ticks or 0
        for row in replay.table("injects").to_pylist():
            if row["tick"] < length - 700:
                hatched[row["larvae_tick"] is not None] += 1
        if int((replay.brief_info.version or "0").split(".")[0]) >= 4:
            assert None not in replay.table("mules")["caster_unit"].to_pylist()
    assert hatched[True] / hatched.total() > 0.9, hatched


def test_players_begin_on_opposite_sides(melee: list[Sc2Replay]) -> None:
    for replay in melee:
        starts = [row for row in replay.table("bases").to_pylist() if row["tick"] == 0 and row["is_start"]]
        if replay.brief_info.details["mode"] == "1v1" and len(starts) == 2:
            assert starts[0]["base"] != starts[1]["base"]
            assert {row["nth"] for row in starts} == {1}


def test_buildings_do_one_thing_at_a_time(melee: list[Sc2Replay]) -> None:
    """Idle times of a building never overlap its work."""
    for replay in melee:
        work: dict[int, list[tuple[int, float, str]]] = {}
        for row in replay.table("production").to_pylist():
            end = float("inf") if row["end_tick"] is None else row["end_tick"]
            assert row["tick"] <= end
            work.setdefault(row["unit"], []).append((row["tick"], end, row["state"]))
        for spans in work.values():
            for start, end, state in spans:
                if state == "idle":
                    others = [each for each in spans if each != (start, end, state)]
                    assert not [each for each in others if each[0] < end and start < each[1]]


def test_losses_of_engagements_are_deaths(melee: list[Sc2Replay]) -> None:
    for replay in melee:
        deaths = Counter(
            row["player"]
            for row in replay.table("units").to_pylist()
            if row["end_tick"] is not None and row["attacker_player"] not in (None, row["player"])
        )
        for row in replay.table("engagements").to_pylist():
            deaths[row["player"]] -= row["units_lost"] + row["workers_lost"] + row["structures_lost"]
            assert row["units_lost"] + row["workers_lost"] + row["structures_lost"] == sum(row["lost_counts"])
        assert min(deaths.values(), default=0) >= 0


def test_a_resumed_game_says_so(corpus: Path) -> None:
    path = corpus / "sc2" / "2.0.11.26825" / "2.0.11.26825__bad_unit_ids_1.SC2Replay"
    if not path.exists():
        pytest.skip("the corpus has no resumed game")
    assert open_as(Sc2Replay, path).info.details["resumed_tick"] == 3153


def test_settings_of_games(corpus: Path, step: int) -> None:
    found: Counter[str] = Counter()
    english = 0
    for _, replay in sc2_replays(corpus / "sc2", step):
        details = replay.brief_info.details
        found[details["expansion"]] += 1
        english += details["map_english"] is not None
        if details["mode"] == "1v1" and details["matchup"] is not None:
            assert len(details["matchup"]) == 3
            assert details["matchup"][0] <= details["matchup"][2]
    assert set(found) == {"WoL", "HotS", "LotV"}
    assert english / found.total() > 0.75


def test_no_building_works_after_the_game(melee: list[Sc2Replay]) -> None:
    for replay in melee:
        last = replay.brief_info.duration_ticks or 0
        for row in replay.table("production").to_pylist():
            assert row["tick"] <= last, (replay, row)
            assert row["end_tick"] is None or row["end_tick"] <= last, (replay, row)
