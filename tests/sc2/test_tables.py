"""Tables: each is declared in one place, and however they are asked for a stream is decoded once."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Collection
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as
from tests.samples.sc2.replay import sample_bytes

import playhead
from playhead.blizzard.encoding import tags
from playhead.blizzard.events import Event, stream_of, text_kinds
from playhead.blizzard.events import columns as event_columns
from playhead.blizzard.events.columns import decode_stream
from playhead.blizzard.events.game import UnitClickEvent
from playhead.blizzard.events.tracker import UpgradeEvent
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.protocol import wire
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.blizzard.tables.registry import GameTables
from playhead.blizzard.units import changes
from playhead.hots.tables.registry import TABLES as HEROES
from playhead.sc2.protocol.tables import event_program
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.state.timeline import STATE_EVENTS
from playhead.sc2.tables import registry

BUILD = 93333
STREAMS = {f"replay.{name}.events": name for name in (GAME, MESSAGE, TRACKER)}


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """How often each stream is decompressed, and decoded into columns."""
    counts: Counter[tuple[str, str]] = Counter()
    read_block = MpqArchive.read_block

    def counted(archive: MpqArchive, index: int, name: str | None = None, on_damage: Any = None) -> bytes:
        if name in STREAMS:
            counts["decompressed", STREAMS[name]] += 1
        return read_block(archive, index, name, on_damage)

    original = event_columns.EventColumns

    def columns(program: Any, data: bytes, **options: Any) -> Any:
        tagged = options["tagged"]
        counts["decoded", TRACKER if tagged else MESSAGE if options["id_bits"] == 4 else GAME] += 1
        return original(program, data, **options)

    monkeypatch.setattr(MpqArchive, "read_block", counted)
    monkeypatch.setattr(event_columns, "EventColumns", columns)
    return counts


def _one_by_one(replay: playhead.Replay) -> None:
    for name in replay.tables:
        if not name.endswith("_events"):
            replay.table(name)


@pytest.mark.parametrize(
    "ask",
    [
        lambda replay: (replay.read_tables(), replay.problems, replay.verify(), replay.read_tables()),
        lambda replay: (replay.problems, replay.verify(), _one_by_one(replay)),
        lambda replay: (
            _one_by_one(replay),
            list(replay.events()),
            replay.at(3000),
            replay.at(10),
            replay.problems,
        ),
    ],
    ids=["all", "problems first", "one by one"],
)
def test_each_stream_is_decompressed_and_decoded_once(
    ask: Callable[[playhead.Replay], Any], done: Counter[tuple[str, str]]
) -> None:
    ask(playhead.open(sample_bytes()))
    assert done == {(step, name): 1 for step in ("decompressed", "decoded") for name in (GAME, MESSAGE, TRACKER)}


def test_every_table_builds_alone_and_has_its_schema() -> None:
    for name, table in registry.TABLES.tables().items():
        replay = playhead.open(sample_bytes())
        assert replay.table(name).schema.equals(table.schemas[0].arrow()), name
        assert all(stream_of(type_) in STREAMS.values() for type_ in table.reads)


@pytest.mark.parametrize(
    ("tables", "states"), [(registry.TABLES, STATE_EVENTS), (HEROES, (UpgradeEvent,))], ids=["sc2", "hots"]
)
def test_what_tables_and_states_read_is_captured(tables: GameTables, states: Collection[type[Event]]) -> None:
    wanted = {*states, *(type_ for table in tables.makers() for type_ in table.reads)}
    names = {
        stream: {type_.__name__ for type_ in wanted if stream_of(type_) == stream} for stream in STREAMS.values()
    }
    assert {stream: set(listed.split()) for stream, listed in tables._captured.items()} == names


def test_a_table_imports_no_module_of_another() -> None:
    code = """if True:
        import sys, playhead
        playhead.open(sys.stdin.buffer.read()).table("units")
        print(*(name for name in sys.modules if ".sc2.tables." in name or ".blizzard.events." in name))
    """
    done = subprocess.run([sys.executable, "-c", code], input=sample_bytes(), capture_output=True, check=True)
    found = {name.partition(".sc2.tables.")[2] for name in done.stdout.decode().split() if ".sc2.tables." in name}
    assert found == {"info_and_players", "registry", "units"}
    assert b"events.triggers" not in done.stdout


@pytest.mark.parametrize("name", [f"{stream}_events" for stream in (GAME, MESSAGE, TRACKER)])
def test_text_is_made_in_the_pass_or_when_it_is_read(
    name: str, done: Counter[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pass_of = ("decoded", name.removesuffix("_events"))
    alone = open_as(Sc2Replay, sample_bytes()).table(name)
    assert done.pop(pass_of) == 1

    tables = open_as(Sc2Replay, sample_bytes()).read_tables([name, "event_counts"])
    assert done[pass_of] == 1
    assert tables[name].equals(alone, check_metadata=True)
    assert done.pop(pass_of) == 2

    monkeypatch.setattr(event_columns, "MAX_TEXT", 1)
    tables = open_as(Sc2Replay, sample_bytes()).read_tables([name, "event_counts"])
    assert tables[name].equals(alone, check_metadata=True)
    assert done[pass_of] == 1


def test_events_that_nobody_declared_are_refused() -> None:
    stream = decode_stream(b"", event_program(BUILD, BUILD, GAME), GAME, capture=registry.TABLES.captured(GAME))
    with pytest.raises(KeyError, match="SUnitClickEvent were not captured"):
        stream.of(UnitClickEvent)


TABLE = '''
from playhead.blizzard.events.messages import PingMessage
from playhead.blizzard.tables.registry import WHO, when_and_who
from playhead.sc2.tables.registry import event_table
from playhead.tables.schema import TableSchema

PINGERS = TableSchema(name="pingers", version=1, doc="Who pinged.", columns=WHO)


@event_table(PINGERS, PingMessage)
def pingers(messages, source):
    """Return the table ``pingers``."""
    return PINGERS.build(when_and_who(messages.of(PingMessage), source))
'''


@pytest.fixture
def new_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import playhead.sc2.tables as package

    (tmp_path / "pingers.py").write_text(TABLE, encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    monkeypatch.setattr(registry.TABLES, "_added", dict(registry.TABLES.own()))
    monkeypatch.setattr(registry.TABLES, "_complete", False)


@pytest.mark.usefixtures("new_table")
def test_a_new_table_is_one_file() -> None:
    replay = open_as(Sc2Replay, sample_bytes())
    assert "pingers" in replay.tables
    assert replay.table("pingers").column("player").to_pylist() == [1]


@pytest.mark.parametrize(
    "module", [tags, wire, changes, text_kinds], ids=["tags", "wire", "changes", "text_kinds"]
)
def test_compiled_and_interpreted_names_are_the_same_numbers(module: Any) -> None:
    package, _, name = module.__name__.rpartition(".")
    declared = files(package).joinpath(f"{name}.pxd").read_text("utf-8")
    numbers = {found[1]: int(found[2]) for found in re.finditer(r"(\w+) = (-?\d+)", declared)}
    assert numbers == {key: value for key, value in vars(module).items() if key.isupper()}


def test_what_tables_are_made_of_is_let_go_of_at_once() -> None:
    gc.disable()  # only then a circle would live on
    try:
        replay = open_as(Sc2Replay, sample_bytes())
        replay.read_tables()
        streams = [each for each in map(replay.recording.stream, STREAMS.values()) if each is not None]
        fields = [kind for each in streams for kind in each.kinds.values()]
        gone = [weakref.ref(each) for each in (replay, *streams, *fields)]
        assert len(gone) > 10
        del replay, streams, fields
        assert [each() for each in gone if each() is not None] == []
    finally:
        gc.enable()
