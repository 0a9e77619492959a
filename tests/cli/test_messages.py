"""``playhead source2 messages``: JSON lines of messages and game events."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.cli.in_process import run as playhead_command
from tests.samples.source2 import engine

from playhead import sc2, teehistorian
from playhead.source2.writing.demo import DemoWriter

run = partial(playhead_command, "source2", "messages")


def rows(*arguments: object) -> list[dict[str, Any]]:
    outcome = run(*arguments)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    return [json.loads(line) for line in outcome.stdout.splitlines()]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return engine.write_sample(tmp_path_factory.mktemp("sample"))


def test_by_name(sample: Path) -> None:
    found = rows(sample, "--name", "CDOTAUserMsg_ChatEvent", "--name", "DOTA_UM_Over*")
    assert [row["message"] for row in found[:3]] == ["DOTA_UM_ChatEvent"] * 2 + ["DOTA_UM_OverheadEvent"]
    assert found[0] == {
        "file": str(sample),
        "tick": 300,
        "seconds": 10.0,
        "message": "DOTA_UM_ChatEvent",
        "message_id": 466,
        "fields": {"type": "CHAT_MESSAGE_HERO_KILL", "value": 240, "playerid_1": 8, "playerid_2": 2},
    }


def test_all_up_to_a_limit(sample: Path) -> None:
    found = rows(sample, "--limit", 3)
    assert [row["message"] for row in found] == [
        "svc_ServerInfo",
        "svc_CreateStringTable",
        "svc_CreateStringTable",
    ]
    assert (found[0]["tick"], found[0]["seconds"]) == (-1, None)


def test_events(sample: Path) -> None:
    assert [row["tick"] for row in rows(sample, "--events")] == [100, 300, 640]
    (purchase,) = rows(sample, "--events", "--name", "dota_item_purchased")
    assert purchase["fields"] == {"PlayerID": 3, "itemname": "item_tango", "itemcost": 90}
    assert purchase["server_tick"] == 1100


def test_counts(sample: Path) -> None:
    lines = run(sample, "--count", "--name", "DOTA_UM_*").stdout.splitlines()
    counts = {name: int(number) for number, name in map(str.split, lines)}
    assert counts == {
        "DOTA_UM_ChatMessage": 6,
        "DOTA_UM_ChatEvent": 3,
        "DOTA_UM_LocationPing": 3,
        "DOTA_UM_OverheadEvent": 2,
    }
    assert list(counts.values()) == [6, 3, 3, 2]
    assert run(sample, "--count", "--events").stdout.split() == [
        "2",
        "dota_player_kill",
        "1",
        "dota_item_purchased",
    ]


def test_a_wrong_name_is_a_usage_error(sample: Path) -> None:
    outcome = run(sample, "--name", "DOTA_UM_ChatEvnt")
    assert outcome.returncode == 2
    assert "DOTA_UM_ChatEvent" in outcome.stderr


def test_other_formats_have_none(tmp_path: Path) -> None:
    assert run(sc2.write_sample(tmp_path)).returncode == 2


def test_messages_of_a_teehistorian_file(tmp_path: Path) -> None:
    path = teehistorian.write_sample(tmp_path)
    rows = [json.loads(line) for line in run(path, "--name", "Join", "--name", "Player*").stdout.splitlines()]
    assert {row["message"] for row in rows} == {"Join", "PlayerNew", "PlayerOld", "PlayerDiff"}
    assert rows[0].keys() == {"file", "tick", "seconds", "message", "fields"}
    assert rows[0]["fields"].keys() == {"cid"}
    everything = [json.loads(line) for line in run(path).stdout.splitlines()]
    assert len(everything) > len(rows)
    assert "PlayerNew" in run(path, "--name", "PlayerNw").stderr
    assert run(path, "--events").returncode == 2


def test_problems_and_raw_bytes(tmp_path: Path) -> None:
    path = tmp_path / "odd.dem"
    writer = DemoWriter({"game": "dota"})
    writer.packet(5, [(466, b"\xff"), (999, b"abc")])
    path.write_bytes(writer.finish(5, {}))
    outcome = run(path)
    assert outcome.returncode == 3
    assert "DOTA_UM_ChatEvent" in outcome.stderr
    row = {"tick": 5, "seconds": None, "message": None, "message_id": 999, "data": {"hex": "616263"}}
    assert [json.loads(line) for line in outcome.stdout.splitlines()] == [{"file": str(path), **row}]
    assert run(path, "--strict").returncode == 1
