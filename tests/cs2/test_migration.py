"""The migration page: the fields behind the names of demoparser2 are fields of recordings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import playhead
from playhead.cs2.replay import Cs2Replay
from playhead.cs2.sources.unfilled import Declared

_PAGE = Path(__file__).parents[2] / "docs" / "coming-from" / "cs2.md"
_OF = {"pawn": "CCSPlayerPawn", "controller": "CCSPlayerController", "weapon": "CAK47"}


def test_fields_behind_the_names_of_demoparser2_are_declared(corpus: Path) -> None:
    declared = []
    for build in (14065, 14155):
        path = corpus / "source2" / f"cs2_{build}.dem"
        if not path.exists():
            pytest.skip(f"the corpus has no {path.name}")
        replay = playhead.open(path)
        assert isinstance(replay, Cs2Replay)
        declared.append(Declared(replay.recording))
    rows = _PAGE.read_text().split("### Names of fields")[1].split("\n## ")[0]
    found = 0
    for of, prefix, names in re.findall(r"^\| `?(\w+)`?(?:, `(.*?)`)? \| (`.*`) \|$", rows, re.MULTILINE):
        for field in re.findall(r"`\w+` `([\w.]+)`", names):
            dotted = (prefix + field).replace("NNNN", "0000")
            both = [list(each.missing(_OF.get(of, of), [dotted])) for each in declared]
            assert [] in both, dotted
            found += 1
    assert found > 150
