"""What `Replay` itself promises, on a toy format: laziness, one pass, problems, strictness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

import playhead
from playhead import CorruptReplay, Info, Options, Player, Replay, TruncatedReplay
from playhead.io.source import Source
from playhead.model import Problem
from playhead.tables.schema import Column, TableSchema

WORDS = TableSchema("words", 1, "Words of the toy.", (Column("word", "string", "A word."),))
LENGTHS = TableSchema("lengths", 1, "Their lengths.", (Column("length", "int32", "Of a word.", "characters"),))


class ToyReplay(Replay):
    """Words separated by blanks; a word with a ``!`` is damaged."""

    format = "toy"

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self.passes: list[str] = []

    def _load_info(self) -> Info:
        self.passes.append("info")
        return Info(
            "toy",
            "words",
            self.name,
            complete=True,
            version="1.2",
            map="page",
            start_time=datetime(2026, 1, 2, tzinfo=UTC),
            duration_ticks=150,
            ticks_per_second=2.0,
            details={"first": "é"},
        )

    def _load_players(self) -> tuple[Player, ...]:
        self.passes.append("players")
        return (Player(1, "Ann", clan="X", kind="human", details={"age": 3}), Player(2, None))

    def _table_schemas(self) -> Iterable[TableSchema]:
        return (WORDS, LENGTHS)

    def _words(self) -> list[str]:
        words = bytes(self.source.data).decode().split()
        for number, word in enumerate(words):
            if "!" in word:
                self._note(CorruptReplay(f"expected a word, found {word!r}", tick=number), cost="one word")
        self._report(len(self.source.data))
        return [word for word in words if "!" not in word]

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        self.passes.append("+".join(sorted(names)))
        words = self._words()
        built = {
            "words": lambda: WORDS.build({"word": words}),
            "lengths": lambda: LENGTHS.build({"length": [len(word) for word in words]}),
        }
        return {name: built[name]() for name in names}

    def _survey(self) -> None:
        self.passes.append("survey")
        self._words()


def _toy(text: str, **options: object) -> ToyReplay:
    return ToyReplay(Source("toy.txt", memoryview(text.encode())), Options(**options))  # type: ignore[arg-type]


def test_nothing_is_decoded_before_it_is_asked_for_and_nothing_twice() -> None:
    replay = _toy("a bb ccc")
    assert replay.passes == []
    assert replay.info is replay.info
    assert replay.table("words") is replay.table("words")
    assert replay.passes == ["info", "words"]


def test_several_tables_cost_one_pass() -> None:
    replay = _toy("a bb ccc")
    built = replay.read_tables(["lengths", "words"])
    assert replay.passes == ["lengths+words"]
    assert built["lengths"].column("length").to_pylist() == [1, 2, 3]


def test_all_tables_by_default_with_info_and_players() -> None:
    built = _toy("a").read_tables()
    assert list(built) == ["info", "players", "words", "lengths"]
    (info,) = built["info"].to_pylist()
    assert info["duration_seconds"] == 75.0
    assert info["start_time"] == datetime(2026, 1, 2, tzinfo=UTC)
    assert info["details"] == '{"first": "é"}'
    players = built["players"].to_pylist()
    assert [(p["player"], p["name"], p["clan"]) for p in players] == [(1, "Ann", "X"), (2, None, None)]


def test_an_unknown_table_is_a_key_error_that_lists_the_known() -> None:
    with pytest.raises(KeyError, match="words"):
        _toy("a").table("wrods")


def test_problems_read_everything_and_are_recorded_once() -> None:
    replay = _toy("a b! c d!")
    assert replay.table("words").column("word").to_pylist() == ["a", "c"]
    assert [(p.tick, p.cost, p.kind) for p in replay.problems] == [
        (1, "one word", "CorruptReplay"),
        (3, "one word", "CorruptReplay"),
    ]
    assert _toy("a b").problems == ()


def test_problems_alone_survey_the_file() -> None:
    replay = _toy("x!")
    assert len(replay.problems) == 1
    assert replay.passes == ["info", "players", "survey"]


def test_strict_raises_the_first_problem_with_the_file_named() -> None:
    with pytest.raises(CorruptReplay, match=r"toy\.txt, tick 1: expected a word") as caught:
        _toy("a b! c d!", strict=True).table("words")
    assert caught.value.file == "toy.txt"


def test_problems_of_the_source_are_the_replays_too() -> None:
    cut = Problem.from_error(TruncatedReplay("cut"), cost="the rest", where="xz stream")
    source = Source("toy.txt", memoryview(b"a"), "xz", [cut])
    assert ToyReplay(source, Options()).problems == (cut,)
    with pytest.raises(TruncatedReplay, match=r"toy\.txt, xz stream: cut"):
        ToyReplay(source, Options(strict=True))


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    _toy("a bb", progress=lambda done, total: seen.append((done, total))).table("words")
    assert seen == [(4, 4)]


def test_export(tmp_path: Path) -> None:
    paths = _toy("a bb").export(tmp_path / "out", tables=["words", "info"], format="csv")
    assert [path.name for path in paths] == ["words.csv", "info.csv"]
    assert paths[0].read_text() == '"word"\n"a"\n"bb"\n'


def test_repr_is_a_line() -> None:
    assert repr(_toy("a")) == "<Replay toy 'toy.txt', words 1.2, map 'page', 01:15>"


def test_a_game_without_properties_of_people_says_so(samples: dict[str, Path]) -> None:
    with pytest.raises(TypeError, match="player_series of this game has none"):
        playhead.open(samples["source2"]).table("kills", raw=["health"])
