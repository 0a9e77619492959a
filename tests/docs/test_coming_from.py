"""The pages for users of other parsers: pairs of snippets agree, and they have every public name of each tool."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect
import json
import re
import shutil
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.docs.markdown_blocks import python_blocks

import playhead

pytestmark = pytest.mark.slow_interpreted

PAGES = sorted((Path(__file__).parents[2] / "docs" / "coming-from").glob("*.md"))
SECTIONS = {
    part.partition("\n")[0]: part
    for page in PAGES
    if page.stem != "cs2"
    for part in page.read_text(encoding="utf-8").split("\n## ")[1:]
}
#: Module to import by section.
TOOLS = {
    "gem-dota": "gem",
    "sc2reader": "sc2reader",
    "spawningtool": "spawningtool",
    "s2protocol": "s2protocol",
    "teehistorian-py": "teehistorian_py",
}


def imported(tool: str) -> ModuleType:
    if importlib.util.find_spec(TOOLS[tool]) is None:
        pytest.skip(f"{tool} is not installed")
    return importlib.import_module(TOOLS[tool])


def named(section: str) -> set[str]:
    """Return the names in the first cells of the section's tables."""
    cells = (line.split("|")[1] for line in SECTIONS[section].splitlines() if line.startswith("| "))
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


@pytest.fixture
def folder(samples: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    names = {"source2": "match.dem", "sc2": "game.SC2Replay", "teehistorian": "recording.teehistorian"}
    for format, name in names.items():
        shutil.copy(samples[format], tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pair(section: str) -> tuple[str, str]:
    """Return the snippet of the tool and ours."""
    blocks = (block for page in PAGES for block in python_blocks(page, ("py", "python")))
    theirs, ours = (block.code for block in blocks if block.heading == section)
    return theirs, ours


def answer(code: str, **names: Any) -> Any:
    exec(compile(code, "docs/coming-from", "exec"), names)
    return names["answer"]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tool", sorted(TOOLS.keys() - {"gem-dota"}))  # test_ten_questions.py asks it
def test_both_snippets_have_the_same_answer(tool: str, folder: Path) -> None:
    imported(tool)
    theirs, ours = map(answer, pair(tool))
    assert list(map(tuple, theirs)) == list(map(tuple, ours))
    assert theirs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("tool", "recording"),
    [
        ("sc2reader", "sc2/5.0.8.86383/*"),  # has observers
        ("spawningtool", "sc2/3.1.0.39576/*"),
        ("s2protocol", "sc2/4.8.1.71523/*"),
        ("teehistorian-py", "teehistorian/deb16.4-slot-reuse/*.teehistorian"),
    ],
)
def test_both_have_the_same_answer_for_a_real_recording(
    tool: str, recording: str, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(tool)
    found = min(corpus.glob(recording))
    shutil.copyfile(found, tmp_path / f"{'game' if found.suffix == '.SC2Replay' else 'recording'}{found.suffix}")
    monkeypatch.chdir(tmp_path)
    theirs, ours = map(answer, pair(tool))
    assert list(map(tuple, theirs)) == list(map(tuple, ours))
    assert theirs


def test_opendota(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The API is not asked: the document of the page's second snippet is served in its place."""
    theirs, ours = pair("OpenDota")
    with playhead.open("match.dem") as replay:
        expected = answer(ours, replay=replay)
        document = Path("opendota", replay.documents["opendota"].file).read_bytes()
    assert expected == [row["kills"] for row in playhead.open("match.dem").table("player_stats").to_pylist()]
    monkeypatch.setattr(urllib.request, "urlopen", lambda url: BytesIO(document))
    assert answer(theirs) == expected
    match = json.loads(document)
    known = named("OpenDota") | named("gem-dota")
    assert not (match.keys() | match["players"][0].keys()) - known


def _gem(gem: Any) -> Iterable[str]:
    yield from (
        name for name in public(gem) if not isinstance(getattr(gem, name), ModuleType) and name != "annotations"
    )
    for record in (gem.ParsedMatch, gem.ParsedPlayer):
        yield from (field.name for field in dataclasses.fields(record) if not field.name.startswith("_"))


def _sc2reader(sc2reader: Any) -> Iterable[str]:
    from sc2reader.events import game, message, tracker

    replay = sc2reader.load_replay("game.SC2Replay", load_level=4)
    yield from (name for name in vars(replay) if not name.startswith("_"))
    yield from public(replay.players[0]) | public(next(iter(replay.objects.values())))
    for module in (game, message, tracker):
        for name, found in vars(module).items():
            if inspect.isclass(found) and found.__module__ == module.__name__:
                yield name


def _spawningtool(spawningtool: Any) -> Iterable[str]:
    found = importlib.import_module("spawningtool.parser").parse_replay("game.SC2Replay")
    yield from found
    for player in found["players"].values():
        yield from player


def _s2protocol(s2protocol: Any) -> Iterable[str]:
    protocol = importlib.import_module("s2protocol.versions").build(93333)
    yield from (name for name in public(protocol) if name.startswith(("decode_replay", "unit_tag")))


def _teehistorian(teehistorian_py: Any) -> Iterable[str]:
    yield from public(teehistorian_py) - {"Any", "Iterable", "Path", "TYPE_CHECKING", "Union", "annotations"}
    yield from public(teehistorian_py.Teehistorian)


LISTS: Mapping[str, Callable[[Any], Iterable[str]]] = dict(
    zip(TOOLS, (_gem, _sc2reader, _spawningtool, _s2protocol, _teehistorian), strict=True)
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tool", TOOLS)
def test_no_public_name_is_missing(tool: str, folder: Path) -> None:
    missing = set(LISTS[tool](imported(tool))) - named(tool)
    assert not missing, sorted(missing)


def test_our_names_exist(samples: Mapping[str, Path], short_match: Callable[[str], Path]) -> None:
    """Words of the right cells that could be tables or columns are."""
    formats = dict.fromkeys(("gem-dota", "OpenDota", "clarity", "manta"), "source2")
    formats["teehistorian-py"] = "teehistorian"
    for section, text in SECTIONS.items():
        path = short_match("deadlock") if section == "boon" else samples[formats.get(section, "sc2")]
        replay = playhead.open(path)
        columns = {name for schema in replay.tables.values() for name in schema.column_names}
        words = columns | set(replay.tables) | set(replay.event_kinds) | named(section) | NOT_COLUMNS
        cells = (line.split("|")[2] for line in text.splitlines() if line.startswith("| "))
        for word in (name for cell in cells for name in re.findall(r"`([a-z_0-9.]+)`", cell)):
            table, _, column = word.partition(".")
            if table in replay.tables and column:
                assert column in replay.tables[table].column_names, word
            elif not column:
                assert word in words, word


#: Words that are neither tables nor columns.
NOT_COLUMNS = frozenset({"names", "teamfights", "_id"})
