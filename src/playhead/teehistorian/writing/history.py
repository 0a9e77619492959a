"""Messages before a slice that its tables depend on: those of runs, and requested saves.

The table of runs counts loads, swaps, practice and commands back from a finish to its start. So a slice repeats,
at their own ticks, the last load and the last practice of every team, and all of these messages since the first
connected client joined.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.teehistorian.state.tracker import ConnectionTracker, RareMessage
from playhead.teehistorian.stream import extensions
from playhead.teehistorian.stream.messages import ConsoleCommand, Message
from playhead.teehistorian.tables.commands import command_origin


class History:
    """Collects the messages that a slice repeats at their own ticks, and the pending saves and loads."""

    def __init__(self) -> None:
        self._past: list[tuple[int, Message]] = []
        self._last: dict[tuple[str, int], tuple[int, Message]] = {}
        self._asked: dict[tuple[str, int], tuple[int, Message]] = {}  # by kind and team: connection, command

    def on_message(self, rare: RareMessage) -> None:
        """Handle one message, after `rare.clients`."""
        tick, message = rare.tick, rare.message
        if isinstance(message, ConsoleCommand):
            if command_origin(message) != "chat":
                self._past.append((tick, message))
            elif message.command in ("save", "load"):
                self._ask(message, rare.clients)
            return
        match rare.extension:
            case extensions.PlayerSwap():
                self._past.append((tick, message))
            case extensions.TeamPractice(team):
                self._past.append((tick, message))
                self._last["practice", team] = (tick, message)
            case extensions.SaveSuccess(team) | extensions.SaveFailure(team):
                self._asked.pop(("save", team), None)
            case extensions.LoadSuccess(team):
                self._last["load", team] = (tick, message)
                self._asked.pop(("load", team), None)
            case extensions.LoadFailure(team):
                self._asked.pop(("load", team), None)
            case _:
                pass

    def _ask(self, message: ConsoleCommand, clients: ConnectionTracker) -> None:
        connection = clients.current(message.cid)
        if connection is not None and connection.identity.team is not None:
            self._asked[message.command, connection.identity.team] = connection.number, message

    def messages(self, clients: ConnectionTracker) -> list[tuple[int, Message]]:
        """Return the messages that a slice repeats, with their ticks, in order."""
        since = min((one.tick for one in clients.connections if clients.current(one.cid) is one), default=None)
        recent = [] if since is None else [each for each in self._past if each[0] >= since]
        known = {id(message) for _, message in recent}
        older = [each for each in self._last.values() if id(each[1]) not in known]
        return sorted([*older, *recent], key=lambda each: each[0])

    def asked(self, clients: ConnectionTracker) -> Iterator[Message]:
        """Yield messages that repeat the requests of pending saves and loads.

        The client is in the team of its request; if it has changed its team since, another message follows.
        """
        for (_, team), (number, message) in self._asked.items():
            connection = clients.connections[number]
            if clients.current(connection.cid) is not connection:
                continue
            yield _team(connection.cid, team)
            yield message
            yield _team(connection.cid, connection.identity.team or 0)


def _team(cid: int, team: int) -> Message:
    change: extensions.Extension = extensions.PlayerTeam(cid, team)
    return extensions.encode_extension(change)
