"""A game recorded now, on a real DDNet server: what the clients know they did is what the recording says.

Needs the server's program (Debian, Ubuntu: apt-get install ddnet-server) and the `twnet_parser` package.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as

from playhead import Follow, TruncatedReplay
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.stream.extensions import AuthLogin, decode_extension
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Extra, Message, NetMessage
from playhead.teehistorian.stream.ticks import INPUT_FIELDS
from playhead.teehistorian.writing.writer import TeehistorianWriter

SERVER = shutil.which("DDNet-Server") or shutil.which("DDNet-Server", path="/usr/games:/usr/local/games")
TOOL = Path(__file__).parents[2] / "tools" / "record_ddnet_game.py"

pytestmark = [
    pytest.mark.real_server,
    pytest.mark.skipif(SERVER is None, reason="no DDNet-Server is installed (apt-get install ddnet-server)"),
]


@dataclass
class Game:
    """One recorded game: the file, what was followed while it was written, what the clients sent."""

    path: Path
    followed: list[tuple[int, Message]]
    sent: dict[str, Any]


def start(folder: Path, *options: str) -> subprocess.Popen[bytes]:
    pytest.importorskip("twnet_parser", reason="the clients need twnet_parser for the protocol's Huffman code")
    assert SERVER is not None
    return subprocess.Popen([sys.executable, TOOL, folder, "--server", SERVER, *options], stderr=subprocess.PIPE)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    folder = tmp_path_factory.mktemp("server")
    process = start(folder, "--seconds", "6")
    try:
        path = None
        for _ in range(600):
            path = next((folder / "teehistorian").glob("*.teehistorian"), None)
            if path is not None or process.poll() is not None:
                break
            time.sleep(0.1)
        assert path is not None, process.communicate()[1].decode()
        follow = Follow(idle_seconds=20, interval=0.1)
        followed = list(open_as(TeehistorianReplay, path, follow=follow).messages())  # ends with FINISH
        assert process.wait(120) == 0, process.communicate()[1].decode()
    finally:
        process.kill()
        process.communicate()
    return Game(path, followed, json.loads((folder / "sent.json").read_text()))


def test_the_whole_game_is_there(game: Game) -> None:
    replay = open_as(TeehistorianReplay, game.path, strict=True)
    assert replay.problems == ()
    assert replay.info.complete
    assert replay.info.map == "Tutorial"
    assert replay.header.fields["game_uuid"] == game.path.stem
    assert 5 < (replay.info.duration_seconds or 0) < 60
    assert {player.name: player.clan for player in replay.players} == dict.fromkeys(game.sent, "test")


def test_it_was_followed_while_the_server_wrote_it(game: Game) -> None:
    assert game.followed == list(open_as(TeehistorianReplay, game.path).messages())


def test_inputs_are_those_that_were_sent(game: Game) -> None:
    replay = open_as(TeehistorianReplay, game.path)
    names = {player.player: player.name for player in replay.players}
    rows: dict[str, list[tuple[int, ...]]] = {name: [] for name in game.sent}
    for row in replay.table("inputs").to_pylist():
        rows[names[row["player"]] or ""].append(tuple(row[field] for field in INPUT_FIELDS))
    for name, found in rows.items():
        sent = [tuple(values) for values in game.sent[name]["inputs"]]
        assert len(found) > 50
        assert set(found) <= set(sent), name
        # Nearly in the order they were sent: each is looked for from a little before the one before it.
        position = 0
        for values in found:
            position = sent.index(values, max(0, position - 25))


def test_what_the_clients_did(game: Game) -> None:
    messages = [message for _, message in open_as(TeehistorianReplay, game.path).messages()]
    commands = [(m.command, m.arguments) for m in messages if isinstance(m, ConsoleCommand) and m.cid >= 0]
    assert commands == [
        ("team", ("5",)),
        ("broadcast", ("two words",)),
        ("emote", ("happy", "2")),
        ("shutdown", ()),
    ]
    extensions = [decode_extension(m) for m in messages if isinstance(m, Extra)]
    assert [e.auth_level for e in extensions if isinstance(e, AuthLogin)] == [3]
    assert sum(isinstance(m, Drop) for m in messages) == 4
    payloads = b"".join(m.data for m in messages if isinstance(m, NetMessage))
    assert b"this is not recorded" not in payloads  # official servers record no chat


def test_tees_were_where_the_recording_says(game: Game) -> None:
    replay = open_as(TeehistorianReplay, game.path)
    last = replay.index.last_tick
    tees = replay.at(last // 2)
    assert {tee.name for tee in tees} == set(game.sent)
    assert all(tee.x is not None and tee.input is not None for tee in tees)
    assert {tee.team for tee in tees if tee.name == "bert"} <= {0, 5}


def test_rewriting_gives_the_same_bytes(game: Game) -> None:
    replay = open_as(TeehistorianReplay, game.path)
    writer = TeehistorianWriter(replay.header)
    for _, message in replay.messages():
        writer.write(message)
    assert writer.to_bytes() == game.path.read_bytes()


def test_a_killed_server(tmp_path: Path) -> None:
    process = start(tmp_path, "--seconds", "3", "--kill")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors.decode()
    (path,) = (tmp_path / "teehistorian").glob("*.teehistorian")
    replay = open_as(TeehistorianReplay, path)
    assert [problem.kind for problem in replay.problems] == ["TruncatedReplay"]
    assert not replay.info.complete


@pytest.mark.long
def test_secrets_typed_into_every_command_are_not_published(tmp_path: Path, step: int) -> None:
    some = ["--commands", "130"] if step > 1 else []  # the server takes half a minute to name all
    process = start(tmp_path, "--seconds", "2", "--secrets", str(step), *some, "--kill")
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors.decode()
    sent = json.loads((tmp_path / "sent.json").read_text())
    assert len(sent["offered"]) > 100
    words = [word.encode() for secret in sent["secrets"] for word in secret.split() if len(word) > 4]
    secret_words = [*words, *(name.encode() for name in sent["names"])]
    secret_words += [b"203.0.", b"2001:", b"only-on-loopback", b"playhead test"]
    seen, arrived = set(), b""
    for path in (tmp_path / "teehistorian").glob("*.teehistorian"):  # a command may have begun another game
        arrived += path.read_bytes()
        notes = open_as(TeehistorianReplay, path).write_anonymized(tmp_path / "out")
        searched = (tmp_path / "out").read_bytes() + "\n".join(notes).encode()
        assert [word for word in secret_words if word in searched] == []
        seen |= {m.command for m in kept_commands(path)}
        assert [m.command for m in kept_commands(path)] == [m.command for m in kept_commands(tmp_path / "out")]
    assert len(seen) > 100
    assert [word for word in words if word not in arrived] == []  # they were recorded


def kept_commands(path: Path) -> Iterator[ConsoleCommand]:
    with suppress(TruncatedReplay):  # the server was killed
        for _, message in open_as(TeehistorianReplay, path).messages("ConsoleCommand"):
            assert isinstance(message, ConsoleCommand)
            yield message
