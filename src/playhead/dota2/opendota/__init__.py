"""A match in the shape of OpenDota's parser and API: `match.json` of ``playhead export --format opendota``.

match ◄── players ◄── log (sums and logs of the combat log)
      ◄── teamfights ◄── log

Keys have OpenDota's names and its rules: a time is whole seconds on the game's clock, a unit is the source of an
entry (the owner of a summon), an inflictor has no ``item_``, a coordinate is a cell of 128 world units.
docs/dota2.md lists the keys.
"""

from __future__ import annotations

from playhead.dota2.opendota.match import match_document
from playhead.export.documents import Document

OPENDOTA = Document(
    "match.json",
    "The match with the keys of OpenDota's parser and API (docs/dota2.md lists them).",
    match_document,
)
