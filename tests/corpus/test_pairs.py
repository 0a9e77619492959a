"""Pairs of states and actions: what a state may know, what is new, and a small network that learns from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import playhead
from playhead.corpus.series.arrays import ReplayArrays, state_action_pairs


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pairs")
    return {known.name: known.write_sample(folder) for known in playhead.list_formats()}


@pytest.mark.long
@pytest.mark.parametrize("format", ["source2", "sc2", "hots", "teehistorian"])
def test_an_action_has_the_last_state_before_it(format: str, samples: dict[str, Path]) -> None:
    corpus = playhead.scan(samples[format])
    (pairs,) = corpus.pairs()
    actions = playhead.open(samples[format]).table("inputs")
    assert 0 < pairs.num_rows <= actions.num_rows
    assert set(actions.column_names) <= set(pairs.column_names)
    held = {(row["player"], row["seconds"]): row for batch in corpus.series() for row in batch.to_pylist()}
    for row in pairs.to_pylist():
        assert row["state_seconds"] < row["seconds"] <= row["state_seconds"] + 1
        state = held[row["player"], row["state_seconds"]]
        for name, value in row.items():
            if name.startswith("state_") and name != "state_seconds":
                assert value == state[name.removeprefix("state_")]


def test_an_action_after_the_last_state_has_none() -> None:
    values = np.ones((1, 2, 1))
    game = ReplayArrays("", "", np.array([1]), np.array([0.0, 1.0]), ("x",), values, values > 0)
    actions = pa.table({"player": pa.array([1, 1, 1], pa.int32()), "seconds": [0.5, 2.0, 2.5]})
    assert state_action_pairs(game, actions, None)["seconds"].to_pylist() == [0.5, 2.0]


def test_a_repeated_state_is_not_new(samples: dict[str, Path]) -> None:
    for pairs in playhead.scan(samples["teehistorian"]).pairs(fields=["x", "y"]):
        before: dict[int, tuple[float, float]] = {}
        for row in pairs.to_pylist():
            state = row["state_x"], row["state_y"]
            assert row["is_new"] == (before.get(row["player"]) != state)
            before[row["player"]] = state
        assert not pc.all(pairs["is_new"]).as_py()


def test_kinds_of_actions(samples: dict[str, Path]) -> None:
    corpus = playhead.scan(samples["sc2"])
    (some,) = corpus.pairs(kinds="command_*")
    assert {kind.partition("_")[0] for kind in some["kind"].to_pylist()} == {"command"}
    with pytest.raises(KeyError, match="no action of kind 'camera_mved'; did you mean camera_moved"):
        list(corpus.pairs(kinds="camera_mved"))


def test_orders_of_starcraft_name_their_ability(samples: dict[str, Path]) -> None:
    (found,) = playhead.scan(samples["sc2"]).pairs(fields="workers", actions="commands", kinds="command_given")
    assert {"ability", "target_kind", "state_workers", "is_new"} <= {*found.column_names}
    orders = playhead.open(samples["sc2"]).table("commands", columns=["player", "kind", "tick"]).to_pylist()
    given = [row["tick"] for row in orders if row["kind"] == "command_given" and row["player"] is not None]
    assert found["tick"].to_pylist() == [tick for tick in given if tick >= found["tick"][0].as_py()]


def test_replays_without_such_actions_are_named(samples: dict[str, Path], tmp_path: Path) -> None:
    some = playhead.scan([samples["sc2"], samples["source2"]], jobs=0)
    some.export(tmp_path, tables=["player_series", "positions", "inputs", "commands"])
    for many in some, playhead.open_lake(tmp_path):
        with pytest.raises(KeyError, match="no table 'comands'; did you mean commands"):
            next(many.pairs(actions="comands"))
        with pytest.raises(KeyError, match="commands"):
            next(many.filter(game="dota2").pairs(actions="commands"))
        with pytest.warns(UserWarning, match=r"1 of 2 replays have no action in table commands, the first .*dem"):
            (pairs,) = many.pairs(actions="commands")
        assert pairs["file"][0].as_py() == str(samples["sc2"])


def test_a_small_network_learns_the_next_action(samples: dict[str, Path]) -> None:
    network = pytest.importorskip("sklearn.neural_network", reason="scikit-learn trains the network")
    from sklearn.preprocessing import StandardScaler

    (pairs,) = playhead.scan(samples["teehistorian"]).pairs(every="200ms", fields=["x", "direction", "cursor_x"])
    names = ["state_x", "state_direction", "state_cursor_x"]
    known = pairs.select([*names, "direction"]).drop_null()
    states = np.array([known[name].to_pylist() for name in names]).T
    actions = np.array(known["direction"].to_pylist())
    states = StandardScaler().fit_transform(states)
    model = network.MLPClassifier((16,), random_state=0, max_iter=2000).fit(states, actions)
    usual = max(np.mean(actions == each) for each in set(actions.tolist()))
    assert model.score(states, actions) > usual
