"""Text as StarCraft II writes it: UTF-8, player names with interface markup."""

from __future__ import annotations

import re

_TAG = re.compile(r"<[^<>]*>")
_CLAN = re.compile(r"^(?:(?:&lt;(.*?)&gt;|\[([^\[\]]*)\]|<([^<>=/]*)>)<sp/>|\[([^\[\]]{1,6})\](?=\w))", re.DOTALL)


def decode_text(raw: bytes) -> str:
    """Decode UTF-8; invalid bytes become U+FFFD."""
    return raw.decode("utf-8", "replace")


def split_name(marked: str) -> tuple[str | None, str]:
    """Return clan tag and plain name of a player name with markup.

    The clan is before a ``<sp/>``, and its brackets show the age of the replay: ``[CLAN]Name`` from the first
    clans in 2.0.3 on; ``[CLAN]<sp/>Name`` up to 3.0, ``<CLAN><sp/>Name`` in 3.1 to 3.3, ``&lt;CLAN&gt;<sp/>Name``
    since. Other tags are removed, character entities resolved.
    """
    if "&" not in marked and "<" not in marked and "[" not in marked:
        return None, marked
    from html import unescape  # the import of its list of entities takes a millisecond

    clan = None
    match = _CLAN.match(marked)
    if match:
        clan = unescape(next(tag for tag in match.groups() if tag is not None)) or None
        marked = marked[match.end() :]
    return clan, unescape(_TAG.sub("", marked))
