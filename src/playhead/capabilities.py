"""`Capabilities`: methods of every replay that only some formats support; the others raise NotImplementedError."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from playhead.runtime.libraries import pa
from playhead.runtime.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.export.voice import Speaker


#: Description of each capability by its name in `Replay.capabilities`.
CAPABILITIES: Mapping[str, str] = MappingProxyType(
    {
        "moment": "go to a moment (`at`)",
        "messages": "give its messages one by one (`messages`)",
        "game_events": "give game events one by one (`game_events`)",
        "entities": "give entities over time (`entity_table`)",
        "schema": "list the classes and fields of its build (table `schema`)",
        "slice": "be sliced (`write_slice`)",
        "voice": "write its voices as sound (`speakers`, `write_voice`)",
        "anonymize": "be anonymized (`write_anonymized`)",
        "map": "read its map's own file (`read_map`)",
        "patterns": "give figures of how players press, aim and move (`patterns`)",
        "runs": "give runs one by one (`runs`, `run_arrays`, `run_trace`, `write_run`)",
        "simulate": "be played again on its map (`simulate`)",
    }
)


#: The methods of a capability, where they are not its own name.
_METHODS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "moment": ("at",),
        "entities": ("entity_table",),
        "schema": (),
        "slice": ("write_slice",),
        "voice": ("speakers", "write_voice"),
        "anonymize": ("write_anonymized",),
        "map": ("read_map",),
        "runs": ("runs", "run_arrays", "run_trace", "write_run"),
        "simulate": ("simulate", "use_map", "verify_runs"),
    }
)


class Capabilities:
    """The optional part of `Replay`; a format lists its supported methods in `capabilities`.

    Attributes:
        format: name of the format (``source2``, ``sc2``, ``hots``, ``teehistorian``).
        format_title: name of the format for people, as in its `playhead.registry.Format`.
        capabilities: supported capabilities: names of `CAPABILITIES`.
        jobs_are_threads: whether the jobs of `read_tables` are threads, which share memory, instead of processes.
    """

    format: str
    format_title: str = "replay"
    capabilities: frozenset[str] = frozenset()
    jobs_are_threads: bool = False

    def __dir__(self) -> Iterable[str]:
        """Return the names for completion: without methods that the format does not support."""
        lacking = CAPABILITIES.keys() - self.capabilities
        hidden = {method for name in lacking for method in _METHODS.get(name, (name,))}
        return [name for name in object.__dir__(self) if name not in hidden]

    def cannot(self, capability: str) -> NotImplementedError:
        """Return the error for an unsupported capability."""
        able = ", ".join(sorted(self.capabilities)) or "nothing of the kind"
        return NotImplementedError(f"a {self.format_title} cannot {CAPABILITIES[capability]}; it can do: {able}")

    def messages(self, *names: str | int | Iterable[str | int]) -> Iterator[Any]:
        """Iterate over the decoded messages of these names (all by default), in file order. The type of a message
        depends on the format; its first item is the tick.

        Raises:
            KeyError: the format has no message of that name.
            NotImplementedError: `capabilities` lacks ``messages``.
        """
        raise self.cannot("messages")

    def game_events(self, *names: str | Iterable[str]) -> Iterator[Any]:
        """Iterate over the game events of these names (all by default) with their values, in file order.

        Raises:
            NotImplementedError: `capabilities` lacks ``game_events``.
        """
        raise self.cannot("game_events")

    def entity_table(
        self, pattern: str, fields: str | Iterable[str] | None = None, *, every: int | float | str | None = None
    ) -> pa.Table:
        """Return fields of the entities whose class fits `pattern`, over time: a row per change, or samples
        `every` so many seconds (float, or text such as ``"500ms"``, ``"30 ticks"``; 1 is every tick), rounded to
        whole ticks.

        Raises:
            KeyError: no class fits the pattern, or no such class has a field of that name.
            ValueError: `every` is not an interval.
            NotImplementedError: `capabilities` lacks ``entities``.
        """
        raise self.cannot("entities")

    def write_slice(self, path: str | Path, start: int | float | str, end: int | float | str) -> None:
        """Write the ticks from `start` to `end` (both included, as for `to_tick`) to a new recording, atomically.

        Raises:
            ValueError: the recording does not contain these ticks.
            NotImplementedError: `capabilities` lacks ``slice``.
        """
        raise self.cannot("slice")

    def speakers(self) -> list[Speaker]:
        """Return everybody who speaks: number of the player, name, packets of Opus with their times.

        Raises:
            NotImplementedError: `capabilities` lacks ``voice``.
        """
        raise self.cannot("voice")

    def write_voice(self, folder: str | Path) -> list[Path]:
        """Write one Ogg Opus file for each player who spoke, with silence between the words: they all begin and
        end with the recording. Needs the extra ``sound``.

        Returns:
            The files; none if nobody spoke.

        Raises:
            ModuleNotFoundError: PyAV is not installed.
            NotImplementedError: `capabilities` lacks ``voice``.
        """
        raise self.cannot("voice")

    def write_anonymized(
        self,
        path: str | Path,
        *,
        salt: str | bytes | None = None,
        keep_chat: bool = False,
        replace: Mapping[str, str] | None = None,
    ) -> tuple[str, ...]:
        """Write the recording without data that identifies people, atomically.

        Args:
            path: path of the new file.
            salt: the same salt gives the same pseudonyms in every replay; random by default.
            keep_chat: keep the text of chat, with the names of players replaced.
            replace: new values of other fields (a teehistorian recording's ``game_uuid``, ``start_time``,
                ``server_port``); for an empty text the format chooses the value.

        Returns:
            Sentences that list the changed and the removed data.

        Raises:
            ValueError: the format has no such option.
            NotImplementedError: `capabilities` lacks ``anonymize``.
        """
        raise self.cannot("anonymize")

    def read_map(self, target: Any) -> Any:
        """Read the file of the recording's map. Recordings do not contain it; the user provides it.

        Args:
            target: a path, a URL, bytes or a file object.

        Returns:
            The facts of the map, in a type of the format with ``as_dict``.

        Raises:
            UnknownFormat: the file is not a map of this game.
            NotImplementedError: `capabilities` lacks ``map``.
        """
        raise self.cannot("map")

    def patterns(
        self,
        player: str | int | None = None,
        *,
        client: int | None = None,
        start: int | float | str | None = None,
        end: int | float | str | None = None,
    ) -> list[dict[str, Any]]:
        """Return statistics of each player's key presses, aim and movement, JSON-ready.

        Args:
            player: only the player of this number, or all of this name, exactly as in the recording.
            client: only players in this slot of the server.
            start: the first tick, as for `to_tick`; default: the start of the recording.
            end: the last tick; default: the end of the recording.

        Raises:
            KeyError: no player fits.
            ValueError: the recording does not contain these ticks.
            NotImplementedError: `capabilities` lacks ``patterns``.
        """
        raise self.cannot("patterns")

    def runs(self) -> list[dict[str, Any]]:
        """Return every finished run, JSON-ready: the columns of table ``runs``, its number (``run``), its first
        tick.

        Raises:
            NotImplementedError: `capabilities` lacks ``runs``.
        """
        raise self.cannot("runs")

    def run_arrays(self, run: int, player: int | None = None) -> dict[str, pa.Array[Any]]:
        """Return state and input of a runner (the first by default) on every tick of a run, ready for NumPy.

        Raises:
            KeyError: there is no such run or runner.
            ValueError: the run began before the recording.
            NotImplementedError: `capabilities` lacks ``runs``.
        """
        raise self.cannot("runs")

    def run_trace(self, run: int) -> pa.Table:
        """Return the position of every runner of a run on every tick, in tiles, for plots.

        Raises:
            KeyError, ValueError, NotImplementedError: as for `run_arrays`.
        """
        raise self.cannot("runs")

    def write_run(self, path: str | Path, run: int) -> None:
        """Write a run, from its first tick to the finish, to a new recording; see `write_slice`.

        Raises:
            KeyError, ValueError, NotImplementedError: as for `run_arrays`.
        """
        raise self.cannot("runs")

    def simulate(self, map: str | Path, *, other_map: bool = False) -> Any:
        """Play the recording again on its map, to recover what its inputs imply.

        Args:
            map: the map's file, or a folder that has it under its name.
            other_map: accept another map than that of the recording.

        Raises:
            ReplayError: it is another map, or the folder lacks it.
            NotImplementedError: `capabilities` lacks ``simulate``.
        """
        raise self.cannot("simulate")

    def use_map(self, map: str | Path, *, other_map: bool = False) -> None:
        """Add the tables of `simulate` to those of the recording; arguments and errors are the same."""
        raise self.cannot("simulate")

    def verify_runs(self, map: str | Path, *, other_map: bool = False) -> pa.Table:
        """Return a table with a row for each run: its recorded and its simulated time, and whether they agree;
        arguments and errors are those of `simulate`."""
        raise self.cannot("simulate")
