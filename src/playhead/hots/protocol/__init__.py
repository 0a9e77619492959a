"""`PROTOCOLS`: the type tables of Heroes of the Storm, from published builds. None needs a patch."""

from __future__ import annotations

from playhead.blizzard.protocol.protocols import Protocols
from playhead.runtime.beside import path_beside

PROTOCOLS = Protocols(path_beside(__file__, "tables.json.zlib"))
