"""What every format promises, as checks that any format can be held to.

A third party's test, for a format that is installed through the entry point group ``playhead.formats``:

    import pytest
    from playhead.testing.conformance import PROMISES, Subject

    @pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
    def test_promise(promise, tmp_path):
        promise(Subject.sample("toy", tmp_path))

Each promise is a function that raises AssertionError with what is wrong. The subject is a sound recording, small
(it is read dozens of times) and with rows in every table; `Subject.sample` takes what the format's own
``write_sample`` writes.
"""

from __future__ import annotations

import json
import pickle
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING, Any

from playhead import registry
from playhead.cached import cached_property
from playhead.capabilities import CAPABILITIES
from playhead.clock import GAME_TIME, RECORDING_TIME
from playhead.errors import ClosedReplay, ReplayError
from playhead.events import ReplayEvent
from playhead.io.source import open_source
from playhead.json_text import to_json
from playhead.model import Moment, Options
from playhead.records import dataclass, fields
from playhead.replay import Replay
from playhead.tables.schema import TableSchema
from playhead.tables.shared import INFO, OPEN_ENDED, PLAYER, PLAYERS, SECONDS, SHARED, TICK

if TYPE_CHECKING:
    import pyarrow as pa

#: Shared tables with columns of the format's own behind the shared ones.
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


@dataclass
class Subject:
    """A recording that is held to the promises.

    Attributes:
        format: name of its format, as `Replay.format` shows it.
        path: where it is; it is only read.
        folder: where files may be written.
        damages: how many damaged copies are read for each kind of damage.
    """

    format: str
    path: Path
    folder: Path
    damages: int = 8

    @classmethod
    def sample(cls, format: str, folder: Path, *, damages: int = 8) -> Subject:
        """The sample that a format writes; raises KeyError if no format of that name is installed."""
        known = {each.name: each for each in registry.list_formats()}
        return cls(format, known[format].write_sample(folder), folder, damages)

    @cached_property
    def data(self) -> bytes:
        """The bytes of the recording."""
        return self.path.read_bytes()

    def open(self, data: bytes | None = None, *, strict: bool = False) -> Replay:
        """The recording, or a copy with other bytes, opened anew."""
        source = open_source(self.path if data is None else data, Options().limits)
        return registry.detect(source).open(source, Options(strict=strict))

    @cached_property
    def replay(self) -> Replay:
        """The recording, opened once for all that only look."""
        return self.open()

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        """All its tables."""
        return self.replay.read_tables()


def _refusal(kind: type[Exception], call: Callable[[], object]) -> str:
    """What an error of this kind says, which the call has to raise."""
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"expected a {kind.__name__}")


def is_recognised_by_its_content(subject: Subject) -> None:
    """`playhead.open` finds the format by the first bytes, whatever the file is called."""
    assert registry.detect(open_source(subject.data, Options().limits)).name == subject.format
    assert subject.replay.format == subject.format


def info_is_typed(subject: Subject) -> None:
    """`Replay.info` has values of the promised types, and table ``info`` says the same."""
    info = subject.replay.info
    assert info.format == subject.format
    assert info.source == subject.replay.name == str(subject.path)
    assert isinstance(info.complete, bool)
    assert info.complete, "the sample is a whole recording"
    for name in ("game", "version", "map", "winner"):
        assert isinstance(getattr(info, name), str | None), name
    assert info.game, "the game has a name"
    for name in ("build", "duration_ticks"):
        assert isinstance(getattr(info, name), int | None), name
    assert info.ticks_per_second is None or info.ticks_per_second > 0
    for name in ("start_time", "end_time"):
        time = getattr(info, name)
        assert time is None or (isinstance(time, datetime) and time.tzinfo is not None), f"{name}: {time!r}"
    (row,) = subject.tables["info"].to_pylist()
    facts = info.as_dict()
    assert json.loads(row.pop("details")) == json.loads(to_json(facts.pop("details")))
    for name in _own_columns(subject, INFO):
        assert row.pop(name) == info.details.get(name), f"{name} is the item of `details`"
    assert row == facts


