"""Patch day: fields are renamed, added and retyped, messages and classes renumbered. Only changed data is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.many import many
from tests.opened import open_as
from tests.samples.source2.encoding import encode_class_names, encode_send_tables
from tests.samples.source2.match_schema import declare_field

from playhead.source2.container.frames import CLASS_INFO, SEND_TABLES
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.replay import Source2Replay
from playhead.source2.schema.send_tables import SendTables, Serializer, SerializerField
from playhead.source2.writing.demo import DemoWriter, InnerMessage, create_string_table
from playhead.source2.writing.entities import ClassWriter, EntityMessage

TICKS = range(2, 40, 2)
FULL = 20
UNKNOWN_NUMBER = 4711


@dataclass(frozen=True)
class Game:
    """Declarations of a build, the encodings of its values, and its additional messages.

    Attributes:
        fields: fields of each class, in order; classes are numbered in this order too.
        written: declarations for writing, by field name, if they differ: unknown encodings.
        names: current names of the fields of the first build; None is removed.
        said: messages of every packet.
        brief: the tick in which CNew's entity exists; None: it always exists.
    """

    fields: tuple[tuple[str, tuple[SerializerField, ...]], ...]
    written: tuple[SerializerField, ...] = ()
    names: tuple[tuple[str, str | None], ...] = ()
    said: tuple[InnerMessage, ...] = ()
    chat_number: int = Engine.SAY_TEXT_2
    brief: int | None = None


FIRST = Game(
    (
        (
            "CUnit",
            (
                declare_field("m_iHealth int32"),
                declare_field("m_flMana float32"),
                declare_field("m_szName CUtlString"),
                declare_field("m_vecVelocity Vector"),
            ),
        ),
        ("COther", (declare_field("m_iScore uint32"), declare_field("m_bAlive bool"))),
    )
)


def value(name: str, tick: int) -> Any:
    """Return the value of a field of the first build at a tick."""
    return {
        "m_iHealth": 100 + tick,
        "m_flMana": tick / 2,
        "m_szName": f"unit {tick}",
        "m_vecVelocity": (float(tick), -1.0, 0.5),
        "m_iScore": tick * 3,
        "m_bAlive": tick % 4 == 0,
    }.get(name, tick)


def recording(game: Game) -> Source2Replay:
    """Return a recording by that build: an entity of each class, whose fields change in every packet."""
    declared = [Serializer(name, 0, fields) for name, fields in game.fields]
    by_name = {field.name: field for field in game.written}
    meant = SendTables(
        {
            (name, 0): Serializer(name, 0, tuple(by_name.get(field.name, field) for field in fields))
            for name, fields in game.fields
        }
    )
    classes = {name: ClassWriter(number, name, meant) for number, (name, _) in enumerate(game.fields)}
    was = {now: before for before, now in game.names}
    bits = len(classes).bit_length()
    out = DemoWriter({"build_num": 20000, "game_directory": "/srv/other/game"})
    info = {"max_classes": len(classes), "tick_interval": 1 / 30}
    baselines = [(at, str(at).encode(), writer.encode_baseline({})) for at, writer in enumerate(classes.values())]
    out.signon(
        [
            (Engine.SERVER_INFO, wire.encode("CSVCMsg_ServerInfo", info)),
            create_string_table("instancebaseline", baselines),
        ]
    )
    out.frame(SEND_TABLES, -1, encode_send_tables(declared))
    out.frame(CLASS_INFO, -1, encode_class_names({writer.class_id: name for name, writer in classes.items()}))
    out.sync_tick()

    def state(tick: int, *, delta: bool) -> InnerMessage:
        message = EntityMessage(bits, delta=delta)
        # New classes follow known ones: an undecodable entity ends its message.
        for number, (name, fields) in enumerate(sorted(game.fields, key=lambda each: each[0] == "CNew")):
            values = {field.name: value(was.get(field.name) or field.name, tick) for field in fields}
            if name == "CNew" and game.brief is not None:
                if tick == game.brief:
                    message.create(10 + number, 1, classes[name], values)
                elif tick == game.brief + TICKS.step:
                    message.delete(10 + number)
            elif delta:
                message.update(10 + number, classes[name], values)
            else:
                message.create(10 + number, 1, classes[name], values)
        return message.encode()

    line = wire.encode("CUserMessageSayText2", {"entityindex": 1, "chat": True, "param1": "a", "param2": "hello"})
    for tick in TICKS:
        said = [*game.said, (game.chat_number, line)]
        out.packet(tick, [state(tick, delta=tick != TICKS[0]), *said])
        if tick == FULL:
            out.full_packet(tick, [], [state(tick, delta=False)])
    return open_as(Source2Replay, out.finish(TICKS[-1], {"playback_ticks": TICKS[-1]}))


def _class(game: Game, name: str, change: Callable[[tuple[SerializerField, ...]], Any]) -> Game:
    fields = tuple((each, tuple(change(found)) if each == name else found) for each, found in game.fields)
    return replace(game, fields=fields)


def renamed(game: Game) -> Game:
    """Rename a field."""
    game = replace(game, names=(*game.names, ("m_iHealth", "m_nLife")))
    return _class(
        game,
        "CUnit",
        lambda fields: [f._replace(name={"m_iHealth": "m_nLife"}.get(f.name, f.name)) for f in fields],
    )


def added(game: Game) -> Game:
    """Add a field at the front, which renumbers the others."""
    return _class(game, "CUnit", lambda fields: [declare_field("m_nNew uint32"), *fields])


def retyped(game: Game) -> Game:
    """Turn a 32-bit number into a 64-bit one."""
    kind = declare_field("m_iScore uint64")
    return _class(game, "COther", lambda fields: [kind if f.name == "m_iScore" else f for f in fields])


def removed(game: Game) -> Game:
    """Remove a field."""
    game = replace(game, names=(*game.names, ("m_flMana", None)))
    return _class(game, "CUnit", lambda fields: [f for f in fields if f.name != "m_flMana"])


def new_class(game: Game) -> Game:
    """Declare a class before the others, which renumbers them."""
    return replace(game, fields=(("CNew", (declare_field("m_nFresh uint32"),)), *game.fields))


def new_type(game: Game) -> Game:
    """Give a field an unknown type, encoded as a number like nearly all unknown types."""
    return _class(game, "COther", lambda fields: [*fields, declare_field("m_nOdd EFromTheFuture_t")])


def new_message(game: Game) -> Game:
    """Send messages of a number without a definition."""
    return replace(game, said=((UNKNOWN_NUMBER, b"\x08\x01new"),))


PATCHES = (renamed, added, retyped, removed, new_class, new_type, new_message)


def check(game: Game, replay: Source2Replay) -> None:
    """Check that every field of the first build has its values under its current name, at every tick."""
    now_called = dict(game.names)
    for name, fields in FIRST.fields:
        table = replay.entity_table(name)
        assert set(table["tick"].to_pylist()) == set(TICKS)
        for field in fields:
            called = now_called.get(field.name, field.name)
            if called is None:
                assert field.name not in table.column_names
                continue
            found = dict(zip(table["tick"].to_pylist(), table[called].to_pylist(), strict=True))
            expected = {tick: value(field.name, tick) for tick in TICKS}
            assert {t: tuple(v) if isinstance(v, list) else v for t, v in found.items()} == expected, called
    named = [f"of the unknown number {UNKNOWN_NUMBER}, " in problem.what for problem in replay.problems]
    assert named == ([True] if _unknown_rows(replay) else [])


def test_the_first_build_is_read_whole() -> None:
    replay = recording(FIRST)
    check(FIRST, replay)
    assert replay.table("chat").num_rows == len(TICKS)


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.__name__)
def test_one_change(patch: Callable[[Game], Game]) -> None:
    game = patch(FIRST)
    assert game != FIRST
    check(game, recording(game))


@pytest.mark.slow_interpreted
@given(st.lists(st.sampled_from(PATCHES), unique=True))
@many(0.5)
def test_changes_together(patches: list[Callable[[Game], Game]]) -> None:
    game = FIRST
    for patch in patches:
        game = patch(game)
    check(game, recording(game))


def test_a_removed_field_is_an_error_by_name() -> None:
    replay = recording(renamed(FIRST))
    with pytest.raises(KeyError, match="m_iHealth"):
        replay.entity_table("CUnit", ["m_iHealth"])
    assert replay.entity_table("CUnit", ["m_nLife"]).num_rows


def _unknown_rows(replay: Source2Replay) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = replay.table("user_messages").to_pylist()
    return [row for row in rows if row["message_id"] == UNKNOWN_NUMBER]


def test_a_message_of_an_unknown_number_is_kept_raw() -> None:
    replay = recording(new_message(FIRST))
    rows = _unknown_rows(replay)
    assert [row["tick"] for row in rows] == list(TICKS)
    assert {row["data"] for row in rows} == {b"\x08\x01new"}
    check(FIRST, replay)
    assert replay.table("chat").num_rows == len(TICKS)


def test_a_message_that_was_renumbered_is_lost_alone_and_kept_raw() -> None:
    replay = recording(replace(FIRST, chat_number=UNKNOWN_NUMBER))
    check(FIRST, replay)
    assert replay.table("chat").num_rows == 0
    assert len(_unknown_rows(replay)) == len(TICKS)


def test_an_unknown_encoding_loses_entities_up_to_the_next_full_packet() -> None:
    """A value of unknown size hides all data after it, and all changes that build on it."""
    brief = 10
    odd = ("CNew", (declare_field("m_odd CTransform"),))
    game = replace(FIRST, fields=(*FIRST.fields, odd), written=(declare_field("m_odd uint32"),), brief=brief)
    replay = recording(game)
    table = replay.entity_table("CUnit")
    found = dict(zip(table["tick"].to_pylist(), table["m_iHealth"].to_pylist(), strict=True))
    sound = [tick for tick in TICKS if tick < brief or tick > FULL]
    assert {tick: found.get(tick) for tick in sound} == {tick: value("m_iHealth", tick) for tick in sound}
    assert all(found[tick] == value("m_iHealth", tick) for tick in found), "what is seen is right"
    assert replay.table("chat").num_rows == len(TICKS)
    (problem,) = replay.problems
    assert (problem.tick, problem.kind) == (brief, "UnsupportedVersion")
    assert "CNew" in problem.what
    assert "m_odd" in problem.what
    assert problem.cost == "entities up to the next full packet"
