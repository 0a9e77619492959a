"""Detection by content, and errors that help."""

from __future__ import annotations

import importlib.metadata
from importlib.metadata import EntryPoint, EntryPoints

import pytest

import playhead
from playhead import registry
from playhead.registry import Format


@pytest.mark.parametrize(
    ("data", "looks_like"),
    [
        (b"", "an empty file"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "JPEG"),
        (b"PK\x03\x04rest", "ZIP"),
        (b"<!DOCTYPE html><p>404", "HTML page"),
        (b'{"error": 1}', "JSON"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        (b"TWDEMO\0\x06", "client demo"),
        (b"\0\0\0\x18ftypmp42", "MP4"),
        (bytes(100), "zero bytes"),
        (b"\x01\x02\x03\x04", "bytes 01 02 03 04"),
    ],
)
def test_what_is_no_replay_is_named(data: bytes, looks_like: str) -> None:
    with pytest.raises(playhead.UnknownFormat, match=looks_like) as caught:
        playhead.open(data)
    assert "<bytes>" in str(caught.value)
    for known in playhead.list_formats():
        assert known.title in str(caught.value)


@pytest.mark.parametrize("known", registry.BUILTIN_FORMATS, ids=lambda known: known.name)
def test_a_bare_magic_is_an_error_of_its_format(known: Format) -> None:
    for magic in known.magics:
        with pytest.raises(playhead.ReplayError) as caught:
            playhead.open(magic)
        assert caught.value.file == "<bytes>"
        assert "supported are" not in str(caught.value)


class _EntryPoint(EntryPoint):
    def load(self) -> Format:
        return Format("toy", "Toy replay", (b"TOY!",), "toy_package", ".toy")


def test_third_parties_add_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    found = EntryPoints([_EntryPoint("toy", "toy:FORMAT", registry.ENTRY_POINT_GROUP)])
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: found)
    registry._third_party.cache_clear()
    try:
        assert [known.name for known in playhead.list_formats()][-1] == "toy"
        source = playhead.io.source.Source("x", memoryview(b"TOY! hello"))
        assert playhead.registry.detect(source).name == "toy"
    finally:
        registry._third_party.cache_clear()