def _own_columns(subject: Subject, shared: TableSchema) -> tuple[str, ...]:
    """Those of the format behind the shared ones of table ``info`` or ``players``."""
    return subject.replay.tables[shared.name].column_names[len(shared.columns) :]


def players_are_typed(subject: Subject) -> None:
    """`Replay.players` has values of the promised types, and table ``players`` says the same."""
    players = subject.replay.players
    rows = subject.tables["players"].to_pylist()
    assert len(rows) == len(players)
    for player, row in zip(players, rows, strict=True):
        assert isinstance(player.player, int) or player.kind in ("observer", "referee")
        assert player.result in ("win", "loss", "tie", None)
        details = json.loads(row.pop("details"))
        facts = player.as_dict()
        assert details == json.loads(to_json(facts.pop("details")))
        for name in _own_columns(subject, PLAYERS):
            assert row.pop(name) == player.details.get(name), f"{name} is the item of `details`"
        assert row == facts
        assert set(row) | {"details"} == {field.name for field in fields(player)}


def schemas_are_versioned_and_documented(subject: Subject) -> None:
    """Every table and column has a name in small letters and a meaning; times are the shared columns."""
    schemas = subject.replay.tables
    assert {"info", "players"} <= schemas.keys()
    for name, schema in schemas.items():
        assert schema.name == name
        assert _NAME.fullmatch(name), name
        assert schema.version >= 1, name
        assert schema.doc.strip(), f"table {name} says nothing of itself"
        assert len(set(schema.column_names)) == len(schema.columns), f"table {name} has two columns of one name"
        schema.arrow()
        for column in schema.columns:
            where = f"{name}.{column.name}"
            assert _NAME.fullmatch(column.name), where
            assert column.doc.strip(), f"{where} says nothing of itself"
            for shared in (TICK, SECONDS):
                if column.name == shared.name:
                    assert (column.type, column.unit) == (shared.type, shared.unit), where


def shared_tables_are_the_same_in_every_format(subject: Subject) -> None:
    """``chat``, ``events``, ``positions`` … have the shared columns first: names, types, units."""
    for name, shared in SHARED.items():
        schema = subject.replay.tables.get(name)
        if schema is None:
            continue
        first = schema.columns[: len(shared.columns)]
        for ours, theirs in zip(first, shared.columns, strict=True):
            assert (ours.name, ours.type, ours.unit) == (theirs.name, theirs.type, theirs.unit), name
        assert name in OPEN_ENDED or len(schema.columns) == len(shared.columns), f"table {name} has more columns"


def players_have_one_type(subject: Subject) -> None:
    """A number of a player is int32 in every table: columns ``player`` and those that end so."""
    for name, schema in subject.replay.tables.items():
        for column in schema.columns:
            if column.name == "player" or column.name.endswith("_player"):
                assert column.type == PLAYER.type, f"{name}.{column.name} is {column.type}"


def tables_are_as_promised(subject: Subject) -> None:
    """Every table has exactly the columns and types of its schema, and rows."""
    assert set(subject.tables) == set(subject.replay.tables)
    for name, table in subject.tables.items():
        assert table.schema.equals(subject.replay.tables[name].arrow(), check_metadata=True), name
        table.validate(full=True)
        assert table.num_rows, f"the sample has no row of table {name}"


def players_of_tables_are_known(subject: Subject) -> None:
    """A number in a shared table's column ``player`` is one of table ``players``."""
    known = {player.player for player in subject.replay.players}
    for name in SHARED:
        if name in subject.tables and "player" in subject.tables[name].column_names:
            odd = set(subject.tables[name]["player"].unique().to_pylist()) - known - {None}
            assert not odd, f"table {name} has players {sorted(odd)} that table players has not"


