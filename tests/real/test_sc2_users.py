"""User ids of events, places in the lobby and player numbers belong together in every build."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.real.sc2_index import sc2_replays

from playhead.blizzard.protocol.tables import TRACKER
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.state.players.starts import starting_races

#: From this base build on, user ids are places in the lobby.
_FIRST_USER_IDS = 24247


def replays(corpus: Path, step: int = 1) -> Iterator[tuple[Path, Sc2Replay]]:
    folder = corpus / "sc2"
    for file, replay in sc2_replays(folder, step):
        if replay.recording.lobby is not None:
            yield folder / file, replay


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_only_players_give_orders(corpus: Path, step: int) -> None:
    """Every order comes from a player, and every event from somebody in the lobby."""
    old = 0
    for path, replay in replays(corpus, step):
        assert replay.table("commands")["player"].null_count == 0, path.name
        users = set(replay.recording.stream("game").user.unique().to_pylist()) - {16}  # type: ignore[union-attr]
        assert users <= replay.recording.users_by_event.keys(), path.name
        old += replay.recording.builds[0] < _FIRST_USER_IDS
    assert old >= 139 // step - 2


@pytest.mark.slow_interpreted
@pytest.mark.filterwarnings("ignore")
def test_names_in_chat_equal_those_of_sc2reader(corpus: Path, step: int) -> None:
    """In Wings of Liberty, observers included."""
    sc2reader: Any = pytest.importorskip("sc2reader", reason="sc2reader is not installed")
    compared = said = 0
    for path, replay in list(replays(corpus))[: 150 : 4 * step]:
        try:
            theirs = sc2reader.load_replay(str(path), load_level=4)
        except Exception:
            continue  # sc2reader cannot read betas
        expected = [(m.player.name, m.text) for m in theirs.messages if type(m).__name__ == "ChatEvent"]
        assert [(row["name"], row["text"]) for row in replay.table("chat").to_pylist()] == expected, path.name
        compared += 1
        said += len(expected)
    assert compared > 20 // step
    assert said > 100 // step


def test_a_beta_with_observers(corpus: Path) -> None:
    found = [replay for path, replay in replays(corpus) if "0.6.0.14259" in path.parent.name]
    replay = next(replay for replay in found if any(p.kind == "referee" for p in replay.players))
    assert [(p.player, p.details["user"]) for p in replay.players if p.kind == "human"] == [(1, 1), (2, 2)]
    assert replay.recording.players_by_user == {1: 1, 2: 2}
    assert replay.recording.players_by_lobby_user == {3: 1, 6: 2}
    slots = [(row["user"], row["player"]) for row in replay.table("slots").to_pylist()]
    assert slots[:3] == [(3, 1), (6, 2), (5, None)]
    watching = {p.details["user"]: p.name for p in replay.players if p.kind == "referee"}
    assert watching == {user: name for user, name in replay.recording.names_by_user.items() if user > 2}


@pytest.mark.slow_interpreted
def test_a_player_has_one_number_in_every_table(corpus: Path, step: int) -> None:
    """With gaps: after empty slots of 2.0.8 to 2.0.10, in co-op missions, on arcade maps and on GameHeart."""
    gaps = 0
    for file, replay in sc2_replays(corpus / "sc2", step):
        tracker = replay.recording.stream(TRACKER)
        if tracker is None or not tracker.kinds:
            continue
        numbers = {player.player: player for player in replay.players if player.player is not None}
        gaps += list(numbers) != list(range(1, len(numbers) + 1))
        assert set(replay.recording.players_by_user.values()) <= numbers.keys(), file
        assert set(replay.table("player_series")["player"].to_pylist()) - {None} <= numbers.keys(), file
        for number, race in starting_races(tracker).items():
            assert numbers[number].details["race"] == race, file
    assert gaps == 6 or step > 1
