"""What a prompt or a notebook shows, and completes."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pytest

import playhead
from playhead import Player
from playhead.sc2.state.timeline import State
from playhead.show.notebook import table_html, table_text
from playhead.source2.playback.world import World
from playhead.text.html import moment_html


def tabs(html: str) -> dict[str, ElementTree.Element]:
    """The parts of a replay's HTML by the names of their tabs."""
    [found] = ElementTree.fromstring(html).findall("./div[@class='ph-tabs']")
    labels = [str(label.text) for label in found.findall("label")]
    return dict(zip(labels, found.findall("section"), strict=True))


def text_of(element: ElementTree.Element) -> str:
    """All text of an element."""
    return " ".join(element.itertext())


def test_html_has_tabs(samples: dict[str, Path]) -> None:
    for path in samples.values():
        replay = playhead.open(path)
        found = tabs(replay._repr_html_())
        names = [name.partition(" (")[0] for name in found]
        assert names == ["info", "players", "tables", "problems so far"]
        info, players, tables, problems = found.values()
        assert str(path) in text_of(info)
        assert str(replay.info.map) in text_of(info)
        assert str(replay.players[0].name) in text_of(players)
        listed = [row.find("td").text for row in tables.iterfind(".//tbody/tr")]  # type: ignore[union-attr]
        assert listed == list(replay.tables)
        assert "none met so far" in text_of(problems)


def test_tabs_work_without_a_script(samples: dict[str, Path]) -> None:
    """One of a group of radio buttons shows the part behind it; two outputs of a page do not share a group."""
    replay = playhead.open(samples["sc2"])
    first, second = (ElementTree.fromstring(replay._repr_html_()) for _ in range(2))
    groups = [{button.get("name") for button in root.iterfind(".//input")} for root in (first, second)]
    assert [len(group) for group in groups] == [1, 1]
    assert groups[0] != groups[1]
    buttons = list(first.iterfind(".//input"))
    assert [button.get("checked") for button in buttons] == ["checked", None, None, None]
    assert [button.get("id") for button in buttons] == [label.get("for") for label in first.iterfind(".//label")]
    assert not list(first.iterfind(".//script"))
    style = str(first.find("style").text)  # type: ignore[union-attr]
    assert "input:checked + label + section { display: block; }" in style
    assert "background" not in style.replace("background-", ""), "the page's own, dark or light"


