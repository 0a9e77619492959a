from __future__ import annotations

import lzma
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.samples.teehistorian import sample_bytes

import playhead
from playhead import CorruptReplay, ReplayError, TruncatedReplay
from playhead.teehistorian import write_sample
from playhead.teehistorian.stream.extensions import PlayerName, named_uuid
from playhead.teehistorian.stream.header import encode_header
from playhead.teehistorian.stream.messages import (
    ConsoleCommand,
    Drop,
    Extra,
    Finish,
    InputDiff,
    InputNew,
    Join,
    PlayerDiff,
    PlayerNew,
    PlayerOld,
    TickSkip,
)
from playhead.teehistorian.writing.writer import TeehistorianWriter


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> playhead.Replay:
    return playhead.open(write_sample(tmp_path_factory.mktemp("sample")))


def test_sample_is_always_the_same_and_sound(sample: playhead.Replay, tmp_path: Path) -> None:
    assert write_sample(tmp_path / "new").read_bytes() == sample_bytes()
    assert sample.problems == ()
    assert all(table.num_rows for table in sample.read_tables().values())


def test_info(sample: playhead.Replay) -> None:
    info = sample.info
    assert (info.game, info.version, info.build, info.map) == ("ddnet", "0.6, 20.1 (synthetic)", 22, "Tutorial")
    assert info.start_time == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert info.end_time is None
    assert (info.duration_ticks, info.ticks_per_second, info.duration_seconds) == (520, 50.0, 10.4)
    assert info.complete
    assert info.details["config"] == {"sv_tee_historian": "1"}
    assert "header_valid_utf8" not in info.details
    assert info.details["header_version"] == "2"
    assert not info.details.keys() & info.as_dict().keys()


def test_players_are_the_sessions(sample: playhead.Replay) -> None:
    assert [(p.player, p.name, p.clan, p.details["protocol"]) for p in sample.players] == [
        (0, "nameless tee", "play", 6),
        (1, "brownbear", "", 7),
        (2, "(1)nameless tee", "play", 6),
    ]
    details = sample.players[2].details
    assert (details["client"], details["connected"], details["names"]) == (1, [470, 472], ["(1)nameless tee"])


def test_sessions(sample: playhead.Replay) -> None:
    rows = sample.table("sessions").to_pylist()
    assert [(r["tick"], r["client"], r["end_tick"], r["reason"], r["protocol"]) for r in rows] == [
        (50, 0, 520, "Server shutdown", 6),
        (75, 1, 450, "Timeout", 7),
        (470, 1, 472, "Timeout Protection used", 6),
    ]
    assert [(r["took_over_player"], r["taken_over_ticks"]) for r in rows] == [(None, [472]), (None, []), (0, [])]
    assert {(r["known_by"], r["name_known_by"]) for r in rows} == {("join", "player_name")}
    assert rows[0]["seconds"] == 1.0


def test_messages_table_covers_the_file_without_gaps(sample: playhead.Replay) -> None:
    rows = sample.table("messages").to_pylist()
    ends = [row["offset"] + row["bytes"] for row in rows]
    assert [row["offset"] for row in rows[1:]] == ends[:-1]
    assert ends[-1] == len(sample.source.data)
    messages = Counter(row["message"] for row in rows)
    assert messages["join"] == messages["drop"] == 3
    assert messages["console_command"] == sample.table("commands").num_rows == 16
    assert messages["finish"] == 1
    assert rows[-1] == {
        "tick": 520,
        "seconds": 10.4,
        "message": "finish",
        "client": None,
        "player": None,
        "bytes": 1,
        "offset": ends[-1] - 1,
        "extension": None,
    }
    teams = [row for row in rows if row["extension"] == "teehistorian-player-team@ddnet.tw"]
    assert [(row["tick"], row["client"], row["message"]) for row in teams] == [
        (110, 0, "extra"),
        (110, 1, "extra"),
        (380, 0, "extra"),
        (450, 1, "extra"),
    ]
    assert None in [row["client"] for row in rows if row["message"] == "console_command"]


def test_positions_and_inputs_match_a_slow_reading_of_the_messages(sample: playhead.Replay) -> None:
    positions = []
    inputs = []
    at: dict[int, tuple[int, int]] = {}
    pressed: dict[int, tuple[int, ...]] = {}
    for tick, message in sample.messages():  # type: ignore[attr-defined]
        match message:
            case PlayerNew(cid, x, y):
                at[cid] = (x, y)
                positions.append((tick, x, y, cid, "appeared"))
            case PlayerDiff(cid, dx, dy):
                at[cid] = (at[cid][0] + dx, at[cid][1] + dy)
                positions.append((tick, *at[cid], cid, "moved"))
            case PlayerOld(cid):
                positions.append((tick, *at.pop(cid), cid, "gone"))
            case InputDiff(cid, values):
                pressed[cid] = tuple(a + b for a, b in zip(pressed[cid], values, strict=True))
                inputs.append((tick + 1, (tick + 1) / 50, "input", cid, tick, *pressed[cid], False))
            case _ if type(message).__name__ == "InputNew":
                pressed[message.cid] = message.values
                inputs.append((tick + 1, (tick + 1) / 50, "input", message.cid, tick, *message.values, False))
    table = sample.table("positions").drop_columns(["seconds", "player"]).to_pylist()
    assert [tuple(row.values()) for row in table] == positions
    assert [
        tuple(row.values()) for row in sample.table("inputs").drop_columns(["player", "wanted_weapon"]).to_pylist()
    ] == inputs
    assert {row["event"] for row in table} == {"appeared", "moved", "gone"}


