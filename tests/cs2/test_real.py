"""Facts of the CS2 recordings of the corpus."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tests.samples.source2.cs2_match.demo import write_cs2_match
from tests.samples.source2.cs2_match.plan import plan_match

import playhead
from playhead.cs2.facts import player_series
from playhead.cs2.replay import Cs2Replay
from playhead.cs2.sources.unfilled import NULL_REASONS, Declared, unfilled_tables


def _open(corpus: Path, build: int) -> Cs2Replay:
    path = corpus / "source2" / f"cs2_{build}.dem"
    if not path.exists():
        pytest.skip(f"the corpus has no {path.name}")
    replay = playhead.open(path)
    assert isinstance(replay, Cs2Replay)
    return replay


@pytest.mark.parametrize("build", [14132, 14155])
def test_fields_that_moved_keep_their_word(corpus: Path, build: int) -> None:
    """Builds since July 2026 have m_aimPunchAngle and its companions in m_pAimPunchServices."""
    words = ["m_aimPunchAngle", "m_aimPunchAngleVel", "m_aimPunchTickBase", "m_aimPunchTickFraction"]
    replay = _open(corpus, build)
    found = replay.table("player_series", columns=["tick"], raw=words)
    assert found.column_names == ["tick", *words]
    assert all(found[word].null_count == 0 for word in words)
    if build == 14155:
        place = "m_pAimPunchServices.m_predictableBaseAngle"
        assert replay.table("player_series", columns=["tick"], raw=place)[place].equals(found["m_aimPunchAngle"])


@pytest.fixture(scope="module")
def fight(corpus: Path) -> Cs2Replay:
    replay = _open(corpus, 14090)
    replay.read_tables(["rounds", "kills", "damage", "shots"])
    return replay


def rows(replay: Cs2Replay, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = replay.table(name).to_pylist()
    return found


def test_people_who_came_after_the_sign_on_are_players(fight: Cs2Replay) -> None:
    assert [player.player for player in fight.players] == list(range(11))
    kinds = [player.kind for player in fight.players]
    assert kinds == ["human", "observer", *["computer"] * 9]
    assert [player.side for player in fight.players].count("t") == 5
    assert fight.players[2].details == {"slot": 2, "first_tick": 70, "last_tick": 572}


def test_a_restart_begins_the_round(fight: Cs2Replay) -> None:
    (only,) = rows(fight, "rounds")
    assert (only["round_num"], only["phase"], only["counts"]) == (1, "live", True)
    assert (only["start_tick"], only["freeze_end_tick"], only["end_tick"]) == (76, 76, None)
    assert (only["t_equipment_value"], only["ct_equipment_value"]) == (6000, 6000)


def test_sounds_have_their_places(fight: Cs2Replay) -> None:
    sounds = rows(fight, "sounds")
    assert len(sounds) == 198
    assert not [row for row in sounds if row["x"] is None]
    steps = [row for row in sounds if (row["sound"] or "").endswith(".StepLeft")]
    assert len(steps) == 62
    ticks = sorted({row["tick"] for row in steps})
    series = fight.table("player_series", ticks=ticks, columns=["tick", "player", "x", "y", "z"]).to_pylist()
    places = {(row["tick"], row["player"]): (row["x"], row["y"], row["z"]) for row in series}
    for row in steps:
        assert math.dist(places[row["tick"], row["player"]], (row["x"], row["y"], row["z"])) < 6


def test_settings_of_the_server(fight: Cs2Replay) -> None:
    told = {row["convar"]: row["convar_value"] for row in rows(fight, "convars")}
    assert (told["mp_friendlyfire"], told["sv_infinite_ammo"]) == ("true", "2")
    tables = {name: why for name, why in fight.unfilled.items() if "." not in name}
    empty = {name: why for name, why in tables.items() if not fight.table(name).num_rows}
    assert tables.keys() - empty.keys() == {"player_series"}
    assert empty["voice"] == "the recording has no packet of voice: svc_VoiceData"
    assert all(why.startswith(("the recording has no", "the recording does not")) for why in empty.values())


def test_crouching_is_known_without_the_field_of_it(corpus: Path) -> None:
    field = "m_pMovementServices.m_bDucked"
    series = _open(corpus, 14065).table("player_series", every=1, columns=["is_crouched"], raw=[field])
    assert series[field].null_count == series.num_rows
    assert series["is_crouched"].unique().to_pylist() == [False]


@pytest.mark.parametrize(("build", "crouched"), [(14065, True), (14090, False)])
def test_crouching_is_by_the_amount_only_where_its_field_is_not_sent(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, build: int, crouched: bool
) -> None:
    # Nobody crouches in these recordings: with this limit, who stands would.
    monkeypatch.setattr(player_series, "_FULLY_DUCKED", 0.0)
    series = _open(corpus, build).table("player_series", columns=["is_crouched"])
    assert series["is_crouched"].unique().to_pylist() == [crouched]


@pytest.mark.parametrize("build", [14065, 14090, 14132, 14155])
def test_null_columns_have_their_own_reason(corpus: Path, build: int) -> None:
    unfilled = _open(corpus, build).unfilled
    assert "player_series.is_crouched" not in unfilled
    assert (
        unfilled["player_series.is_silent_reloading"] == "the recording does not declare m_bStealthy of any class"
    )
    assert unfilled["match.end_tick"] == "no match ends in the recording"
    assert not [name for name, reason in unfilled.items() if reason.startswith(("none of", "no row has a value"))]


def test_reasons_are_of_columns_that_exist(corpus: Path) -> None:
    tables = _open(corpus, 14155).tables
    for name in NULL_REASONS:
        table, column = name.split(".")
        assert column in tables[table].column_names, name


def test_a_removed_field_is_named_with_its_build(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    field = "m_pMovementServices.m_nButtonDownMaskPrev"
    declares = Declared.has
    monkeypatch.setattr(Declared, "has", lambda self, each, name: name != field and declares(self, each, name))
    column = "player_series.buttons"
    reasons = unfilled_tables(_open(corpus, 14155).recording, {}, {column: {"CCSPlayerPawn": (field,)}})
    assert reasons[column] == (
        f"the recording does not declare {field} of CCSPlayerPawn (builds since 9 July 2026 do not have it)"
    )


def test_money_and_weapons_at_a_moment(corpus: Path) -> None:
    world = _open(corpus, 14155).at(100)
    four = next(row for row in world.players if row["player"] == 4)
    assert (four["name"], four["money"], four["inventory"]) == ("Telsen", 800, ["knife", "glock", "c4"])
    assert world.resources[4] == {"money": 800, "equipment_value": 200}


def test_kills_agree_with_their_events(fight: Cs2Replay) -> None:
    kills = rows(fight, "kills")
    told = list(fight.game_events("player_death"))
    assert [(kill["tick"], kill["weapon"], kill["hitgroup_id"]) for kill in kills] == [
        (event.tick, event.fields["weapon"], event.fields["hitgroup"]) for event in told
    ]
    assert [(kill["attacker_name"], kill["victim_name"]) for kill in kills] == [
        ("Ferris", "Partridge"),
        ("Walt", "Vox"),
    ]
    for kill, event in zip(kills, told, strict=True):
        assert kill["victim_health"] == 0
        # The event tells the distance in metres, one unit is an inch: so the places are right.
        places = [[kill[f"{role}_{axis}"] for axis in "xyz"] for role in ("attacker", "victim")]
        assert math.dist(*places) * 0.0254 == pytest.approx(event.fields["distance"], abs=0.05)


def test_damage_adds_up_to_the_health_that_was_lost(fight: Cs2Replay) -> None:
    hits = rows(fight, "damage")
    assert len(hits) == 12
    health: dict[int, int] = {}
    for row in hits:
        assert row["health_pre"] == health.get(row["victim_player"], 100)
        health[row["victim_player"]] = row["health_post"]
        assert row["damage"] == row["health_pre"] - row["health_post"] <= row["damage_reported"]
        assert row["armor_pre"] - row["armor_post"] == row["armor_damage"]
    # The game counts the damage of each player itself, that to teammates too.
    for controller in fight.at(572)["CCSPlayerController"]:
        dealt = controller.get("m_pActionTrackingServices.m_iDamage")
        mine = [row["damage"] for row in hits if row["attacker_player"] == controller.index - 1]
        assert sum(mine) == dealt, controller.get("m_iszPlayerName")


def test_shots_are_where_the_bullets_began(fight: Cs2Replay) -> None:
    shots = rows(fight, "shots")
    assert len(shots) == 42
    assert (shots[0]["name"], shots[0]["weapon"], shots[0]["ammo"]) == ("Ferris", "galilar", 34)
    first = shots[0]
    # The origin of the entity in the message of the bullets, number 452.
    assert (first["x"], first["y"], first["z"]) == pytest.approx((338.0901, 670.0281, -154.3422), abs=1e-3)
    assert (first["pitch"], first["yaw"]) == pytest.approx((2.38300, -92.18560), abs=1e-3)


def test_the_clock_counts_down_in_freeze_time_and_round(corpus: Path) -> None:
    replay = _open(corpus, 14065)
    clock = replay.clock
    assert clock is not None
    assert clock.label == "round time left"
    assert clock.displayed(78) == "R1 freeze 0:01"
    assert clock.displayed(142) == "R1 1:55"
    assert clock.displayed(143) == "R1 1:54"
    assert replay.to_tick("R1") == replay.to_tick("R1 1:55") == 142
    assert replay.to_tick("R1 1:54") == 143
    assert replay.to_tick("R1 freeze 0:01") == 15
    (only,) = rows(replay, "rounds")
    assert (only["start_tick"], only["freeze_end_tick"]) == (None, 142)
    assert (only["t_buy_type"], only["t_money"], only["t_equipment_value"]) == ("pistol", 4000, 1000)
    with pytest.raises(ValueError, match="no round 2: the recording has round 1 alone"):
        replay.to_tick("R2")


def test_purchases_have_the_prices_of_the_shop(fight: Cs2Replay) -> None:
    bought = [row for row in rows(fight, "item_events") if row["change"] == "purchase"]
    prices = {(row["item"], row["cost"]) for row in bought}
    assert prices == {("ak47", 2700), ("galilar", 1800), ("awp", 4750), ("deagle", 700), ("p90", 2350)}
    spent = {row["name"]: row["spent"] for row in rows(fight, "economy")}
    for name in {row["name"] for row in bought}:
        assert spent[name] == sum(row["cost"] for row in bought if row["name"] == name)


def test_commands_of_the_recorder_have_views(corpus: Path) -> None:
    replay = _open(corpus, 14155)
    inputs = rows(replay, "inputs")
    assert len(inputs) == 160
    assert inputs[0]["client_tick"] == 1293
    assert (inputs[0]["name"], inputs[0]["pitch"]) == ("Partridge", 0.0)
    assert inputs[0]["yaw"] == pytest.approx(23.99997)


def test_the_written_match_declares_its_fields_as_the_recording_of_its_patch(corpus: Path) -> None:
    def declared(replay: playhead.Replay) -> dict[tuple[str, str], list[tuple[Any, ...]]]:
        found: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
        for row in rows(replay, "schema"):  # type: ignore[arg-type]
            words = "field_type encoder bit_count low high flags send_node".split()
            found.setdefault((row["serializer"], row["field"]), []).append(
                tuple(row[word] or None for word in words)
            )
        return found

    real = declared(_open(corpus, 14155))
    for key, fields in declared(
        playhead.open(write_cs2_match(1, plan=plan_match(1, 1, overtimes=0)).data)
    ).items():
        assert set(fields) <= set(real[key]), key
