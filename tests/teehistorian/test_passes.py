"""However a recording is looked at, it is not read more often than it must."""

from __future__ import annotations

import pytest
from tests.opened import open_as
from tests.samples.teehistorian import sample_bytes

import playhead
from playhead.teehistorian import passes as passes_module
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.state.driver import Driver
from playhead.teehistorian.tables import TABLES


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[Driver]:
    found: list[Driver] = []

    class Counted(Driver):
        def __init__(self, *args: object, **options: object) -> None:
            super().__init__(*args, **options)  # type: ignore[arg-type]
            found.append(self)

    monkeypatch.setattr(passes_module, "Driver", Counted)
    return found


def opened(**options: object) -> TeehistorianReplay:
    return open_as(TeehistorianReplay, sample_bytes(), **options)


def test_all_tables_problems_and_checks_cost_one_pass(passes: list[Driver]) -> None:
    replay = opened()
    replay.read_tables()
    assert replay.problems == ()
    replay.verify()
    assert replay.clients.connections
    assert len(passes) == 1


@pytest.mark.parametrize("names", [["sessions"], ["commands", "events"], ["positions", "runs", "net_messages"]])
def test_any_tables_cost_one_pass(passes: list[Driver], names: list[str]) -> None:
    replay = opened()
    replay.read_tables(names)
    replay.info  # noqa: B018
    assert replay.players
    assert replay.problems == ()
    assert len(passes) == 1


@pytest.mark.parametrize("names", [("positions", "inputs"), ("inputs", "positions")])
def test_positions_and_inputs_one_after_the_other_cost_one_pass(
    passes: list[Driver], names: tuple[str, str]
) -> None:
    replay = opened()
    for name in names:
        assert replay.table(name).equals(playhead.open(sample_bytes()).read_tables(names)[name])
    # One more for each comparison, which read both at once.
    assert len(passes) == 3


def test_a_large_recording_is_read_again_rather_than_kept(
    passes: list[Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes_module, "_BOTH_BELOW", 100)
    replay = opened()
    replay.table("positions")
    replay.table("inputs")
    assert len(passes) == 2


def test_sessions_after_any_pass_cost_none(passes: list[Driver]) -> None:
    replay = opened()
    replay.info  # noqa: B018
    replay.table("sessions")
    assert len(passes) == 1


def test_every_table_is_registered_by_its_collector() -> None:
    replay = opened()
    assert set(replay.tables) == {"info", "players", *TABLES.tables()}
    assert all(builder.schemas[0].name == name for name, builder in TABLES.tables().items())


def test_what_only_some_formats_can_do() -> None:
    assert TeehistorianReplay.capabilities >= {"anonymize", "messages", "moment", "slice"}
