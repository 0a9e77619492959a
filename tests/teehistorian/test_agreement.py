"""What an independent reader makes of the synthetic recording."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.samples.teehistorian import sample_bytes

import playhead


def test_teehistorian_py_reads_the_same_messages() -> None:
    th = pytest.importorskip("teehistorian_py", reason="compares with teehistorian-py, which is not installed")
    replay = playhead.open(sample_bytes())
    chunks = list(th.Teehistorian(sample_bytes()))
    names = {"Eos": "finish", "NetMessage": "net_message", "ConsoleCommand": "console_command"}
    names |= {"TickSkip": "tick_skip", "Join": "join", "Drop": "drop", "InputNew": "input_new"}
    names |= {"InputDiff": "input_diff", "PlayerNew": "player_new", "PlayerOld": "player_old"}
    names |= {"PlayerDiff": "player_diff"}
    theirs = Counter(names.get(type(chunk).__name__.removeprefix("Py"), "extra") for chunk in chunks)
    assert theirs == Counter(replay.table("messages").column("message").to_pylist())

    x: dict[int, int] = {}
    path = []
    for chunk in chunks:
        if isinstance(chunk, th.PlayerNew):
            x[chunk.client_id] = chunk.x
        elif isinstance(chunk, th.PlayerDiff):
            x[chunk.client_id] += chunk.dx
        elif not isinstance(chunk, th.PlayerOld):
            continue
        path.append((chunk.client_id, x[chunk.client_id]))
    positions = replay.table("positions")
    assert list(zip(*(positions.column(name).to_pylist() for name in ("player", "x")), strict=True)) == path
