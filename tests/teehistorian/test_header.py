from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

import playhead
from playhead import CorruptReplay, LimitExceeded, Limits, TruncatedReplay, UnknownFormat, UnsupportedVersion
from playhead.teehistorian.stream.extensions import named_uuid
from playhead.teehistorian.stream.header import MAGIC, Header, encode_header, read_header

FINISH = b"\x40"


def read(data: bytes, limits: Limits | None = None) -> Header:
    return read_header(memoryview(data), limits or Limits())


def test_magic_is_the_uuid_of_the_documented_name() -> None:
    assert named_uuid("teehistorian@ddnet.tw").bytes == MAGIC


def test_every_key_is_kept_and_numbers_in_quotes_are_numbers() -> None:
    fields = {"version": "2", "version_minor": "22", "mod_key": {"a": ["b"]}, "map_size": 555, "bad": "5x"}
    data = encode_header(fields)
    header = read(data + FINISH)
    assert header.fields == fields
    assert header.size == len(data)
    assert MAGIC + header.raw + b"\0" == data
    assert (header.version, header.version_minor) == (2, 22)
    assert (header.number("map_size"), header.number("bad"), header.number("absent")) == (555, None, None)
    assert (header.text("bad"), header.text("map_size")) == ("5x", None)


@pytest.mark.parametrize("text", ["99999999999", "2147483648", "-2147483649", "1" * 5000, "", "0x10"])
def test_numbers_beyond_32_bits_are_none(text: str) -> None:
    assert read(encode_header({"n": text})).number("n") is None


def test_unreleased_name_of_version_minor() -> None:
    assert read(encode_header({"minor_version": "3"})).version_minor == 3


@pytest.mark.parametrize(
    "text", ["2026-11-21 03:02:05 +0000", "2026-11-21T03:02:05+0000", "2026-11-21T05:02:05+0200"]
)
def test_both_date_formats(text: str) -> None:
    assert read(encode_header({"start_time": text})).start_time == datetime(2026, 11, 21, 3, 2, 5, tzinfo=UTC)


@pytest.mark.parametrize("value", ["yesterday", "", "0001-01-01T00:00:00+1400", 5, None])
def test_odd_dates_are_none(value: object) -> None:
    assert read(encode_header({"start_time": value})).start_time is None


def test_text_cut_inside_a_character_is_read_and_flagged() -> None:
    data = MAGIC + b'{"server_name":"\xe2\x9c","map_name":"m"}\0'
    header = read(data)
    assert header.text("server_name") == "\ufffd"
    assert header.raw == data[16:-1]
    assert not header.valid_utf8
    replay = playhead.open(data + FINISH)
    assert replay.problems == ()
    assert replay.info.details["header_valid_utf8"] is False
    assert "header_valid_utf8" not in playhead.open(encode_header({}) + FINISH).info.details


def test_lone_surrogates_do_not_reach_the_tables() -> None:
    data = MAGIC + rb'{"map_name":"a\ud800b","\udfff":"\ud83d\ude00"}' + b"\0" + FINISH
    replay = playhead.open(data)
    assert replay.info.map == "a\ufffdb"
    details = json.loads(replay.table("info").to_pylist()[0]["details"])
    assert details["\ufffd"] == "\U0001f600"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b'{"version":', CorruptReplay),
        (b"[1, 2]", CorruptReplay),
        (b"", CorruptReplay),
        (b'{"a":' + b"[" * 70 + b"]" * 70 + b"}", LimitExceeded),
        (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", LimitExceeded),
        (b'{"a":' + b"1" * 5000 + b"}", CorruptReplay),
    ],
)
def test_json_that_cannot_be_read_costs_only_the_fields(text: bytes, kind: type[Exception]) -> None:
    data = MAGIC + text + b"\0" + FINISH
    header = read(data)
    assert isinstance(header.problem, kind)
    assert (header.fields, header.raw) == ({}, text)
    replay = playhead.open(data)
    assert [(p.kind, p.where) for p in replay.problems] == [(kind.__name__, "header")]
    assert replay.info.complete
    with pytest.raises(kind):
        playhead.open(data, strict=True)


def test_no_zero_byte() -> None:
    with pytest.raises(TruncatedReplay, match="zero byte"):
        playhead.open(MAGIC + b'{"version":"2"}')
    with pytest.raises(LimitExceeded, match="header"):
        playhead.open(MAGIC + b" " * 100_000, limits=Limits(message=1000))


@pytest.mark.parametrize("version", ["3", "0", "x", 7, None])
def test_other_versions_are_refused(version: object) -> None:
    with pytest.raises(UnsupportedVersion, match="version 1 or 2"):
        playhead.open(encode_header({"version": version}))


def test_another_magic() -> None:
    with pytest.raises(UnknownFormat):
        read(b"\0" * 32)