def test_a_column_is_the_same_whichever_tables_are_asked_for_together(sample: playhead.Replay) -> None:
    together = sample.read_tables()
    alone = playhead.open(sample_bytes())
    for name in set(together) - {"info", "players"}:
        assert alone.table(name).equals(together[name])


def test_compressed_input_reads_the_same(sample: playhead.Replay) -> None:
    packed = playhead.open(lzma.compress(sample_bytes()))
    assert packed.table("positions").equals(sample.table("positions"))


def test_progress_reaches_the_end() -> None:
    seen: list[tuple[int, int]] = []
    replay = playhead.open(sample_bytes(), progress=lambda done, total: seen.append((done, total)))
    assert replay.problems == ()
    assert seen[-1] == (len(sample_bytes()), len(sample_bytes()))


def make(*messages: object) -> bytes:
    writer = TeehistorianWriter({"version": "2"})
    for message in messages:
        writer.write(message)  # type: ignore[arg-type]
    return writer.to_bytes()


def only_problem(data: bytes) -> playhead.Problem:
    replay = playhead.open(data)
    replay.read_tables()
    (problem,) = replay.problems
    with pytest.raises(ReplayError):
        playhead.open(data, strict=True).read_tables()
    strict = playhead.open(data, strict=True)
    for _ in range(2):  # strict stays strict
        with pytest.raises(ReplayError):
            strict.info  # noqa: B018
    return problem


def test_header_only() -> None:
    data = encode_header({"version": "2"})
    problem = only_problem(data)
    assert problem.kind == "TruncatedReplay"
    assert "FINISH" in problem.what
    assert problem.offset == len(data)
    info = playhead.open(data).info
    assert (info.complete, info.duration_ticks) == (False, 0)


def test_header_and_finish_is_whole() -> None:
    replay = playhead.open(make(Finish()))
    assert replay.problems == ()
    assert replay.info.complete
    assert replay.table("positions").num_rows == replay.table("inputs").num_rows == 0
    assert replay.table("messages").num_rows == 1


def test_no_finish() -> None:
    problem = only_problem(make(Join(0), TickSkip(4)))
    assert (problem.kind, problem.tick) == ("TruncatedReplay", 5)
    assert not playhead.open(make(Join(0), TickSkip(4))).info.complete


def test_trailing_bytes() -> None:
    data = make(Finish())
    problem = only_problem(data + b"more")
    assert (problem.kind, problem.offset) == ("CorruptReplay", len(data))
    assert "4 more bytes" in problem.what
    assert not playhead.open(data + b"more").info.complete


def test_records_that_change_what_is_not_there() -> None:
    data = make(
        TickSkip(0), PlayerDiff(1, 1, 1), PlayerOld(2), InputDiff(3, (1,) * 10), PlayerNew(4, 9, 9), Finish()
    )
    problem = only_problem(data)
    assert problem.tick == 1
    assert "2 records" in problem.what
    assert "1 change an input" in problem.what
    assert problem.cost == "3 rows of positions and inputs"
    replay = playhead.open(data)
    assert replay.table("positions").column("client").to_pylist() == [4]
    assert replay.table("inputs").num_rows == 0
    assert replay.table("messages").num_rows == 6


def test_damaged_extensions_are_one_problem_and_unknown_ones_none() -> None:
    unknown = Extra(named_uuid("new@mod.example"), b"\0\1")
    assert playhead.open(make(unknown, Finish())).problems == ()
    (row, _) = playhead.open(make(unknown, Finish())).table("messages").to_pylist()
    assert (row["message"], row["extension"]) == ("extra", str(unknown.uuid))
    problem = only_problem(make(Join(0), *[Extra(PlayerName.uuid, b"\0x")] * 2, Finish()))
    assert problem.kind == "CorruptReplay"
    assert problem.offset == len(make(Join(0)))
    assert problem.cost == "what 2 extension messages hold"


def test_a_bad_message_costs_everything_after_it_and_nothing_before() -> None:
    good = make(TickSkip(0), PlayerNew(0, 1, 2))
    data = good + b"\x4c" + make(Finish())[-1:]  # id -13
    problem = only_problem(data)
    assert (problem.kind, problem.offset, problem.tick) == ("CorruptReplay", len(good), 1)
    assert "the last 2 bytes" in problem.cost
    replay = playhead.open(data)
    assert replay.table("positions").num_rows == 1
    assert len(list(replay.messages())) == 2  # type: ignore[attr-defined]
    with pytest.raises(CorruptReplay):
        list(playhead.open(data, strict=True).messages())  # type: ignore[attr-defined]


