"""A field or a value of an event that facts read has another name or type: rows vanish only with a problem."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from tests.samples.dota2_match.recording import written as written_dota2
from tests.samples.patch_day import SHORT_MATCHES, fields_read, other_type, other_value, renamed, renamed_in
from tests.samples.source2 import dota2, match_schema
from tests.samples.source2.cs2_match.demo import write_cs2_match
from tests.samples.source2.cs2_match.events import EVENTS
from tests.samples.source2.deadlock.recording import WrittenMatch

import playhead
from playhead.source2.games import GAMES
from playhead.source2.messages import wire
from playhead.source2.replay import Source2Replay
from playhead.source2.schema.send_tables import SerializerField
from playhead.source2.writing.demo import DemoWriter

MATCHES: Mapping[str, Callable[[], bytes]] = {
    "cs2": lambda: write_cs2_match(0.5).data,
    "deadlock": lambda: WrittenMatch(2).demo(),
    "dota2": lambda: written_dota2(4)[0],
}
#: Fields whose rows were once lost in silence: a table asked for no field once this one was missing.
LOST_ONCE: Mapping[str, tuple[str, ...]] = {
    "cs2": (),
    "deadlock": ("m_pModifierProp", "m_bvEnabledStateMask", "m_iRemainingCharges"),
    "dota2": (),
}
OTHERWISE = frozenset(("m_vecImbuedAbilities", "m_nPlayerOwnerID"))
begin = DemoWriter.__init__
#: Only some of a long test's cases run without ``--whole``.
FEWER = 15


@cache
def match(game: str, *, short: bool = False) -> tuple[bytes, dict[str, int], list[str]]:
    """Return a written match, the number of rows of its tables, and the fields that they read."""
    data = (SHORT_MATCHES if short else MATCHES)[game]()
    with playhead.open(data) as replay:
        return data, rows_of(replay), fields_read(replay)


def rows_of(replay: playhead.Replay) -> dict[str, int]:
    return {name: table.num_rows for name, table in replay.read_tables(None).items()}


def check(data: bytes, game: str, what: str, *, short: bool = False) -> tuple[playhead.Problem, ...]:
    """Check that a patched match is read without an exception, and that a table without its rows has a problem;
    return the problems."""
    _, rows, _ = match(game, short=short)
    with playhead.open(data) as replay:
        found = rows_of(replay)
        lost = {name: (rows[name], found[name]) for name in rows if found[name] < rows[name]}
        assert not lost or replay.problems, f"{what}: {lost}"
        assert len(list(replay.events())) == found["events"]
        assert isinstance(replay.players, tuple)
        return replay.problems


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("game", MATCHES)
def test_every_field_under_another_name(game: str, step: int) -> None:
    """Those in `OTHERWISE` have another name in some class of the match, by which they are found."""
    data, _, fields = match(game)
    assert len(fields) > 100
    chosen = dict.fromkeys((*islice(fields, 0, None, step * FEWER if step > 1 else 1), *LOST_ONCE[game]))
    for field in chosen.keys() - GAMES[game].former:
        problems = check(renamed(data, field, f"{field}New"), game, field)
        assert field in OTHERWISE or any(f"field {field}" in each.what for each in problems), field


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("name", ["dota2_build9912_10bots.dem", "dota2_pov.dem", "deadlock_10423.dem"])
def test_every_field_of_a_real_recording_under_another_name(corpus: Path, name: str, step: int) -> None:
    path = corpus / "source2" / name
    with playhead.open(path) as replay:
        assert isinstance(replay, Source2Replay)
        serializers = replay.recording.send_tables.serializers.values()
        declared = {field.name for each in serializers for field in each.fields} - GAMES[replay.info.game].former
        fields = [field for field in fields_read(replay) if field in declared]
    assert len(fields) > 90
    for field in fields[::step]:
        with playhead.open(renamed(path, field, f"{field}New")) as replay:
            assert any(f"field {field}" in each.what or f".{field} " in each.what for each in replay.problems), (
                field
            )


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize(
    ("game", "table", "field"),
    [
        ("cs2", "CCSTeam", "m_iTeamNum"),
        ("cs2", "CCSPlayerPawn", "m_lifeState"),
        ("dota2", "CDOTAPlayerController", "m_nPlayerID"),
        ("deadlock", "CNPC_Trooper", "m_iHealth"),
    ],
)
def test_a_field_under_another_name_in_one_class(game: str, table: str, field: str) -> None:
    """Others declare it under its name."""
    with playhead.open(renamed_in(SHORT_MATCHES[game](), table, field)) as replay:
        told = [each.what for each in replay.problems]
    assert f"expected field {field} of class {table}, found it in other classes only" in told


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("game", ["cs2", "deadlock"])
def test_a_broadcast_names_no_build(game: str) -> None:
    """If it lacks few of the names of the newest build, each of them is a problem."""
    with patch.object(DemoWriter, "__init__", without_build):
        data = SHORT_MATCHES[game]()
        with other_value("player_death", "weapon", name="weapon_new"):
            other = SHORT_MATCHES[game]()
        changed = renamed(data, "m_iHealth", "m_iHealthNew")
    with playhead.open(data) as replay:
        assert replay.info.build is None
        assert replay.problems == ()
    with playhead.open(changed) as replay:
        assert any("field m_iHealth," in each.what for each in replay.problems)
    with playhead.open(other) as replay:
        assert game != "cs2" or any("value weapon of game event player_death" in e.what for e in replay.problems)


def without_build(writer: DemoWriter, header: Mapping[str, Any], *rest: Any, **others: Any) -> None:
    """Begin a demo whose header has no build."""
    begin(writer, {key: value for key, value in header.items() if key != "build_num"}, *rest, **others)


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("kind", ["float32", "bool", "CUtlString"])
@pytest.mark.parametrize("game", MATCHES)
def test_every_field_of_another_type(game: str, kind: str, step: int) -> None:
    """Fields that the writers cannot write as that type (tables, vectors, handles as text) are left out."""
    fields, tried = match(game, short=True)[2], 0
    for field in islice((*fields[3:], *fields[:3]), 0, None, 7 * step * FEWER if step > 1 else 1):
        try:
            with other_type(field, kind):
                data = SHORT_MATCHES[game]()
        except (KeyError, TypeError):
            continue
        tried += 1
        check(data, game, f"{field} as {kind}", short=True)
    assert tried


#: Types, and others of the same kind whose values are as long or longer.
ALIKE = (
    (r"u?int(8|16)|int32", "int64"),
    (r"uint32", "uint64"),
    (r"CHandle< .* >", "CEntityHandle"),
    (r"CNetworkUtlVectorBase< CHandle< .* > >", "CNetworkUtlVectorBase< CEntityHandle >"),
    (r"CUtlSymbolLarge|char\[\d+\]", "CUtlString"),
    (r"GameTime_t", "float32"),
    (r"QAngle", "Vector"),
    (r"Vector", "VectorWS"),
)


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("game", MATCHES)
def test_all_fields_as_other_types_of_their_kinds(game: str) -> None:
    """Tables are equal, and no problem is listed. Quantized floats have other values then, and are left out."""
    declare, changed = match_schema.declare_field, set[str]()
    with playhead.open(SHORT_MATCHES[game]()) as replay:
        fields, whole = set(fields_read(replay)), replay.read_tables(None)

    def declared(text: str, **others: Any) -> SerializerField:
        field = declare(text, **others)
        for pattern, kind in ALIKE:
            if field.name in fields and field.encoder is None and re.fullmatch(pattern, str(field.type)):
                changed.add(field.name)
                return declare(f"{text.split()[0]} {kind}", **others)
        return field

    with patch.object(match_schema, "declare_field", declared):
        data = SHORT_MATCHES[game]()
    assert len(changed) > 40
    with playhead.open(data) as replay:
        assert replay.problems == ()
        for name, table in replay.read_tables(None).items():
            of_bytes = name in ("frames", "messages", "schema", "string_tables", "entity_changes")
            assert of_bytes or str(table.to_pylist()) == str(whole[name].to_pylist()), name


def values() -> Iterator[tuple[str, str]]:
    return ((event, value) for event, types in EVENTS._events.items() for value in types)


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_every_value_of_an_event(step: int) -> None:
    """Under another name, and as another type."""
    for number, (event, value) in enumerate(values()):
        if step > 1 and number % (step * 2 * FEWER):
            continue
        kind = ("string", "float", "long")[number % 3]
        for name, other in ((f"{value}_new", None), (None, kind)):
            with other_value(event, value, name=name, kind=other):
                data = MATCHES["cs2"]()
            with playhead.open(data) as replay:
                found = rows_of(replay)
                assert found["game_events"] == match("cs2")[1]["game_events"], f"{event}.{value}"
                told = any(f"value {value} of game event {event} " in each.what for each in replay.problems)
                changed = name is not None or other != EVENTS._events[event][value]
                assert told == (changed and event in GAMES["cs2"].events_read), f"{event}.{value}"


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_strict_reading_raises_what_facts_throw() -> None:
    with other_type("m_ArmorValue", "bool"):
        data = MATCHES["cs2"]()
    with playhead.open(data) as replay:
        assert replay.read_tables(["kills", "damage"])["kills"].num_rows == match("cs2")[1]["kills"]
        (problem, *_) = [each for each in replay.problems if each.kind == "FactError"]
        assert problem.where == "facts"
    with playhead.open(data, strict=True) as replay, pytest.raises(playhead.FactError, match="m_ArmorValue"):
        replay.table("damage")
    with playhead.open(data) as replay:
        moment = replay.at(0)
        assert (moment.players, moment.resources) == ((), {})
        assert any("the players of a moment" in each.cost for each in replay.problems_so_far)


@pytest.mark.long
def test_hostile_recordings_of_facts(corpus: Path) -> None:
    """Recordings whose tables once ended in exceptions, or lost rows without a word."""
    found = sorted((corpus / "hostile" / "facts").iterdir())
    for path in found:
        with playhead.open(path) as replay:
            assert replay.read_tables(None)["info"].num_rows == 1
            assert replay.problems or path.stem == "field_names", path.name
        with playhead.open(path) as replay:
            assert list(replay.events()) or replay.problems_so_far, path.name
    assert len(found) >= 12


@pytest.mark.slow_interpreted
@pytest.mark.parametrize("field", ["m_hItems", "m_iLevel", "m_hAbilities", "m_nCourierState", "m_iRuneType"])
def test_what_heroes_hold_under_another_name(field: str) -> None:
    """Tables of items, abilities, couriers and runes lose rows, but no column stays null."""
    with playhead.open(renamed(dota2.sample_demo()[0], field, f"{field}New")) as replay:
        replay.table("items_held")
        assert any(f"field {field}" in problem.what for problem in replay.problems)


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_counters_under_another_name_are_a_problem() -> None:
    """They are rows of `player_counters`, not columns, so no column stays null."""
    data = MATCHES["dota2"]()
    for build, counters in GAMES["dota2"].needed_since.items():
        assert build <= 9912
        for counter in counters[::7]:
            with playhead.open(renamed(data, counter, f"{counter}New")) as replay:
                assert any(f"field {counter}," in problem.what for problem in replay.problems), counter
    assert not {*GAMES["dota2"].needed(9000, ())} & {*GAMES["dota2"].needed_since[9358]}


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_fields_of_messages_under_another_number_or_as_another_kind() -> None:
    """Facts of the summary of a match become numbers of 0, not null."""
    keyed = wire._keyed
    for changed in (700 << 3, 1):

        def patched(message: str, game: str, more: int = changed) -> dict[str, Any]:
            known = keyed(message, game)
            if message != "CMsgMatchMetaDataContents.Players":
                return known
            key, field = known["kills"]
            return {**known, "kills": (key + more, field._replace(kind="double") if more == 1 else field)}

        with patch.object(wire, "_keyed", patched):
            data = WrittenMatch(0.5).demo()
        with playhead.open(data) as replay:
            replay.table("post_match")
            (problem, *_) = [each for each in replay.problems_so_far if each.kind == "FactError"]
            assert problem.where == "CMsgMatchMetaDataContents"
            assert "found match_info.players." in problem.what
