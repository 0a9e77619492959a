"""Every row identifies its player: sessions and names compared with the logs of a server and of its bots."""

from __future__ import annotations

import random
import re
from datetime import datetime
from pathlib import Path

import pyarrow.compute as pc
import pytest
from tests.opened import open_as

import playhead
from playhead.teehistorian.replay import TeehistorianReplay

pytestmark = pytest.mark.slow_interpreted

PER_CLIENT = ("commands", "auth", "teams", "finishes", "saves", "net_messages", "positions", "inputs")
#: Ticks before and after a change in which a log with whole seconds is ambiguous.
UNSURE = 100


@pytest.fixture(scope="module")
def reused(corpus: Path) -> TeehistorianReplay:
    found = list((corpus / "teehistorian" / "deb16.4-slot-reuse").glob("*.teehistorian"))
    if not found:
        pytest.skip("the recording of reused slots is not in the corpus")
    return open_as(TeehistorianReplay, found[0])


def changes(replay: TeehistorianReplay) -> list[tuple[int, int, str | None]]:
    """Return (tick, client, new name) of every join, leave or rename in the server's log."""
    assert replay.header.start_time is not None
    begun = replay.header.start_time.replace(tzinfo=None)
    found: list[tuple[int, int, str | None]] = []
    entering = 0
    slots: dict[str, int] = {}
    for line in (Path(replay.name).parent / "server.log").read_text("utf-8", "replace").splitlines():
        if not re.match(r"\d{4}-\d\d-\d\d \d\d:", line):
            continue
        tick = round((datetime.fromisoformat(line[:19]) - begun).total_seconds() * 50)
        if match := re.search(r"player has entered the game\. ClientID=(\d+)", line):
            entering = int(match[1])
        elif match := re.search(r"chat: \*\*\* '(.*)' entered and joined the game", line):
            slots[match[1]] = entering
            found.append((tick, entering, match[1]))
        elif match := re.search(r"chat: \*\*\* '(.*)' changed name to '(.*)'", line):
            slots[match[2]] = slots.pop(match[1])
            found.append((tick, slots[match[2]], match[2]))
        elif match := re.search(r"game: leave player='(\d+):|ClientID=\d+ rcon='kick (\d+) KICKREASON", line):
            found.append((tick, int(match[1] or match[2]), None))
    return found


def test_names_at_random_ticks_equal_the_log(reused: TeehistorianReplay) -> None:
    seen = changes(reused)
    assert len(seen) > 30
    bots = (Path(reused.name).parent / "bots.log").read_text("utf-8", "replace")
    dice = random.Random(14)
    checked = names_seen = 0
    for tick in (dice.randrange(150, 6686) for _ in range(200)):
        present = reused.clients.present(tick)
        for client in range(9):
            mine = [(when, name) for when, cid, name in seen if cid == client]
            if any(abs(when - tick) < UNSURE for when, _ in mine):
                continue
            name = next((name for when, name in reversed(mine) if when <= tick), None)
            # A server before 18.3 records the requested name, without the (1) that it prepends.
            asked = None if name is None else re.sub(r"^\(\d\)", "", name)
            known = present[client].name if client in present else None
            assert known == asked, (tick, client)
            if asked is not None:
                assert asked in bots or repr(asked)[1:-1] in bots
                names_seen += 1
            checked += 1
    assert checked > 1000
    assert names_seen > 700


def test_rows_are_of_the_player_of_their_tick(reused: TeehistorianReplay) -> None:
    last: dict[int, str | None] = {}
    for player in reused.players:
        last[player.details["client"]] = player.name
    for name in ("positions", "inputs"):
        wrong = leaving = 0
        for row in reused.table(name).to_pylist():
            connection = reused.clients.connections[row["player"]]
            assert connection.cid == row["client"]
            assert connection.tick <= row["tick"]
            # A tee disappears, and its last input acts, one tick after its player left.
            assert connection.end_tick is None or row["tick"] <= connection.end_tick + 1
            if reused.name_of(row["player"], row["tick"]) != last[row["client"]]:
                wrong += 1
                leaving += connection.end_tick is not None and row["tick"] >= connection.end_tick
        if name == "positions":  # all of them had the last name of their slot
            assert (wrong - leaving, leaving) == (3963, 28)


def test_events_name_their_client(reused: TeehistorianReplay) -> None:
    kicked = [event for event in reused.events("player_left") if event.reason.startswith("Kicked")]
    assert [(event.client, event.player, event.player_name) for event in kicked] == [(2, 2, 'a"b\\c')]
    assert reused.name_of(2, kicked[0].tick) == 'a"b\\c'
    for event in reused.events():
        if event.client is not None and event.kind != "protocol_announced":
            assert event.player is not None, event


def test_joins_give_every_row_once_in_every_recording(corpus: Path) -> None:
    joined = 0
    for path in sorted((corpus / "teehistorian").glob("*/*.teehistorian")):
        replay = playhead.open(path)
        tables = replay.read_tables(["players", "sessions", "names", *PER_CLIENT])
        players = tables["players"].select(["player"])
        sessions = tables["sessions"].select(["player", "client"])
        assert players["player"].to_pylist() == sessions["player"].to_pylist() == list(range(len(players)))
        for name in ("positions", "inputs"):
            table = tables[name]
            assert table.select(["player"]).join(players, "player", join_type="inner").num_rows == len(table)
            both = table.select(["player", "client"]).join(sessions, ["player", "client"], join_type="inner")
            assert both.num_rows == len(table), (path, name)
            joined += len(table)
        stretches: dict[int, list[tuple[int, int | None]]] = {}
        for row in tables["names"].to_pylist():
            stretches.setdefault(row["player"], []).append((row["tick"], row["end_tick"]))
        for number, found in stretches.items():
            assert [end for _, end in found[:-1]] == [start for start, _ in found[1:]], number
        assert stretches.keys() == set(sessions["player"].to_pylist())
    if not joined:
        pytest.skip("no teehistorian recordings in the corpus")
    assert joined > 500_000


def test_windows_and_whole_tables_name_the_same_people(reused: TeehistorianReplay) -> None:
    for start, end in ((900, 1300), (4400, 5300), (5000, 6600)):
        window = reused.window(start, end)
        for name in ("positions", "inputs"):
            whole = reused.table(name)
            kept = whole.filter(pc.and_(pc.greater_equal(whole["tick"], start), pc.less_equal(whole["tick"], end)))
            assert getattr(window, name).select(["player", "client"]).equals(kept.select(["player", "client"]))


def test_every_message_about_a_client_is_of_a_session(corpus: Path) -> None:
    """All but the version, which a client sends before its JOIN."""
    for path in sorted((corpus / "teehistorian").glob("*/*.teehistorian")):
        rows = playhead.open(path).table("messages", columns=["message", "client", "player"])
        nobodys = rows.filter(pc.field("client").is_valid() & pc.field("player").is_null())
        assert {*nobodys["message"].to_pylist()} <= {"extra"}, path.name
        assert len(nobodys) < 60, path.name
