"""Text as StarCraft II writes it: UTF-8, player names with interface markup."""

from __future__ import annotations

import re
from html import unescape

_TAG = re.compile(r"<[^<>]*>")
_CLAN = re.compile(r"^(?:&lt;(?P<angle>.*?)&gt;|\[(?P<square>[^\[\]]*)\])<sp/>", re.DOTALL)


def decode_text(raw: bytes) -> str:
    """UTF-8; bytes that are none become U+FFFD."""
    return raw.decode("utf-8", "replace")


def split_name(marked: str) -> tuple[str | None, str]:
    """Clan tag and plain name of a player name with markup.

    The clan stands in front of a ``<sp/>``: as ``&lt;CLAN&gt;<sp/>Name`` in newer replays, as
    ``[CLAN]<sp/>Name`` in those of Heart of the Swarm. Other tags are removed, character entities resolved.
    """
    clan = None
    match = _CLAN.match(marked)
    if match:
        clan = unescape(match["angle"] if match["angle"] is not None else match["square"]) or None
        marked = marked[match.end() :]
    return clan, unescape(_TAG.sub("", marked))