def chat_has_names(subject: Subject) -> None:
    """A line of chat of a player who has a name has it too."""
    names = {player.player: player.name for player in subject.replay.players if player.player is not None}
    for row in subject.tables["chat"].to_pylist() if "chat" in subject.tables else ():
        assert row["name"] or not names.get(row["player"]), row


def what_is_never_null_is_not(subject: Subject) -> None:
    """A column that its schema calls `required` has no null."""
    for name, table in subject.tables.items():
        for column in subject.replay.tables[name].columns:
            assert not (column.required and table[column.name].null_count), f"{name}.{column.name} has nulls"


def seconds_are_ticks_by_the_rate(subject: Subject) -> None:
    """Column ``seconds`` is ``tick`` by the rate of ``info``, in every table that has both; null before tick 0."""
    clock = subject.replay.info.clock
    for name, table in subject.tables.items():
        if not {"tick", "seconds"} <= set(table.column_names):
            continue
        for tick, seconds in zip(table["tick"].to_pylist(), table["seconds"].to_pylist(), strict=True):
            if tick is None or tick < 0 or clock is None:
                assert seconds is None, f"{name}: tick {tick} has seconds {seconds}"
            else:
                assert seconds is not None, f"{name}: tick {tick} has no seconds"
                assert abs(seconds - clock.seconds(tick)) < 1e-6, f"{name}: tick {tick} has seconds {seconds}"


def a_table_alone_is_the_same(subject: Subject) -> None:
    """A table asked for by itself, or column by column, is the one that a pass for all of them gives."""
    for name, table in subject.tables.items():
        alone = subject.open()
        assert alone.table(name).equals(table), name
        some = table.column_names[::2]
        assert alone.table(name, columns=some).equals(table.select(some)), name
    said = _refusal(KeyError, lambda: subject.replay.table("no_such_table"))
    assert "info" in said, "the error lists the tables that there are"


def batches_are_the_table(subject: Subject) -> None:
    """`Replay.batches` gives the rows of the table, in its order, a few at a time."""
    import pyarrow as pa

    for name, table in subject.tables.items():
        parts = list(subject.open().batches(name, rows=7))
        assert all(part.num_rows <= 7 for part in parts), name
        assert pa.Table.from_batches(parts, table.schema).to_pylist() == table.to_pylist(), name


def a_sound_recording_has_no_problems(subject: Subject) -> None:
    """`problems` is empty, every check of `verify` holds, and strict reading gives the same tables."""
    assert subject.replay.problems == (), subject.replay.problems
    for check in subject.replay.verify():
        assert check.failed == 0, check
    strict = subject.open(strict=True)
    assert strict.problems == (), strict.problems
    for name, table in strict.read_tables().items():
        assert table.equals(subject.tables[name]), name


