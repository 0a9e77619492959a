"""What all tables of facts have in common."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as
from tests.samples.source2.dota2 import SampleMessages
from tests.samples.source2.match_demo import match_demo

from playhead.dota2.facts import TABLES
from playhead.dota2.replay import Dota2Replay
from playhead.tables.schema import TableSchema

SCHEMAS = [TABLES.schemas()[name] for name in TABLES.own()]


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.name)
def test_every_table_of_the_sample_has_rows(sample: Any, schema: TableSchema) -> None:
    table = sample.replay.table(schema.name)
    assert table.num_rows > 0
    assert table.schema.equals(schema.arrow())


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.name)
def test_times_are_those_of_the_ticks(sample: Any, schema: TableSchema) -> None:
    if "seconds" not in schema.column_names:
        return
    table = sample.replay.table(schema.name)
    for tick, seconds in zip(table["tick"].to_pylist(), table["seconds"].to_pylist(), strict=True):
        assert seconds == (None if tick is None or tick < 0 else pytest.approx(tick / 30))


def test_names_of_tables_are_unique() -> None:
    names = [schema.name for schema in SCHEMAS]
    assert len(set(names)) == len(names)


def test_the_documentation_has_every_table() -> None:
    text = (Path(__file__).parents[2] / "docs" / "dota2.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`(\w+)`", "\n".join(line for line in text.splitlines() if line.startswith("| `"))))
    assert {schema.name for schema in SCHEMAS} - listed == set()


def test_together_is_the_same_as_one_by_one(sample: Any) -> None:
    import playhead

    names = ["combat_log", "orders", "draft", "periods", "wards"]
    together = playhead.open(sample.data).read_tables(names)
    for name in names:
        assert together[name].equals(playhead.open(sample.data).table(name)), name


def test_unfilled_columns_have_reasons(sample: Any) -> None:
    unfilled = sample.replay.unfilled
    assert unfilled["combat_log.spell_evaded"] == "no entry of the combat log carries it"
    assert "12 minutes" in unfilled["lanes.position"]
    assert "no player made the recording" in unfilled["inputs.mouse_x"]


def test_a_recording_without_combat_log_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = SampleMessages()
    monkeypatch.setattr(messages.combat_log, "at", lambda tick, match: [])
    replay = open_as(Dota2Replay, match_demo(1.0, messages=messages)[0])
    why = replay.why_empty("fights", "damage", "item_events", "kills", columns=True)
    assert replay.table("kills").num_rows
    for name in ("fights", "damage", "item_events", "kills.attacker_player"):
        assert why[name].startswith("the recording has no combat log"), name


def test_a_recording_with_combat_log_lacks_none(sample: Any) -> None:
    assert not [why for why in sample.replay.unfilled.values() if "has no combat log" in why]
