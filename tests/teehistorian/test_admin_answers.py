"""The statements of the cookbook for folders of recordings, on two written games."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.in_process import run

from playhead.teehistorian.network import NetworkRecord, encode_network, seven, six
from playhead.teehistorian.stream import extensions as ex
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Finish, Join, NetMessage
from playhead.teehistorian.writing.writer import TeehistorianWriter

pytest.importorskip("duckdb")
PAGE = Path(__file__).parents[2] / "docs" / "cookbook" / "teehistorian.md"
PARTS = ("standard", "", "", "standard", "standard", "standard")
NAMES = [record.extension_name for record in ex.EXTENSIONS.values()]


class Game:
    """A recording that begins on a minute of 2026-11-28, 20:00 UTC."""

    def __init__(self, minute: int) -> None:
        self.writer = TeehistorianWriter(
            {
                "version": "2",
                "version_minor": "22",
                "start_time": f"2026-11-28T21:{minute:02}:00+0100",
                "uuids": NAMES,
            }
        )

    def enter(
        self, second: float, cid: int, name: str, skin: str, code: str | None = None, new: bool = False
    ) -> None:
        self.writer.set_tick(round(second * 50))
        self.writer.record(ex.JoinVersion7(cid) if new else ex.JoinVersion6(cid))
        self.writer.record(Join(cid))
        info: NetworkRecord = six.StartInfo(name, "", -1, skin, 0, 0, 0)
        self.send(second, cid, seven.StartInfo(name, "", -1, PARTS, (0,) * 6, (0,) * 6) if new else info)
        self.writer.record(ex.PlayerName(cid, name))
        if code is not None:
            self.run(second, cid, 128, "timeout", code)

    def send(self, second: float, cid: int, record: NetworkRecord) -> None:
        self.writer.set_tick(round(second * 50))
        self.writer.record(NetMessage(cid, encode_network(record)))

    def run(self, second: float, cid: int, flags: int, command: str, *arguments: str) -> None:
        self.writer.set_tick(round(second * 50))
        self.writer.record(ConsoleCommand(cid, flags, command, arguments))

    def press(self, second: float, cid: int, direction: int) -> None:
        self.writer.set_tick(round(second * 50))
        self.writer.set_input(cid, (direction, 0, -1, 0, 0, 0, 1, 0, 0, 0))

    def leave(self, second: float, cid: int) -> None:
        self.writer.set_tick(round(second * 50))
        self.writer.record(Drop(cid, ""))

    def write(self, path: Path) -> None:
        self.writer.record(Finish())
        path.write_bytes(self.writer.to_bytes())


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In the first, dora leaves before her second name comes; in the second, ida has the skin of eve."""
    folder = tmp_path_factory.mktemp("games")
    one = Game(0)
    one.enter(1, 0, "dora", "default", "secret")
    one.enter(2, 1, "eve", "pinky")
    one.enter(3, 2, "carl", "default", new=True)
    one.press(4, 1, 1)
    one.press(5, 2, 1)
    one.leave(10, 0)
    one.press(30, 2, 0)
    one.send(40, 2, seven.CallVote("option", "next map", "bored", 0))
    one.send(41, 2, seven.Vote(1))
    one.run(50, -1, 4, "sv_map", "next")
    one.run(60, 1, 128, "save", "x")
    one.run(61, 2, 128, "rank")
    one.run(95, 2, 128, "top5")
    one.enter(96, 0, "dora2", "default", "secret")
    one.send(100, 2, seven.CallVote("kick", "1", "", 0))
    one.send(101, 2, seven.Vote(-1))
    one.run(130, -1, 4, "sv_motd", "later")
    one.send(135, 2, seven.Vote(1))  # a client of 0.6 called
    one.send(136, 2, seven.Vote(-1))
    one.run(138, -1, 4, "sv_map", "third")
    one.leave(140, 2)
    one.write(folder / "one.teehistorian")
    two = Game(30)
    two.enter(1, 0, "ida", "pinky")
    two.press(2, 0, 1)
    two.leave(22, 0)
    two.write(folder / "two.teehistorian")
    return folder


def answers(games: Path, number: int) -> list[tuple[Any, ...]]:
    statement = re.findall(r"```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[number]
    found = run("sql", statement, games, "--json")
    assert found.returncode == 0, found.stderr
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    return [tuple(value for name, value in row.items() if name != "file") for row in rows]


def test_votes(games: Path) -> None:
    assert answers(games, 0) == [
        (40.0, "carl", "next map", 1, 0, "sv_map next"),
        (100.0, "carl", "1", 0, 1, None),
        (135.0, None, None, 1, 1, "sv_map third"),
    ]


def test_names_of_one_account(games: Path) -> None:
    assert answers(games, 1) == [("dora", "dora2", True, False), ("eve", "ida", None, True)]


def test_the_longest_idle_times(games: Path) -> None:
    assert answers(games, 2) == [
        ("eve", 4.02, 135.98),
        ("carl", 30.02, 109.98),
        ("carl", 5.02, 25.0),
        ("ida", 2.02, 19.98),
    ]


def test_what_was_typed_around_a_word(games: Path) -> None:
    typed = [(row[0], row[1], row[3]) for row in answers(games, 3)]
    assert typed == [(50.0, None, "sv_map"), (60.0, "eve", "save"), (61.0, "carl", "rank")]


@pytest.mark.parametrize(
    ("time", "names"),
    [
        ("2026-11-28T20:00:05", ["dora", "eve", "carl"]),
        ("2026-11-28T21:01:40+01:00", ["dora2", "eve", "carl"]),
        ("2026-11-28T21:30:10+01:00", ["ida"]),
        ("2026-11-28T20:29:59", []),
    ],
)
def test_who_was_online(games: Path, time: str, names: list[str]) -> None:
    found = run("ddnet", "find", games, "--at", time, "--json")
    assert sorted(json.loads(line)["name"] for line in found.stdout.splitlines()) == sorted(names)
    assert found.returncode == (0 if names else 1)
