"""Writes the match of Dota 2 as a recording of any length, with its story as JSON beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.samples.dota2_match.log import NAMES
from tests.samples.dota2_match.match import WrittenMatch
from tests.samples.dota2_match.plan import FIRST_SERVER_TICK, RATE
from tests.samples.source2.match_demo import FILE_HEADER, SERVER_INFO
from tests.samples.source2.recording import RecordingForm, numbered_entries, write_recording

from playhead.dota2.sources.combat_log import NAMES as LOG_TABLE
from playhead.io.atomic import write_whole
from playhead.source2.writing.demo import DemoWriter

#: Length of the match if none is given: positions need more than 12 minutes.
MINUTES = 13.0
#: Decides amounts, fights and sight.
SEED = 29


def written(minutes: float = MINUTES, seed: int = SEED) -> tuple[bytes, dict[str, Any]]:
    """Return the recording and the story of a match."""
    match = WrittenMatch(minutes, seed)
    # With the names of creeps that come later.
    tables = {LOG_TABLE: numbered_entries(NAMES), "EntityNames": numbered_entries(match.entity_names)}
    form = RecordingForm(SERVER_INFO, RATE, FIRST_SERVER_TICK, 60 * RATE, string_tables=lambda: tables)
    data = write_recording(DemoWriter(FILE_HEADER), match, form, match.packets())
    return data, match.story


def write_sample(folder: Path, minutes: float | None = None, seed: int = SEED) -> list[Path]:
    """Write the match and its story into a folder; return the path of the recording."""
    data, story = written(minutes or MINUTES, seed)
    path = folder / f"sample_dota2_story{'' if minutes is None else f'_{minutes:g}min'}.dem"
    write_whole(path, data)
    path.with_suffix(".json").write_text(json.dumps(story, indent=1) + "\n")
    return [path]
