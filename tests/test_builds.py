"""tools/build_game.py and the tools that it runs: steps that lack something are skipped, known builds stay."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from playhead.blizzard.protocol.tables import TypePool

ROOT = Path(__file__).parents[1]


def test_every_tool_is_there(tool: Callable[[str], ModuleType]) -> None:
    steps = [step for steps in tool("build_game").STEPS.values() for step in steps]
    scripts = {word for step in steps for word in step.command if word.endswith(".py")}
    assert len(scripts) > 10
    assert all((ROOT / "tools" / script).is_file() for script in scripts)


def test_a_step_says_why_it_is_skipped(
    tool: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = tool("build_game").Step
    monkeypatch.delenv("BALANCE", raising=False)
    assert make("a", ("x.py", "FILES")).missing([]) == "no recordings were named"
    assert make("a", ("x.py",), ("pytest", "nobody_has_this")).missing([]) == "needs nobody_has_this"
    of_a_folder = make("a", ("x.py", "BALANCE", "FILES"), (), "BALANCE")
    assert of_a_folder.missing(["f"]) == "needs the folder BALANCE"
    monkeypatch.setenv("BALANCE", str(tmp_path))
    assert of_a_folder.missing(["f"]) == ""
    assert list(of_a_folder.arguments(["f", "g"]))[1:] == [str(tmp_path), "f", "g"]


def test_a_failed_step_does_not_stop_the_others(
    tool: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    build_game = tool("build_game")
    steps = (
        build_game.Step("first", ("-c", "raise SystemExit(5)")),
        build_game.Step("second", ("-c", "print(7)")),
    )
    monkeypatch.setitem(build_game.STEPS, "sc2", steps)
    assert build_game.main("sc2") == 1
    said = capfd.readouterr().out
    assert "1/2 first: failed with status 5" in said
    assert said.endswith("7\n")


def test_known_builds_stay(tool: Callable[[str], ModuleType], tmp_path: Path) -> None:
    write = tool("learn_sc2_unit_links").write
    target = tmp_path / "links.json"
    assert write(target, {"LotV": {"9": [[1, "SCV"]]}}, anew=True) == 1
    assert write(target, {"HotS": {"7": [[4, "Egg"]]}, "LotV": {"9": [], "10": [[2, "SCV"]]}}, anew=False) == 3
    kept = {"HotS": {"7": [[4, "Egg"]]}, "LotV": {"9": [[1, "SCV"]], "10": [[2, "SCV"]]}}
    assert list(json.loads(target.read_text("utf-8"))["LotV"]) == ["9", "10"]
    assert json.loads(target.read_text("utf-8")) == kept
    assert write(target, {"LotV": {"11": []}}, anew=True) == 1


@pytest.mark.parametrize("name", ["unit_links", "ability_links"])
def test_stored_links_are_written_as_they_are(
    tool: Callable[[str], ModuleType], tmp_path: Path, name: str
) -> None:
    stored = (ROOT / "src/playhead/sc2/abilities" / f"{name}.json").read_text("utf-8")
    target = tmp_path / "links.json"
    target.write_text(stored, "utf-8")
    tool("learn_sc2_unit_links").write(target, {}, anew=False)
    assert target.read_text("utf-8") == stored


def test_newer_type_tables_are_added(
    tool: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = tool("build_blizzard_protocols")
    held = json.loads(zlib.decompress((ROOT / "src/playhead/sc2/protocol/tables.json.zlib").read_bytes()))
    pool, tables = TypePool(held["types"]), held["tables"]
    count, newest = len(tables), max(build for table in tables for build in table["builds"])
    module = "typeinfos = [('_struct', [[]])]\nreplay_initdata_typeid = 0\n"
    module += "game_event_types = {6: (0, 'NNet.Game.SNew')}\n"
    paths = {}
    for build in (newest, newest + 1, newest + 2):
        paths[build] = tmp_path / f"protocol{build}.py"
        paths[build].write_text(module, encoding="utf-8")
    monkeypatch.setattr(writer, "modules", lambda package: paths if package == "s2protocol" else {})
    writer.add_newer("sc2", pool, tables)
    added: Any = tables[count:]
    assert [table["builds"] for table in added] == [[newest + 1, newest + 2]]
    assert added[0]["game"][0][:2] == [6, "Game.SNew"]
