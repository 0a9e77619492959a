"""Replays of Heroes of the Storm without the people in them, and the game at a moment."""

from __future__ import annotations

from typing import Any

from tests.samples.hots.replay import PEOPLE, TAGS, sample_bytes

import playhead
from playhead.hots.writing import anonymize

SAMPLE = sample_bytes()


def test_nobody_is_left_and_everything_else_is() -> None:
    before: Any = playhead.open(SAMPLE)
    done = anonymize(before.recording, salt=b"salt")
    after: Any = playhead.open(done.data, strict=True)
    assert (after.problems, done.cut, done.chat) == ((), (), 2)
    archive = after.recording.container.archive
    secrets = (
        [name for name, *_ in PEOPLE]
        + [tag for tag, _ in TAGS]
        + [player.account for player in before.players]
        + ["gl hf"]
    )
    for name in archive.names:
        assert not [secret for secret in secrets if secret.encode() in archive.read(name)], name
    assert {player.account for player in after.players}.isdisjoint(player.account for player in before.players)
    personal = {"info", "players", "events", "members", "chat"} | {
        f"{each}_events" for each in ("message", "tracker")
    }
    assert after.table("battle_lobby").num_rows == 0
    for name in set(before.tables) - personal - {"battle_lobby"}:
        assert after.table(name).to_pylist() == before.table(name).to_pylist(), name
    again = anonymize(before.recording, salt=b"salt")
    assert again == done != anonymize(before.recording, salt=b"other")


def test_the_game_at_a_moment() -> None:
    replay = playhead.open(SAMPLE)
    dead, alive = (replay.at(tick).players[2] for tick in (2500, 2800))
    assert (dead["name"], dead["alive"], dead["x"], dead["deaths"]) == ("Spindle", False, None, 1)
    assert (alive["alive"], alive["x"], alive["y"], alive["talents"]) == (
        True,
        200.0,
        103.0,
        ["DemonHunterHotPursuit"],
    )
    first = replay.at(2400).players[0]
    assert (first["hero"], first["level"], first["kills"], first["assists"]) == ("Jaina", 1, 1, 0)
    assert replay.at("0:00").tick == 610
    counts = {(row["player"], row["unit_type"]): row["count"] for row in replay.at(3900).unit_counts}
    assert counts[12, "TownTownHallL2"] == 1
    assert (12, "TownTownHallL2") not in {(row["player"], row["unit_type"]) for row in replay.at(4000).unit_counts}
