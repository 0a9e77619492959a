"""Text as StarCraft II writes it: UTF-8, player names with interface markup."""

from __future__ import annotations

import re
from html import unescape

_TAG = re.compile(r"<[^<>]*>")
_CLAN = re.compile(r"^(?:(?:&lt;(.*?)&gt;|\[([^\[\]]*)\]|<([^<>=/]*)>)<sp/>|\[([^\[\]]{1,6})\](?=\w))", re.DOTALL)


def decode_text(raw: bytes) -> str:
    """UTF-8; bytes that are none become U+FFFD."""
    return raw.decode("utf-8", "replace")


def split_name(marked: str) -> tuple[str | None, str]:
    """Clan tag and plain name of a player name with markup.

    The clan stands in front of a ``<sp/>``, and how it is bracketed shows the age of the replay:
    ``[CLAN]Name`` when clans began, with 2.0.3; ``[CLAN]<sp/>Name`` up to 3.0, ``<CLAN><sp/>Name`` in 3.1 to 3.3,
    ``&lt;CLAN&gt;<sp/>Name`` since. Other tags are removed, character entities resolved.
    """
    clan = None
    match = _CLAN.match(marked)
    if match:
        clan = unescape(next(tag for tag in match.groups() if tag is not None)) or None
        marked = marked[match.end() :]
    return clan, unescape(_TAG.sub("", marked))
