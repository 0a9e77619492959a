"""The organiser of a recording, by the name and the settings of its server."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Parts of the names of servers, in lower case, by organiser; the first that fits counts.
_PARTS = {
    "faceit": ("faceit", "blast"),
    "challengermode": ("challengermode", "pgl major cs2"),
    "esl": ("esl",),
    "esea": ("esea",),
    "hltv": ("hltv",),
    "popflash": ("popflash",),
    "esportal": ("esportal",),
    "fastcup": ("fastcup",),
    "gamersclub": ("gamersclub",),
    "renown": ("renown",),
    "matchzy": ("matchzy",),
    "ebot": ("ebot",),
    "valve": ("valve",),
    "perfectworld": ("完美世界",),
    "esplay": ("esplay",),
    "pracc": ("pracc.com",),
}


def organiser_of(server_name: str, settings: Iterable[str], *, dedicated: bool | None) -> str | None:
    """Return the word of the organiser; ``local`` for a game on a player's computer; None if unknown.

    Args:
        server_name: name of the server, of the file's header.
        settings: names of the settings in the recording; plug-ins of servers add their own (``matchzy_…``).
        dedicated: whether the server says that it is a dedicated one; None if it does not say.
    """
    name = server_name.lower()
    for organiser, parts in _PARTS.items():
        # Whole words: Wesley's server is not of ESL.
        if any(re.search(rf"(?<![a-z0-9]){re.escape(part)}(?![a-z0-9])", name) for part in parts):
            return organiser
    prefixes = {setting.lower().partition("_")[0] for setting in settings}
    known = next((organiser for organiser in _PARTS if organiser in prefixes), None)
    return known or ("local" if dedicated is False else None)
