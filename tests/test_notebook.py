"""What a prompt or a notebook shows, and completes."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import playhead
from playhead import Player, list_formats
from playhead.sc2.state.timeline import State
from playhead.source2.playback.world import World


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("samples")
    return {known.name: known.write_sample(folder) for known in list_formats()}


def test_html_has_summary_players_and_tables(samples: dict[str, Path]) -> None:
    for path in samples.values():
        replay = playhead.open(path)
        root = ElementTree.fromstring(replay._repr_html_())
        text = "".join(root.itertext())
        assert str(path) in text
        assert str(replay.players[0].name) in text
        listed = [row.find("td").text for row in root.findall("./details/table/tbody/tr")]  # type: ignore[union-attr]
        assert listed == list(replay.tables)


def test_html_builds_no_table(samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for path in samples.values():
        replay = playhead.open(path)
        monkeypatch.setattr(replay, "_build_tables", lambda names: pytest.fail(f"built {names}"))
        assert "…" in replay._repr_html_()


def test_html_tells_rows_that_are_known(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["source2"])
    rows = replay.table("chat").num_rows
    assert f"<td>chat</td><td>{rows}</td>" in replay._repr_html_()


def test_html_tells_problems_so_far(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["teehistorian"].read_bytes()[:-40])
    found = replay.problems
    assert found
    text = "".join(ElementTree.fromstring(replay._repr_html_()).itertext())
    assert f"problems so far: {len(found)}" in text
    assert str(found[0]) in text


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


def test_states_and_moments(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["sc2"])
    state = replay.at(16)
    assert isinstance(state, State)
    assert repr(state) == f"<State at tick 16, game time 0:00: 2 players, {len(state.units)} units>"
    assert "CommandCenter" in state._repr_html_()
    for path in samples.values():
        moment = playhead.open(path).at("0:05")
        assert repr(moment).startswith(f"<{type(moment).__name__} at tick {moment.tick}, ")
        text = "".join(ElementTree.fromstring(moment._repr_html_()).itertext())
        assert all(f"{name}: {len(rows)}" in text for name, rows in moment.groups.items())