def test_a_limit_on_messages() -> None:
    from playhead import Limits

    data = make(Extra(named_uuid("x"), bytes(100)), Finish())
    replay = playhead.open(data, limits=Limits(message=99))
    assert [p.kind for p in replay.problems] == ["LimitExceeded"]
    assert playhead.open(data, limits=Limits(message=100)).problems == ()


def test_strict_reading_of_a_cut_file_raises_truncated() -> None:
    with pytest.raises(TruncatedReplay):
        playhead.open(sample_bytes()[:-1], strict=True).table("sessions")


def only_inputs(*messages: object) -> list[tuple[int, ...]]:
    writer = TeehistorianWriter({"version": "2"})
    for message in (*messages, Finish()):
        writer.write(message)  # type: ignore[arg-type]
    replay = playhead.open(writer.to_bytes())
    assert replay.problems == ()
    names = ("tick", "recorded_tick", "client", "direction", "cursor_x", "replaces")
    return [tuple(row[name] for name in names) for row in replay.table("inputs").to_pylist()]


def ten(direction: int, cursor_x: int) -> tuple[int, ...]:
    return (direction, cursor_x, *[0] * 8)


def test_an_input_says_whether_it_replaces_another() -> None:
    messages = (
        TickSkip(0), InputNew(1, ten(1, 5)), InputNew(2, ten(0, 7)), InputDiff(1, ten(-1, 1)), TickSkip(0),
        InputDiff(1, ten(1, 1)), InputDiff(1, ten(0, 1)), InputDiff(1, ten(-2, 1)),
    )  # fmt: skip
    expected = [
        (2, 1, 1, 1, 5, False), (2, 1, 2, 0, 7, False), (2, 1, 1, 0, 6, True),
        (3, 2, 1, 1, 7, False), (3, 2, 1, 1, 8, True), (3, 2, 1, -1, 9, True),
    ]  # fmt: skip
    assert only_inputs(*messages) == expected
    assert only_inputs(InputNew(1, ten(1, 5)), InputNew(1, ten(1, 6)))[-1] == (1, 0, 1, 1, 6, True)
    assert only_inputs() == []


def test_inputs_go_on_over_a_reused_slot_and_wrap_around() -> None:
    top = (1 << 31) - 1
    messages = (
        Join(0), InputNew(0, ten(0, top)), Drop(0, ""), TickSkip(3), Join(0), InputDiff(0, ten(1, 1)),
        InputNew(0, ten(0, 3)), TickSkip(0), InputDiff(0, ten(0, -4)),
    )  # fmt: skip
    assert [row[:5] for row in only_inputs(*messages)] == [
        (1, 0, 0, 0, top + 1), (5, 4, 0, 1, -top - 1), (5, 4, 0, 0, 3), (6, 5, 0, 0, -1),
    ]  # fmt: skip


def test_what_is_unfilled_has_a_reason(sample: playhead.Replay) -> None:
    found = dict(sample.unfilled)
    assert found["inputs.wanted_weapon"] == "no input asks for a weapon by its number"
    assert not any(reason.startswith("none of") for reason in found.values()), found
    old = playhead.open(TeehistorianWriter({"version": "2", "uuids": []}).to_bytes())
    assert old.unfilled["runs"] == "servers record it since DDNet 18.3"


def test_numbers_of_any_size_are_rounded_and_words_stay_words() -> None:
    most = (1 << 31) - 1
    writer = TeehistorianWriter({"version": "2"})
    writer.set_tick(1)
    writer.tee_at(0, most, -most - 1)
    for tick, wanted in enumerate((0, 1, 6, 7, -5), 2):
        writer.set_tick(tick)
        writer.set_input(0, (0, most, -most, 0, 0, 0, 0, wanted, 0, 0))
    writer.record(Finish())
    replay = playhead.open(writer.to_bytes())
    (place,) = replay.table("positions").to_pylist()
    assert (place["x"], place["y"]) == (2.0**31, -(2.0**31))
    rows = replay.table("inputs").to_pylist()
    assert {(row["cursor_x"], row["cursor_y"]) for row in rows} == {(2.0**31, -(2.0**31))}
    assert [(row["wanted_weapon"], row["wanted_weapon_id"]) for row in rows] == [
        (None, 0),
        ("hammer", 1),
        ("ninja", 6),
        (None, 7),
        (None, -5),
    ]


def test_a_pause_of_the_server_is_a_period() -> None:
    writer = TeehistorianWriter({"version": "2"})
    for tick in (10, 60, 80):
        writer.set_tick(tick)
        writer.record(ConsoleCommand(-1, 4, "pause_game", ()))
    writer.record(Finish())
    rows = playhead.open(writer.to_bytes()).table("periods").to_pylist()
    assert [(row["kind"], row["number"], row["tick"], row["end_tick"]) for row in rows] == [
        ("game", 1, 0, 80),
        ("pause", 1, 10, 60),
        ("pause", 2, 80, None),
    ]
