"""`PROTOCOLS`: the type tables of Heroes of the Storm, from published builds. None needs a patch."""

from __future__ import annotations

from pathlib import Path

from playhead.blizzard.protocol.protocols import Protocols

PROTOCOLS = Protocols(Path(__file__).with_name("tables.json.zlib"))
