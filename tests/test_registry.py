"""Detection by content, and errors that help."""

from __future__ import annotations

import importlib.metadata
import lzma
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

import playhead
from playhead import registry
from playhead.registry import BUILTIN_FORMATS, Format, is_replay, vocabulary


@pytest.mark.parametrize(
    ("data", "looks_like"),
    [
        (b"", "an empty file"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "JPEG"),
        (b"PK\x03\x04rest", "ZIP"),
        (b"<!DOCTYPE html><p>404", "HTML page"),
        (b'{"error": 1}', "JSON"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
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


def test_the_vocabulary_of_a_format_holds_the_words_of_its_replays(tmp_path: Path) -> None:
    shared = {"info", "players", "events"}
    for known in BUILTIN_FORMATS:
        replay = playhead.open(known.write_sample(tmp_path))
        words = known.vocabulary()
        # A format of several games knows the words of all of them.
        assert words.tables | shared >= set(replay.tables)
        assert words.event_kinds >= set(replay.event_kinds)
        assert words.is_whole
        assert words.tables | shared <= vocabulary().tables
    assert not Format("x", "X", (), "json", ".x").vocabulary().is_whole


def test_what_is_a_replay_by_its_first_bytes(tmp_path: Path) -> None:
    for known in BUILTIN_FORMATS:
        path = known.write_sample(tmp_path)
        packed = tmp_path / f"{known.name}.xz"
        packed.write_bytes(lzma.compress(path.read_bytes(), preset=0))
        assert is_replay(str(path))
        assert is_replay(str(packed))
        packed.write_bytes(packed.read_bytes()[:20])  # damaged: opening it says how
        assert is_replay(str(packed))
    for content in (b"", b"no replay", lzma.compress(b"no replay")):
        (tmp_path / "other").write_bytes(content)
        assert not is_replay(str(tmp_path / "other"))
    with pytest.raises(FileNotFoundError):
        is_replay(str(tmp_path / "none"))