def opening_is_lazy(subject: Subject) -> None:
    """Opening looks at the head alone: damage at the end is met only by who reads that far."""
    cut = subject.open(subject.data[: len(subject.data) * 3 // 4])
    assert cut.problems_so_far == ()


def events_are_in_time_order(subject: Subject) -> None:
    """`events` gives typed events of known kinds in time order, and table ``events`` a row for each."""
    events = list(subject.replay.events())
    kinds = subject.replay.event_kinds
    assert bool(events) == bool(kinds), "a format with kinds of events has some in its sample"
    assert all(doc.strip() for doc in kinds.values())
    for event in events:
        assert isinstance(event, ReplayEvent), event
        assert event.kind in kinds, event
        assert isinstance(event.tick, int), event
        assert isinstance(event.player, int | None), event
    ticks = [event.tick for event in events]
    assert ticks == sorted(ticks)
    if not kinds:
        return
    rows = subject.tables["events"].to_pylist()
    assert [(row["tick"], row["kind"], row["player"]) for row in rows] == [
        (event.tick, event.kind, event.player) for event in events
    ]
    for event, row in zip(events, rows, strict=True):
        assert isinstance(json.loads(row["payload"]), dict), event
        assert set(json.loads(row["payload"])) == set(event.payload), event


def events_are_chosen_by_kind(subject: Subject) -> None:
    """`events` of some kinds are those among all; a pattern means all that fit; an unknown kind is refused."""
    replay = subject.replay
    counts = Counter(event.kind for event in replay.events())
    for kind, count in counts.items():
        assert Counter(event.kind for event in replay.events(kind)) == {kind: count}
    if counts:
        first = min(counts)
        fitting = {kind: count for kind, count in counts.items() if kind.startswith(first[:2])}
        assert Counter(event.kind for event in replay.events(f"{first[:2]}*")) == fitting
        assert sum(1 for _ in replay.events("*")) == counts.total()
        said = _refusal(KeyError, lambda: replay.events(f"{first}x"))
        assert first in said, "the error suggests the kind that is meant"


def a_moment_is_told_in_many_ways(subject: Subject) -> None:
    """`to_tick` takes ticks, seconds and text; `at` the same, if the format keeps state."""
    replay = subject.replay
    last = replay.info.duration_ticks or 0
    middle = last // 2
    assert replay.to_tick(middle) == replay.to_tick(f"{middle}t") == middle
    if replay.info.clock is not None:
        assert (
            replay.to_tick(replay.info.clock.seconds(middle) + 0.5 / replay.info.clock.ticks_per_second) == middle
        )
    clock = replay.clock
    shown = None if clock is None else clock.displayed(middle)
    if clock is not None and shown is not None:
        assert clock.displayed(replay.to_tick(shown)) == shown
    assert "expected" in _refusal(ValueError, lambda: replay.to_tick("soon"))
    if "moment" in replay.capabilities:
        assert replay.at(middle) is not None
        assert replay.at(f"{middle}t") is not None


def moments_have_one_shape(subject: Subject) -> None:
    """`at` gives a `Moment`: rows of players and units with the promised keys, JSON-ready, raw state below."""
    replay = subject.replay
    if "moment" not in replay.capabilities:
        return
    last = replay.info.duration_ticks or 0
    numbers = {player.player for player in replay.players}
    seen = False
    for tick in (0, last // 2, last):
        moment = replay.at(tick)
        assert isinstance(moment, Moment), f"at gives a {type(moment).__name__}"
        assert moment.tick == tick
        assert moment.raw is not None
        assert moment.clock is None or moment.clock.label in (GAME_TIME, RECORDING_TIME)
        if replay.info.clock is not None:
            assert moment.seconds is not None
            assert abs(moment.seconds - replay.info.clock.seconds(tick)) < 1e-6
        for rows, promised in ((moment.players, Moment.PLAYER_KEYS), (moment.unit_counts, Moment.UNIT_KEYS)):
            assert all(tuple(row)[: len(promised)] == promised for row in rows), promised
            assert len({tuple(row) for row in rows}) <= 1, "rows have the same keys"
            assert {row["player"] for row in rows} <= numbers | {None}
        assert moment.resources.keys() <= numbers
        assert all(isinstance(held, Mapping) for held in moment.resources.values())
        assert json.loads(to_json(moment.as_dict()))["tick"] == tick
        assert len(repr(moment)) < 200, "a prompt shows a line"
        seen = seen or bool(moment.players)
    assert seen, "somebody is there at some time"


def moments_that_are_not_there_are_refused(subject: Subject) -> None:
    """`at` before the first tick or behind the last raises ValueError that says what there is."""
    replay = subject.replay
    last = replay.info.duration_ticks
    if "moment" not in replay.capabilities or last is None:
        return
    assert replay.at(last).tick == last
    for when in (last + 10**6, f"{last + 10**6}t", -(10**6)):
        assert f"to {last}" in _refusal(ValueError, lambda when=when: replay.at(when))  # type: ignore[misc]


def a_replay_pickles(subject: Subject) -> None:
    """A replay that was pickled, as for another process, is the same recording, from a path and from bytes."""
    for replay in (subject.open(), subject.open(subject.data)):
        again = pickle.loads(pickle.dumps(replay))
        assert type(again) is type(replay)
        assert (again.name, again.info, again.players) == (replay.name, replay.info, replay.players)
        for name, table in again.read_tables().items():
            assert table.equals(subject.tables[name]) or name == "info", name


def a_replay_closes(subject: Subject) -> None:
    """A replay is a context manager; closed, it raises `ClosedReplay`, and what it gave stays usable."""
    with subject.open() as replay:
        table = replay.table("players")
    assert replay.closed
    assert table.equals(subject.tables["players"])
    uses: tuple[Callable[[], object], ...] = (
        lambda: replay.info,
        lambda: replay.players,
        lambda: replay.problems,
        lambda: replay.table("players"),
        lambda: replay.read_tables(),
        lambda: replay.verify(),
        lambda: replay.name,
        lambda: list(replay.batches("players")),
        lambda: replay.export(subject.folder / "closed"),
        lambda: pickle.dumps(replay),
        replay.__enter__,
        *([lambda: replay.at(0)] if "moment" in replay.capabilities else []),
        *([lambda: list(replay.events())] if subject.replay.event_kinds else []),
    )
    for use in uses:
        assert subject.path.name in _refusal(ClosedReplay, use)
    assert "closed" in repr(replay)
    replay.close()


def threads_get_what_one_would(subject: Subject) -> None:
    """Eight threads that ask one replay for everything at once get what a single one gets."""
    replay = subject.open()
    last = replay.info.duration_ticks or 0
    ticks = [last * step // 7 for step in range(8)] if "moment" in replay.capabilities else []
    moments = {tick: subject.replay.at(tick).as_dict() for tick in ticks}
    events = [(event.tick, event.kind, event.player) for event in subject.replay.events()]
    names = list(subject.tables)
    start = Barrier(8)

    def ask(number: int) -> None:
        start.wait()
        for tick in ticks[number:] + ticks[:number]:
            assert replay.at(tick).as_dict() == moments[tick], f"moment at {tick}"
        for name in names[number:] + names[:number]:
            assert replay.table(name).equals(subject.tables[name]), name
        assert [(event.tick, event.kind, event.player) for event in replay.events()] == events
        assert (replay.info, replay.players) == (subject.replay.info, subject.replay.players)
        assert replay.problems == ()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))


def capabilities_are_kept(subject: Subject) -> None:
    """What `capabilities` lists works on the sample; everything else is refused with a text that says so."""
    replay = subject.replay
    middle = (replay.info.duration_ticks or 0) // 2
    written = subject.folder / "written"
    attempts: dict[str, Callable[[], object]] = {
        "moment": lambda: replay.at(middle).as_dict(),
        "messages": lambda: next(replay.messages()),
        "game_events": lambda: list(replay.game_events()),
        "entities": lambda: replay.entity_table("*"),
        "schema": lambda: replay.table("schema"),
        "slice": lambda: replay.write_slice(written, 0, middle),
        "anonymize": lambda: replay.write_anonymized(written, salt="salt"),
        "map": lambda: _refusal(ReplayError, lambda: replay.read_map(b"no map of any game")),
        "patterns": lambda: json.dumps(replay.patterns()),
        "runs": lambda: json.dumps(replay.runs()),
    }
    assert attempts.keys() == CAPABILITIES.keys()
    assert replay.capabilities <= CAPABILITIES.keys()
    assert ("schema" in replay.capabilities) == ("schema" in replay.tables)
    for name, attempt in attempts.items():
        if name in replay.capabilities:
            attempt()
        elif name != "schema":
            assert f"a {subject.format} replay cannot" in _refusal(NotImplementedError, attempt), name
        if written.exists():
            copy = subject.open(written.read_bytes())
            assert copy.format == subject.format, name
            assert copy.problems == (), name
            written.unlink()


def what_is_exported_is_the_table(subject: Subject) -> None:
    """Parquet files hold the very tables, with their schemas; the text formats all their rows."""
    import pyarrow.parquet as pq

    paths = subject.replay.export(subject.folder / "parquet")
    assert {path.stem for path in paths} == set(subject.tables)
    for path in paths:
        read = pq.read_table(path)
        promised = subject.tables[path.stem].schema
        assert read.schema.equals(promised), path.name
        assert read.schema.metadata == promised.metadata, path.name
        for field in promised:
            kept = read.schema.field(field.name).metadata
            assert (kept[b"doc"], kept[b"unit"]) == (field.metadata[b"doc"], field.metadata[b"unit"]), path.name
        assert read.equals(subject.tables[path.stem]), path.name
    for path in subject.replay.export(subject.folder / "ndjson", format="ndjson", tables=list(subject.tables)[:4]):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert len(rows) == subject.tables[path.stem].num_rows, path.name


def a_cut_recording_says_so(subject: Subject) -> None:
    """Of a file that ends early, what came before is there and `problems` says so; strict reading raises."""
    size = len(subject.data)
    for number in range(1, subject.damages + 1):
        cut = subject.data[: size * number // (subject.damages + 1)]
        found = _outcome(subject, cut)
        assert isinstance(found, ReplayError) or found.problems or not found.info.complete, f"cut at {len(cut)}"
        try:
            strict = subject.open(cut, strict=True)
            strict.read_tables()
            complete = not strict.problems and strict.info.complete
        except ReplayError:
            continue
        assert not complete, f"strict reading took a file cut at {len(cut)} for a whole one"


def damage_gives_typed_errors_only(subject: Subject) -> None:
    """Whatever bytes are wrong, nothing but a `ReplayError` comes out, and only where nothing can be read."""
    for data in _damaged(subject):
        _outcome(subject, data)


def _damaged(subject: Subject) -> Iterator[bytes]:
    choose = random.Random(subject.format)
    for _ in range(subject.damages):
        data = bytearray(subject.data)
        for _ in range(choose.choice((1, 4, 40))):
            data[choose.randrange(len(data))] = choose.randrange(256)
        yield bytes(data)


def _outcome(subject: Subject, data: bytes) -> Replay | ReplayError:
    """All of it read; what escapes but a `ReplayError` is a broken promise."""
    try:
        replay = subject.open(data)
        replay.read_tables()
        for _ in replay.events():
            pass
        replay.problems  # noqa: B018
    except ReplayError as error:
        return error
    return replay


def the_sample_is_deterministic(subject: Subject) -> None:
    """``write_sample`` writes the same bytes each time."""
    folder = subject.folder / "again"
    folder.mkdir(exist_ok=True)
    assert Subject.sample(subject.format, folder).data == Subject.sample(subject.format, subject.folder).data


#: Every promise; each takes a `Subject` and raises AssertionError.
PROMISES: tuple[Callable[[Subject], Any], ...] = (
    is_recognised_by_its_content,
    info_is_typed,
    players_are_typed,
    schemas_are_versioned_and_documented,
    shared_tables_are_the_same_in_every_format,
    players_have_one_type,
    tables_are_as_promised,
    players_of_tables_are_known,
    chat_has_names,
    what_is_never_null_is_not,
    seconds_are_ticks_by_the_rate,
    a_table_alone_is_the_same,
    batches_are_the_table,
    a_sound_recording_has_no_problems,
    opening_is_lazy,
    events_are_in_time_order,
    events_are_chosen_by_kind,
    a_moment_is_told_in_many_ways,
    moments_have_one_shape,
    moments_that_are_not_there_are_refused,
    a_replay_pickles,
    a_replay_closes,
    threads_get_what_one_would,
    capabilities_are_kept,
    what_is_exported_is_the_table,
    a_cut_recording_says_so,
    damage_gives_typed_errors_only,
    the_sample_is_deterministic,
)
