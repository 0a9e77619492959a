"""`DeclaredNames`: the name that a field has in one recording, found in its send tables."""

from __future__ import annotations

from collections.abc import Iterator

from playhead.source2.playback.declared import DeclaredFields

#: Components in whose fields a build may put the fields of a player or hero.
COMPONENTS = ("m_PlayerDataGlobal.", "m_CCitadelHeroComponent.", "m_CCitadelAbilityComponent.")


class DeclaredNames(DeclaredFields):
    """Looks up fields of classes under any of their names."""

    def name(self, class_name: str, *names: str) -> str | None:
        """Return the first of these names, bare or in a component, that the class declares; None without one."""
        return next((name for name in self._tried(names) if self.has(class_name, name)), None)

    @staticmethod
    def _tried(names: tuple[str, ...]) -> Iterator[str]:
        for name in names:
            yield name
            for prefix in COMPONENTS:
                yield prefix + name
