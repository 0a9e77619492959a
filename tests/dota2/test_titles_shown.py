"""Titles in what people read: the command line, plots, the viewer, reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from playhead.cli.program import run
from playhead.dota2.sources.names import class_pattern, known_title
from playhead.source2.entities.handlers import class_matches
from playhead.view.feed import event_rows
from playhead.view.match import Match


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("npc_dota_hero_zuus", "Zeus"),
        ("CDOTA_Unit_Hero_Zuus", "Zeus"),
        ("CDOTA_Unit_Hero_Nevermore", "Shadow Fiend"),
        ("CDOTA_Unit_Hero_Life_Stealer", "Lifestealer"),
        ("item_blink", "Blink Dagger"),
        ("axe_culling_blade", "Culling Blade"),
        ("npc_dota_roshan", "Roshan"),
        ("blink", None),  # a word of the chat
        ("CDOTA_BaseNPC_Tower", None),
        ("", None),
    ],
)
def test_only_names_have_titles(name: str, title: str | None) -> None:
    assert known_title(name) == title


@pytest.mark.parametrize("text", ["Zeus", "zuus", "npc_dota_hero_zuus"])
def test_units_may_be_heroes(sample: Any, text: str) -> None:
    assert class_matches("CDOTA_Unit_Hero_Zuus", class_pattern(text))
    heroes = sample.replay.table("positions", units=text, every="10s")["hero"].unique().to_pylist()
    assert heroes == ["npc_dota_hero_zuus"]
    seen = sample.replay.table("visibility", units=text).to_pylist()
    assert {row["hero"] for row in seen} <= {"npc_dota_hero_zuus"}


def test_units_that_no_recording_can_have(sample: Any) -> None:
    for table in ("positions", "visibility"):
        with pytest.raises(KeyError, match="no hero, class or pattern of classes 'Hero'; did you mean CDOTA_"):
            sample.replay.table(table, units="Hero")
        with pytest.raises(KeyError, match=r"'zzz'; such as axe or CDOTA_Unit_Hero_\*"):
            sample.replay.table(table, units=["axe", "zzz"])


def test_classes_are_patterns_as_before() -> None:
    assert class_pattern("CDOTA_Unit_Courier") == "CDOTA_Unit_Courier"
    assert class_pattern("CDOTA_BaseNPC_*") == "CDOTA_BaseNPC_*"
    assert class_matches("CDOTA_Unit_Hero_Skeleton_King", class_pattern("Wraith King"))


def test_command_line(sample: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sample.dem"
    path.write_bytes(sample.data)
    for arguments, words in (
        (["info"], ["Gorse (dire, Zeus, loss)"]),
        (["at", "1:00"], ["Zeus", "Healing Salve"]),
        (["events", "--kind", "item_bought"], ["Gorse bought item: Tango"]),
        (["events", "--kind", "damage_dealt"], ["Dill dealt damage: victim Zeus · inflictor Dragon Slave"]),
    ):
        assert run([arguments[0], str(path), *arguments[1:]]) == 0
        printed = capsys.readouterr().out
        assert all(word in printed for word in words), printed
        assert "npc_dota_hero" not in printed


def test_viewer(sample: Any) -> None:
    rows = event_rows(sample.replay, ("item_bought", "player_killed"))
    texts = " ".join(rows["columns"]["text"])
    assert "Iron Branch" in texts
    assert not {"zuus", "item_", "branches"} & {*texts.lower().split()}
    match = Match(sample.replay)
    (zeus,) = (row for row in match.moment(1800)["players"] if row["player"] == 6)
    assert zeus["hero"] == "Zeus"
    assert zeus["items"][0] == "Tango"


@pytest.mark.parametrize("player", ["axe", "Axe", "npc_dota_hero_axe", "aster", "Aster", 0])
def test_plots_find_players_by_hero(sample: Any, player: int | str) -> None:
    pytest.importorskip("matplotlib")
    from playhead.show.cast import Cast

    assert Cast(sample.replay).number(player) == 0
    with pytest.raises(KeyError, match="no player"):
        Cast(sample.replay).number("Techies")
