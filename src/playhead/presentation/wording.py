"""How the viewer and the command line word the names and facts of a game."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from playhead.runtime.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Wording:
    """Names and facts as players write them. Regular expressions must mean the same in Python and in JavaScript.

    Attributes:
        prefixes: regular expression of prefixes that the game's names of heroes, items and units have.
        class_prefixes: the same for names of classes; only the page removes them.
        hidden_names: regular expression that matches the start of names of units and upgrades that are
            bookkeeping of the game.
        fact_names: labels of facts about players; other facts are labelled by their names.
        fact_values: by fact, words for its values.
        hidden_facts: facts about players that the panel leaves out.
        title: returns the displayed title of one of the game's names; None for any other text.
    """

    prefixes: str = ""
    class_prefixes: str = ""
    hidden_names: str = ""
    fact_names: Mapping[str, str] = field(default_factory=dict)
    fact_values: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    hidden_facts: tuple[str, ...] = ()
    title: Callable[[str], str | None] = lambda text: None

    def hides(self, value: Any) -> bool:
        """Return whether a value is a name of the game's bookkeeping."""
        hidden = self.hidden_names
        return bool(hidden) and isinstance(value, str) and re.match(hidden, value) is not None

    def shown(self, value: Any) -> Any:
        """Return a value with each name of the game, also in lists, as the game displays it; lists without the
        names of bookkeeping."""
        if isinstance(value, list | tuple):
            return [self.shown(each) for each in value if not self.hides(each)]
        return value if not isinstance(value, str) else self.title(value) or value

    def as_dict(self) -> dict[str, Any]:
        """Return the part that the page needs, JSON-ready."""
        return {
            "prefixes": "|".join(filter(None, (self.class_prefixes, self.prefixes))),
            "hidden_names": self.hidden_names,
            "fact_names": dict(self.fact_names),
            "fact_values": {
                name: {str(value): word for value, word in words.items()}
                for name, words in self.fact_values.items()
            },
            "hidden_facts": list(self.hidden_facts),
        }