def test_html_builds_no_table(samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for path in samples.values():
        replay = playhead.open(path)
        monkeypatch.setattr(replay, "_build_tables", lambda names: pytest.fail(f"built {names}"))
        assert "…" in replay._repr_html_()
        assert "…" in repr(replay.tables)


def test_html_tells_rows_that_are_known(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["source2"])
    rows = replay.table("chat").num_rows
    for html in (replay._repr_html_(), replay.tables._repr_html_()):  # type: ignore[attr-defined]
        assert f'<td>chat</td><td class="ph-number">{rows}</td>' in html


def test_html_tells_problems_so_far(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["teehistorian"].read_bytes()[:-40])
    found = replay.problems
    assert found
    parts = tabs(replay._repr_html_())
    assert found[0].what in text_of(parts[f"problems so far ({len(found)})"])


def test_the_list_of_tables_is_short(samples: dict[str, Path]) -> None:
    for path in samples.values():
        replay = playhead.open(path)
        rows = replay.table("positions").num_rows
        lines = repr(replay.tables).splitlines()
        assert len(lines) == len(replay.tables) + 1
        assert max(map(len, lines)) < 140
        [line] = [line for line in lines if line.startswith("positions ")]
        assert str(rows) in line.split()
        assert [line.split()[0] for line in lines[1:]] == list(replay.tables)
        assert replay.tables["positions"].columns, "it is a mapping of schemas"
        assert replay.tables == dict(replay.tables)


def test_tables_show_a_head_with_types(samples: dict[str, Path]) -> None:
    table = playhead.open(samples["source2"]).table("positions")
    html, text = table_html(table), table_text(table)
    assert html is not None
    assert text is not None
    root = ElementTree.fromstring(html)
    assert f"{table.num_rows:,} rows × {table.num_columns} columns" in text_of(root)
    heads = [(head.text, head.find("span").text) for head in root.iterfind(".//th")]  # type: ignore[union-attr]
    assert heads[0] == ("tick", "int32")
    assert [name for name, _ in heads] == table.column_names
    assert len(list(root.iterfind(".//tbody/tr"))) == 10
    assert f"… {table.num_rows - 10:,} more rows" in text_of(root)
    lines = text.splitlines()
    assert lines[0] == f"positions: {table.num_rows:,} rows × {table.num_columns} columns"
    assert lines[1].split() == table.column_names
    assert lines[2].split()[:2] == ["int32", "double"]
    assert len(lines) == 14


def test_empty_tables_show_their_columns(samples: dict[str, Path]) -> None:
    table = playhead.open(samples["source2"]).table("chat").slice(0, 0)
    html, text = table_html(table), table_text(table)
    assert html is not None
    assert f"0 rows × {table.num_columns} columns" in html
    assert "channel" in html
    assert text is not None
    assert text.splitlines()[0] == f"chat: 0 rows × {table.num_columns} columns"


def test_tables_of_others_stay_as_they_are() -> None:
    table = pa.table({"x": [1]})
    assert table_html(table) is None
    assert table_text(table) is None


def test_names_are_text_and_no_markup(samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    replay = playhead.open(samples["sc2"])
    monkeypatch.setattr(replay, "players", (Player(1, "<script>&"),))
    html = replay._repr_html_()
    assert "<script>" not in html
    assert "<script>&" in "".join(ElementTree.fromstring(html).itertext())


def test_tables_by_key_and_by_attribute(samples: dict[str, Path]) -> None:
    for path in samples.values():
        replay = playhead.open(path)
        assert replay._ipython_key_completions_() == list(replay) == dir_of(replay.t) == list(replay.tables)
        assert replay["players"] is replay.t.players is replay.table("players")
        assert "players" in replay
        assert "nonsense" not in replay
        with pytest.raises(KeyError, match="no table 'nonsense'"):
            replay["nonsense"]
        with pytest.raises(AttributeError, match="no table 'nonsense'"):
            replay.t.nonsense  # noqa: B018


def dir_of(thing: object) -> list[str]:
    """As `dir`, in the order of the object itself."""
    return list(thing.__dir__())


def test_worlds(samples: dict[str, Path]) -> None:
    world = playhead.open(samples["source2"]).at(900)
    assert isinstance(world, World)
    classes = world._ipython_key_completions_()
    assert "CDOTA_Unit_Hero_Axe" in classes
    assert sum(len(world[name]) for name in classes) == len(world.entities)
    ElementTree.fromstring(world._repr_html_())


def test_a_moment_is_a_card_in_every_format(samples: dict[str, Path]) -> None:
    for path in samples.values():
        moment = playhead.open(path).at("0:05")
        assert repr(moment).startswith(f"<{type(moment).__name__} at tick {moment.tick}, ")
        assert len(repr(moment)) < 120
        html = moment._repr_html_()
        root = ElementTree.fromstring(html)
        assert moment.when() in text_of(root)
        first = moment.players[0]
        assert str(first["name"]) in text_of(root)
        heads = [head.text for head in root.iterfind(".//th")]
        assert heads[:2] == ["player", "name"]
        assert ("hero" in heads) == any(row.get("hero") for row in moment.players)
        chips = [text_of(chip) for chip in root.iterfind(".//span[@class='ph-chip']")]
        counts = [chip.rpartition("  ") for chip in chips]
        shown = [row for row in moment.unit_counts if moment.in_words(row["unit_type"]) is not None]
        assert {name for name, _, _ in counts} == {moment.in_words(row["unit_type"]) for row in shown}
        assert sum(int(count.replace(",", "")) for _, _, count in counts) == sum(row["count"] for row in shown)


def test_a_card_has_resources_and_units_of_each_player() -> None:
    html = moment_html(
        "tick 5, game time 0:01",
        {"in_progress": True, "nothing": None},
        [{"player": 1, "name": "<b>", "side": None, "minerals": 50}, {"player": 2, "name": "Bo", "side": None}],
        {1: {"tick": 4, "minerals": 60, "vespene": 25}},
        [
            {"player": None, "unit_type": "Rock", "count": 3},
            {"player": 2, "unit_type": "Drone", "count": 1200},
            *({"player": 1, "unit_type": f"Type{number}", "count": 1} for number in range(30)),
        ],
    )
    root = ElementTree.fromstring(html)
    heads = [head.text for head in root.iterfind(".//th")]
    assert heads == ["player", "name", "minerals", "vespene"], (
        "empty columns and the tick of resources are left out"
    )
    rows = [[text_of(cell) for cell in row] for row in root.iterfind(".//tbody/tr")]
    assert rows == [["1", "<b>", "50", "25"], ["2", "Bo", "", ""]], "what the player's own row has stays"
    titles = [text_of(title) for title in root.iterfind(".//div[@class='ph-title']")]
    assert titles[1:] == ["units of Bo  1,200", "units of <b>  30", "units of nobody  3"]
    assert text_of(root.find(".//summary")) == "6 more kinds"  # type: ignore[arg-type]
    assert [text_of(fact) for fact in root.iterfind(".//dt")] == ["in progress"]


def test_a_state_and_a_world_are_cards(samples: dict[str, Path]) -> None:
    state = playhead.open(samples["sc2"]).at(16)
    assert isinstance(state, State)
    assert "Command Center" in state._repr_html_()
    world = playhead.open(samples["source2"]).at(900)
    assert isinstance(world, World)
    assert "Axe" in world._repr_html_().title()
