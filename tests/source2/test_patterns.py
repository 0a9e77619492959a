"""Names and patterns of classes and fields match as in `fnmatch`, in every code path."""

from __future__ import annotations

from fnmatch import fnmatchcase

from hypothesis import example, given
from hypothesis import strategies as st

from playhead.source2.entities.handlers import class_matches
from playhead.source2.playback.collector import fields_read
from playhead.source2.schema.patches import aliases_of, class_aliases

NAMES = st.text("ab.0_", max_size=8)
PATTERNS = st.text("ab.0_?*[]", max_size=8)


@given(NAMES, PATTERNS)
@example("CDOTA_Unit_Hero_Axe", "CDOTA_Unit_Hero_*")
@example("CDOTAPlayer", "CDOTAPlayerController")
@example("CDOTAPlayerController", "CDOTAPlayer*")
def test_classes(name: str, pattern: str) -> None:
    assert class_matches(name, pattern) == any(fnmatchcase(each, pattern) for each in class_aliases(name))


@given(NAMES, st.lists(PATTERNS, min_size=1, max_size=4))
@example("m_vecItems.0012.m_iPlayerID", ["m_vecItems.????.m_nPlayerID"])
@example("m_hItems.0012", ["m_hItems.????"])
@example("m_hItems.012", ["m_hItems.????"])
@example("m_hItems.0012", ["m_h*.0???"])
@example("m_iKills.0003", ["m_vecPlayerTeamData.????.m_iKills"])
def test_fields(name: str, patterns: list[str]) -> None:
    wanted = fields_read([{"CAny": patterns}])("CAny")
    assert wanted is not None
    names = (name, *aliases_of(name))
    assert wanted(name) == any(fnmatchcase(each, pattern) for each in names for pattern in patterns)
