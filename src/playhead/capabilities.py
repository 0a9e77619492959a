"""What only some formats can do: methods that every replay has, and that refuse where the format cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

#: What only some formats can do, by its name in `Replay.capabilities`.
CAPABILITIES: Mapping[str, str] = MappingProxyType(
    {
        "moment": "go to a moment (`at`)",
        "messages": "give its messages one by one (`messages`)",
        "game_events": "give game events one by one (`game_events`)",
        "entities": "give entities over time (`entity_table`)",
        "schema": "list the classes and fields of its build (table `schema`)",
        "slice": "be sliced (`write_slice`)",
        "anonymize": "be anonymized (`write_anonymized`)",
        "map": "read its map's own file (`read_map`)",
        "patterns": "give figures of how players press, aim and move (`patterns`)",
        "runs": "give runs one by one (`runs`, `run_arrays`, `run_trace`, `write_run`)",
    }
)


class Capabilities:
    """The part of `Replay` that a format may leave out; it lists in `capabilities` what it has."""

    #: Name of the format (``source2``, ``sc2``, ``teehistorian``).
    format: str

    #: What this format can do beyond what all can: names of `CAPABILITIES`.
    capabilities: frozenset[str] = frozenset()

    def cannot(self, capability: str) -> NotImplementedError:
        """Return the error of a format without one of `CAPABILITIES`."""
        able = ", ".join(sorted(self.capabilities)) or "nothing of the kind"
        return NotImplementedError(f"a {self.format} replay cannot {CAPABILITIES[capability]}; it can do: {able}")

    def messages(self, *names: str | int) -> Iterator[Any]:
        """Iterate over the messages of these names (all by default), decoded, in file order, of a type of the
        format's own whose first item is the tick.

        Raises:
            KeyError: the format has no message of that name.
            NotImplementedError: ``messages`` is none of `capabilities`.
        """
        raise self.cannot("messages")

    def game_events(self, *names: str) -> Iterator[Any]:
        """Iterate over the game events of these names (all by default) with their values, in file order.

        Raises:
            NotImplementedError: ``game_events`` is none of `capabilities`.
        """
        raise self.cannot("game_events")

    def entity_table(
        self, pattern: str, fields: Iterable[str] | None = None, *, every: int | float | str | None = None
    ) -> pa.Table:
        """Return fields of the entities whose class is `pattern`, over time: a row for each change, or `every` so
        many ticks (int) or seconds (float, or text such as ``"500ms"``).

        Raises:
            KeyError: no class fits the pattern, or none that does has a field of that name.
            ValueError: the interval is none.
            NotImplementedError: ``entities`` is none of `capabilities`.
        """
        raise self.cannot("entities")

    def write_slice(self, path: str | Path, start: int | float | str, end: int | float | str) -> None:
        """Write the ticks from `start` to `end` (both included, as for `to_tick`) as a recording of its own, which
        appears whole or not at all.

        Raises:
            ValueError: there is no such stretch.
            NotImplementedError: ``slice`` is none of `capabilities`.
        """
        raise self.cannot("slice")

    def write_anonymized(
        self,
        path: str | Path,
        *,
        salt: str | bytes | None = None,
        keep_chat: bool = False,
        replace: Mapping[str, str] | None = None,
    ) -> tuple[str, ...]:
        """Write the recording without what identifies people; the file appears whole or not at all.

        Args:
            path: where to write.
            salt: the same text gives the same pseudonyms in every replay; random by default.
            keep_chat: keep the text of chat, with the players' names in it replaced.
            replace: what else to replace (a teehistorian recording's ``game_uuid``, ``start_time``,
                ``server_port``), by what; an empty text is for the format to fill.

        Returns:
            What was changed and what else is not in the file, a sentence each.

        Raises:
            ValueError: the format does not have that choice.
            NotImplementedError: ``anonymize`` is none of `capabilities`.
        """
        raise self.cannot("anonymize")

    def read_map(self, target: Any) -> Any:
        """Read the file of the map that was played, which the user has: no recording has it in it.

        Args:
            target: a path, a URL, bytes or a file object.

        Returns:
            What it says, of a type of the format's own with ``as_dict``.

        Raises:
            UnknownFormat: it is no map of this game.
            NotImplementedError: ``map`` is none of `capabilities`.
        """
        raise self.cannot("map")

    def patterns(
        self,
        player: str | None = None,
        *,
        client: int | None = None,
        session: int | None = None,
        start: int | float | str | None = None,
        end: int | float | str | None = None,
    ) -> list[dict[str, Any]]:
        """Return figures of how each player pressed, aimed and moved, session by session, JSON-ready.

        Args:
            player: only who had this name at some time, exactly as the recording has it.
            client: only who was in this slot of the server.
            session: only the connection of this number.
            start: the first tick to look at, as for `to_tick`; the beginning by default.
            end: the last one; the end by default.

        Raises:
            KeyError: there is nobody like that.
            ValueError: there is no such stretch.
            NotImplementedError: ``patterns`` is none of `capabilities`.
        """
        raise self.cannot("patterns")

    def runs(self) -> list[dict[str, Any]]:
        """Return every finished run, JSON-ready: table ``runs``, its number (``run``) and its first tick.

        Raises:
            NotImplementedError: ``runs`` is none of `capabilities`.
        """
        raise self.cannot("runs")

    def run_arrays(self, run: int, session: int | None = None) -> dict[str, pa.Array]:
        """Return state and input of a runner (the first by default) on every tick of a run, ready for NumPy.

        Raises:
            KeyError: there is no such run or runner.
            ValueError: the run began before the recording.
            NotImplementedError: ``runs`` is none of `capabilities`.
        """
        raise self.cannot("runs")

    def run_trace(self, run: int) -> pa.Table:
        """Return where every runner of a run was on every tick, in tiles, for plots.

        Raises:
            KeyError, ValueError, NotImplementedError: as for `run_arrays`.
        """
        raise self.cannot("runs")

    def write_run(self, path: str | Path, run: int) -> None:
        """Write a run, from its first tick to the finish, as a recording of its own; see `write_slice`.

        Raises:
            KeyError, ValueError, NotImplementedError: as for `run_arrays`.
        """
        raise self.cannot("runs")
