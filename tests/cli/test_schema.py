"""``playhead source2 schema``: listing, searching, comparing."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from tests.cli.in_process import run as playhead_command
from tests.samples.source2.encoding import encode_send_tables

from playhead.source2.container.frames import SEND_TABLES
from playhead.source2.schema.send_tables import Model, Serializer, SerializerField
from playhead.source2.schema.types import FieldType
from playhead.source2.writing.demo import DemoWriter

run = partial(playhead_command, "source2", "schema")


def _write(path: Path, *fields: SerializerField) -> Path:
    writer = DemoWriter({"game": "dota"})
    tables = [Serializer("Body", 0, ()), Serializer("Hero", 0, fields), Serializer("Hero", 2, fields[:1])]
    writer.frame(SEND_TABLES, -1, encode_send_tables(tables))
    path.write_bytes(writer.finish(1, {}))
    return path


HEALTH = SerializerField("m_iHealth", FieldType("int32"), Model.SCALAR)
MANA = SerializerField("m_flMana", FieldType("float32"), Model.SCALAR, bit_count=12, low=0.0, high=8192.0)
BODY = SerializerField("m_pBody", FieldType("CBodyComponent"), Model.TABLE, serializer=("Body", 0))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return _write(tmp_path / "old.dem", HEALTH, MANA, BODY)


def test_list(old: Path) -> None:
    outcome = run(old)
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout.splitlines() == [
        "Hero.m_iHealth  int32",
        "Hero.m_flMana  float32 bit_count=12 low=0.0 high=8192.0",
        "Hero.m_pBody  CBodyComponent -> Body",
        "Hero@2.m_iHealth  int32",
    ]


def test_grep(old: Path) -> None:
    assert run(old, "--grep", "Mana").stdout.startswith("Hero.m_flMana")
    assert run(old, "--grep", "Mana").stdout.count("\n") == 1
    assert run(old, "--grep", "nothing").stdout == ""


def test_compare(old: Path, tmp_path: Path) -> None:
    mana = SerializerField("m_flMana", FieldType("float32"), Model.SCALAR)
    new = _write(tmp_path / "new.dem", HEALTH, mana, SerializerField("m_iLevel", FieldType("uint8"), Model.SCALAR))
    outcome = run(old, new)
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout.splitlines() == [
        "- Hero.m_pBody  CBodyComponent -> Body",
        "+ Hero.m_iLevel  uint8",
        "~ Hero.m_flMana  float32 bit_count=12 low=0.0 high=8192.0  =>  float32",
    ]
    assert run(old, old).stdout == ""


@pytest.mark.long
def test_usage(old: Path, tmp_path: Path) -> None:
    assert run(old, old, old).returncode == 2
    assert run(tmp_path / "missing.dem").returncode == 1
    sample = subprocess.run(
        [sys.executable, "-m", "playhead", "sample", str(tmp_path)], check=True, capture_output=True
    )
    other = next(line for line in sample.stdout.decode().splitlines() if line.endswith(".teehistorian"))
    outcome = run(other)
    assert outcome.returncode == 2
    assert "cannot list the classes and fields" in outcome.stderr
