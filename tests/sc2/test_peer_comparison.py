"""The comparison with sc2reader and spawningtool, on the sample and dumps as the peers would write them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.loading import load_module
from tests.opened import open_as
from tests.samples.sc2.replay import sample_bytes

from playhead.sc2.abilities.unit_types import display_name
from playhead.sc2.replay import Sc2Replay

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def compare() -> ModuleType:
    return load_module("sc2_compare", ROOT / "benchmarks/peers/sc2_compare.py")


def dump(compare: ModuleType, replay: Sc2Replay) -> dict[str, Any]:
    """What the peers would say of the sample, but for an order, repeats, a killer, two starts and one unit."""
    mine = {kind: [*map(compare.plain, values)] for kind, values in compare.for_sc2reader(replay).items()}
    built: dict[str, list[list[Any]]] = {"1": [["SCV", 5]], "2": []}
    rows = [row for row in replay.table("build_order").to_pylist() if row["outcome"] == "finished"]
    for place, row in enumerate(rows):
        built[str(row["player"])].append([display_name(row["product"]), row["tick"] + (900 if place == 0 else 1)])
    supply: dict[str, list[list[float]]] = {"1": [[0, 6]], "2": []}
    for row in replay.table("player_series").to_pylist():
        supply[str(row["player"])].append([row["tick"], row["supply"]])
    return {
        "sc2reader": {
            **{kind: mine[kind] for kind in ("players", "observers", "teams", "chat", "upgrades", "statistics")},
            "orders": {"TargetPointCommandEvent": len(mine["orders"]) + 1},
            "updates": len(mine["updates"]),
            "abilities": [[0, 0, 0, name] for name in (*mine["names of abilities"], "RightClick")],
            "born": mine["units"],
            "died": [(mine["deaths"][0][0], 7), *mine["deaths"][1:]],
        },
        "spawningtool": {"built": built, "lost": {"2": [["Lair", 6000, 1]]}, "supply": supply},
    }


def test_counts_by_kind(compare: ModuleType) -> None:
    replay = open_as(Sc2Replay, sample_bytes())
    counts: dict[tuple[str, str], Counter[str]] = {
        (peer, kind): +count for peer, kind, count in compare.kinds_of(replay, dump(compare, replay))
    }
    for kind in ("players", "teams", "chat", "updates", "names of abilities", "units", "upgrades", "statistics"):
        assert counts["sc2reader", kind].keys() == {"equal"}, kind
    assert counts["sc2reader", "orders"]["only theirs"] == 1
    assert counts["sc2reader", "repeated orders"].keys() == {"only ours"}
    assert counts["sc2reader", "deaths"]["different"] == 1
    starts = counts["spawningtool", "starts"]
    assert (starts["different"], starts["only theirs"], starts["only ours"]) == (1, 1, 0)
    assert starts["equal"] > 0
    by_source = [count for (_, kind), count in counts.items() if kind.startswith("starts: ")]
    assert sum(by_source, Counter()) == starts
    assert counts["spawningtool", "losses"]["equal"] == 1
    assert counts["spawningtool", "supply"].keys() == {"equal"}


def test_a_peer_that_fails_is_counted(compare: ModuleType) -> None:
    failed = {peer: {"error": "ValueError"} for peer in ("sc2reader", "spawningtool")}
    found = list(compare.kinds_of(open_as(Sc2Replay, sample_bytes()), failed))
    assert found == [(peer, "replays", Counter({"only ours": 1})) for peer in failed]
