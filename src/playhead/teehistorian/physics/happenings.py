"""What happens between two ticks: commands, messages and extensions act on the simulated world."""

from __future__ import annotations

import math

from playhead.limits import Limits
from playhead.teehistorian.physics.playback import Playback
from playhead.teehistorian.physics.rules import Rules
from playhead.teehistorian.physics.world import World
from playhead.teehistorian.state.holders import Holders, SlotFollower
from playhead.teehistorian.state.tracker import ConnectionTracker, RareMessage
from playhead.teehistorian.stream.extensions import PlayerSwap, PlayerTeam
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Join, Message, NetMessage

_CHAT = 128
#: First bytes of the message by which a client kills its tee, by protocol.
_KILL = {6: b"\x2c", 7: b"\x38"}


class Happenings:
    """Handles rare messages for a `Playback`.

    Attributes:
        holders: the owners of the rows.
        playback: set before the first message.
    """

    playback: Playback

    def __init__(self, header: Header, limits: Limits, world: World, rules: Rules) -> None:
        self.holders = Holders()
        self._tracker = ConnectionTracker.for_header(header, limits)
        self._slots = SlotFollower(self._tracker, self.holders)
        self._world = world
        self._rules = rules

    def on_message(self, tick: int, message: Message) -> None:
        """Handle one message, after `tick` was simulated."""
        rare = self._tracker.on_message(tick, message)
        if rare.damage is not None:
            return
        self._slots.follow(rare, self.playback)
        if isinstance(message, Drop):
            self._world.vanish(message.cid)
            self.playback.forget(message.cid)
            self._world.tees[message.cid].paused = 0
            self._world.tees[message.cid].team = 0
        elif isinstance(message, Join):
            self.playback.forget(message.cid)
        elif isinstance(message, NetMessage):
            self._on_network(message)
        elif isinstance(message, ConsoleCommand):
            self._on_command(message)
        else:
            self._on_extension(rare)

    def _on_network(self, message: NetMessage) -> None:
        protocol = self._tracker.protocol(message.cid) or 6
        if message.data[:1] == _KILL.get(protocol):
            self.playback.kill(message.cid)

    def _on_extension(self, rare: RareMessage) -> None:
        match rare.extension:
            case PlayerTeam(cid, team) if 0 <= cid < len(self._world.tees):
                self._world.tees[cid].team = team
            case PlayerSwap(one, other):
                if {one, other} <= set(range(len(self._world.tees))):
                    self.playback.swap(one, other)

    def _on_command(self, message: ConsoleCommand) -> None:
        name, arguments, cid = message.command.lower(), message.arguments, message.cid
        if message.flags & _CHAT and 0 <= cid < len(self._world.tees):
            tee = self._world.tees[cid]
            if name == "kill":
                self.playback.kill(cid)
            elif name in ("pause", "spec"):
                tee.paused = not tee.paused
                if tee.paused and self._rules.pause_resets:
                    tee.let_go()
        elif name == "tune" and len(arguments) > 1:
            self._world.tunings[0].change(arguments[0].lower(), number(arguments[1]))
        elif name == "tune_reset":
            reset_tuning(self._world, arguments)
        elif name == "tune_zone" and len(arguments) > 2 and arguments[0].isdecimal():
            zone = int(arguments[0][:4])
            if 0 < zone < len(self._world.tunings):
                self._world.tunings[zone].change(arguments[1].lower(), number(arguments[2]))
        elif name in SETTINGS and arguments:
            change_setting(self._world, name, arguments[0])


def number(text: str) -> float:
    """Return the number that a text begins with, 0 if there is none, as the server reads it."""
    try:
        found = float(text)
    except ValueError:
        return 0.0
    return found if math.isfinite(found) else 0.0


def reset_tuning(world: World, arguments: tuple[str, ...] = ()) -> None:
    """Set one value, or all, to DDNet's defaults."""
    if arguments:
        fresh = type(world.tunings[0])()
        name = arguments[0].lower()
        world.tunings[0].change(name, getattr(fresh, name, 0.0))
    else:
        world.tunings[0].reset()


#: Settings of a server that change how tees move.
SETTINGS = ("sv_no_weak_hook", "sv_freeze_delay")


def change_setting(world: World, name: str, value: str) -> None:
    """Apply one of `SETTINGS`."""
    if name == "sv_no_weak_hook":
        world.strong_hooks = number(value) != 0
    elif name == "sv_freeze_delay":
        world.freeze_seconds = max(0, min(30, int(number(value))))


def prepare(world: World, header: Header, settings: tuple[str, ...]) -> None:
    """Apply the settings of a header, and the tune zones among the settings of a map."""
    tuning = header.fields.get("tuning")
    for name, hundredths in tuning.items() if isinstance(tuning, dict) else ():
        if isinstance(hundredths, str):
            world.tunings[0].change(name, number(hundredths) / 100)
    config = header.fields.get("config")
    for name, value in config.items() if isinstance(config, dict) else ():
        if name in SETTINGS and isinstance(value, str):
            change_setting(world, name, value)
    for line in settings:
        words = line.replace('"', " ").split()
        if len(words) > 3 and words[0] == "tune_zone" and words[1].isdecimal():
            zone = int(words[1][:4])
            if 0 < zone < len(world.tunings):
                world.tunings[zone].change(words[2].lower(), number(words[3]))
