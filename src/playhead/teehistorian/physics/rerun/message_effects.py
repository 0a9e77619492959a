"""`MessageEffects`: commands, messages and extensions act on the simulated world between two ticks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from playhead.errors import LimitExceeded, ReplayError
from playhead.limits import Limits
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.arena.random_numbers import RandomNumbers
from playhead.teehistorian.physics.rerun.rerun import Rerun
from playhead.teehistorian.physics.rerun.rules import Rules
from playhead.teehistorian.physics.rerun.saved_tees import MOST_LINES, Save, move, read_save, rescue, stop
from playhead.teehistorian.physics.world.world import GameWorld
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.tracker import ConnectionTracker, RareMessage, SlotFollower
from playhead.teehistorian.stream import extensions
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import (
    TICKS_PER_SECOND,
    ConsoleCommand,
    Drop,
    Extra,
    Join,
    Message,
    NetMessage,
)
from playhead.teehistorian.stream.text import number

SPECTATORS, _GAME = -1, 0
#: Settings by name, with their default: seconds between kills and between changes of the team, whether the latter
#: counts, and minutes after which a run is protected.
_DEFAULTS = {"sv_kill_delay": 1, "sv_team_change_delay": 3, "sv_spamprotection": 1, "sv_kill_protection": 20}


class DeathRequests:
    """Follows the requests of all clients."""

    def __init__(self) -> None:
        self._settings = dict(_DEFAULTS)
        self._killed: dict[int, int] = {}
        self._changed: dict[int, int] = {}
        self._watches: set[int] = set()

    def set(self, name: str, value: str) -> None:
        """Set one of the settings; other names do nothing."""
        if name in self._settings:
            self._settings[name] = int(max(0.0, min(number(value), 9999.0)))

    def forget(self, cid: int) -> None:
        """Begin anew with a new client in a slot."""
        self._killed.pop(cid, None)
        self._changed.pop(cid, None)
        self._watches.discard(cid)

    def kills(self, tick: int, tee: Body) -> bool:
        """Return whether a kill message may kill a tee."""
        delay = self._settings["sv_kill_delay"] * TICKS_PER_SECOND
        if not tee.alive or tee.paused or self._too_soon(self._killed.get(tee.cid), delay, tick):
            return False
        self._killed[tee.cid] = tick
        return True

    def kills_protected(self, tick: int, tee: Body) -> bool:
        """Return whether ``/kill`` may kill a tee; a tee without a team runs since its spawn, at most."""
        protected = self._settings["sv_kill_protection"] * 60 * TICKS_PER_SECOND
        return bool(tee.alive) and 0 < protected <= tick - (0 if tee.team else tee.born)

    def joins(self, tick: int, tee: Body, team: int) -> bool:
        """Return whether a message to join a team may kill a tee: it joins the spectators."""
        delay = self._settings["sv_team_change_delay"] * TICKS_PER_SECOND
        if self._settings["sv_spamprotection"] and self._too_soon(self._changed.get(tee.cid), delay, tick):
            return False
        return not tee.paused and self.moves(tick, tee, team)

    def moves(self, tick: int, tee: Body, team: int) -> bool:
        """Let a client change its team; return whether its tee dies of it."""
        if tee.alive:
            self._watches.discard(tee.cid)
        if (team == SPECTATORS) == (tee.cid in self._watches):
            return False
        (self._watches.add if team == SPECTATORS else self._watches.discard)(tee.cid)
        self._changed[tee.cid] = tick
        return bool(tee.alive)

    @staticmethod
    def _too_soon(last: int | None, delay: int, tick: int) -> bool:
        return last is not None and last + delay > tick


_CHAT = 128
_LAST = (1 << 31) - 1
#: How far the middle of a tee reaches, and the longest way on which lines are looked for.
_MIDDLE, _LONGEST_WAY = 28 / 3, 8000.0
#: Longest pause that an admin gives, in seconds.
_LONGEST = 1e6
#: Lines of saves that a simulation reads, and how many the state of a tee counts as.
_SAVE_LINES, _TEE_LINES = 1 << 19, 8
#: First bytes of the messages by which a client kills its tee, joins or leaves the spectators (its tee dies), and
#: chooses whom it watches, by protocol.
_KILL = {6: b"\x2c", 7: b"\x38"}
_TEAM = {6: b"\x24", 7: b"\x32"}
_WATCH = {6: b"\x26", 7: b"\x34"}


class MessageEffects:
    """Handles rare messages for a `Rerun`.

    Attributes:
        rerun: set before the first message.
        practice: teams in practice.
        not_simulated: what changes how tees move and is not simulated: settings and commands so far.
        heard: called with (tick, client, name, arguments) of each chat command; None for no call.
    """

    rerun: Rerun

    def __init__(self, header: Header, limits: Limits, world: GameWorld, rules: Rules) -> None:
        self.heard: Callable[[int, int, str, tuple[str, ...]], None] | None = None
        self._tracker = ConnectionTracker.for_header(header, limits.sessions)
        self._slots = SlotFollower(self._tracker)
        self._world = world
        self._rules = rules
        config = header.fields.get("config")
        self._tests = isinstance(config, dict) and config.get("sv_test_cmds", "0") != "0"
        self._tells_finish = extensions.PlayerFinish.extension_name in header.extension_names
        self._tells_practice = extensions.TeamPractice.extension_name in header.extension_names
        self.practice: set[int] = world.practice
        self._switches: list[tuple[int, int, bool, int]] = []
        self._left = _SAVE_LINES
        self._watched: dict[int, int] = {}
        self._deaths = DeathRequests()
        given = config.items() if isinstance(config, dict) else ()
        for name, value in given:
            self._deaths.set(name, value)
        self.not_simulated = {name for name, value in given if value != NOT_SIMULATED.get(name, value)}

    def connection(self, cid: int) -> Connection | None:
        """Return the current connection of a slot."""
        return self._tracker.current(cid)

    def foresee(self, messages: list[tuple[int, Message]]) -> None:
        """Prepare the tick whose section has these messages: what happened within it."""
        self._world.leaving = {}
        teams: dict[int, int] = {}
        finished: set[int] = set()
        for _, message in messages:
            extension = decode(message)
            match extension:
                case extensions.PlayerFinish(cid):
                    finished.add(cid)
                case extensions.TeamFinish(team):
                    finished |= {tee.cid for tee in self._world.tees if tee.alive and tee.team == team}
                case extensions.PlayerTeam(cid, team) if 0 <= cid < len(self._world.tees):
                    teams[cid] = team
                case extensions.LoadSuccess(team, _, save):
                    self._left -= 1 + min(save.count("\n"), MOST_LINES)
                    found = read_save(save)
                    self._left -= _TEE_LINES * len(found.tees)
                    if self._left < 0:
                        raise LimitExceeded("there are more loaded saves than a simulation reads")
                    self._load(team, found)
        if teams and not self._tells_finish:
            tees = [self._world.tees[cid] for cid in teams]
            done = {tee.team for tee in tees if tee.team and self._finishes(tee)}
            finished = {tee.cid for tee in tees if tee.team in done}
        self._world.leaving = {cid: team for cid, team in teams.items() if cid in finished}

    def _finishes(self, tee: Body) -> bool:
        """Return whether a tee touches the finish line on the next tick, with its middle or on its way."""
        x, y, way_x, way_y = tee.shown_x, tee.shown_y, tee.shown_x - tee.former_x, tee.shown_y - tee.former_y
        steps = 1 + int(min(abs(way_x) + abs(way_y), _LONGEST_WAY)) // 8
        points = [(x - way_x * step / steps, y - way_y * step / steps) for step in range(steps + 1)]
        points += [(x + dx, y + dy) for dx in (-_MIDDLE, _MIDDLE) for dy in (-_MIDDLE, _MIDDLE)]
        return any(self._world.tiles.race(*point) & 2 for point in points)

    def _load(self, team: int, save: Save) -> None:
        """Let saved tees continue on the next simulated tick: by name and place, or else by place."""
        clients: dict[int, int] = {}
        free: dict[tuple[int, int], dict[int, str | None]] = {}
        for tee in self._world.tees if save.tees else ():
            connection = self._tracker.current(tee.cid)
            if connection is not None:
                free.setdefault(self.rerun.place_of(tee.cid), {})[tee.cid] = connection.identity.name
        for by_name in (True, False):
            for place, saved in save.tees.items():
                here = free.get((saved.x, saved.y)) if place not in clients else None
                found = (cid for cid, name in (here or {}).items() if not by_name or name == saved.name)
                if here and (cid := next(found, None)) is not None:
                    clients[place] = cid
                    del here[cid]
        for place, cid in clients.items():
            self.rerun.load(cid, partial(save.tees[place].restore, client_of=clients.get))
        for switch, on, end in save.switches if clients else ():
            self._switches.append((switch, team, on, end))

    def on_message(self, tick: int, message: Message) -> None:
        """Handle one message, after `tick` was simulated."""
        while self._switches:
            switch, team, on, end = self._switches.pop()
            self._world.set_switch(switch, team, on, min(tick + end, _LAST) if end else 0)
        rare = self._tracker.on_message(tick, message)
        if rare.damage is not None:
            return
        self._slots.follow(rare, self.rerun)
        if isinstance(message, Drop):
            self._world.vanish(message.cid)
            self.rerun.forget(message.cid)
            if self.rerun.notes is not None:
                self.rerun.notes.deaths.expect(tick, message.cid, "left")
            self._world.tees[message.cid].paused = self._world.tees[message.cid].sword = 0
            self._watched = {a: b for a, b in self._watched.items() if message.cid not in (a, b)}
            self._join_team(message.cid, 0)
        elif isinstance(message, Join):
            self.rerun.forget(message.cid)
            self._deaths.forget(message.cid)
            self.rerun.set_silent(message.cid, self._tracker.protocol(message.cid) == 7)
        elif isinstance(message, NetMessage):
            self._on_network(tick, message, rare)
        elif isinstance(message, ConsoleCommand):
            self._on_command(tick, message)
            if self.heard is not None and message.flags & _CHAT:
                self.heard(tick, message.cid, message.command, message.arguments)
        else:
            self._on_extension(rare)

    def _on_network(self, tick: int, message: NetMessage, rare: RareMessage) -> None:
        protocol, cid = self._tracker.protocol(message.cid) or 6, message.cid
        if rare.network is None:
            return
        first, record, tee = message.data[:1], rare.network.record, self._world.tees[cid]
        if first == _KILL.get(protocol) and self._deaths.kills(tick, tee):
            self._kill_with_team(tee)
        elif first == _WATCH.get(protocol):
            target = getattr(record, "spectator_id", None)
            if target is not None:
                self._watched[cid] = target
        elif first == _TEAM.get(protocol):
            self._watched.pop(cid, None)
            team = getattr(record, "team", 0)
            if team == SPECTATORS:
                self._watched = {a: b for a, b in self._watched.items() if b != cid}
            if self._deaths.joins(tick, tee, team):
                self.rerun.kill(cid, "spectators")

    def _kill_with_team(self, tee: Body) -> None:
        """Let a client kill its tee: those of a locked team die with it."""
        self.rerun.kill(tee.cid)
        for other in self._world.tees:
            if other.alive and other is not tee and other.team == tee.team > 0:
                self.rerun.kill(other.cid, "")

    def _on_extension(self, rare: RareMessage) -> None:
        match rare.extension:
            case extensions.PlayerTeam(cid, team) if 0 <= cid < len(self._world.tees):
                self._join_team(cid, team)
            case extensions.TeamPractice(team, practice):
                (self.practice.add if practice else self.practice.discard)(team)
            case extensions.LoadSuccess(team, _, _) if self.rerun.notes is not None:
                self.rerun.notes.race.loaded.add(team)
            case extensions.PlayerSwap(one, other):
                if {one, other} <= set(range(len(self._world.tees))):
                    self.rerun.swap(one, other)

    def _join_team(self, cid: int, team: int) -> None:
        """Change a client's team; the switches of a team that becomes empty are as at first."""
        tees = self._world.tees
        former, tees[cid].team = tees[cid].team, team
        tees[cid].super_tee = team == self._rules.super_team
        if tees[cid].super_tee and former != team:
            self._world.thaw(tees[cid])
        if former > 0 and former != team and not any(tee.team == former for tee in tees):
            self._world.reset_switches(former)

    def _toggle_pause(self, tee: Body, arguments: tuple[str, ...]) -> None:
        """Pause a client or let it return; with a name it returns only if it already watches that client."""
        if not tee.alive or tee.cid in self._world.pauses:
            return
        paused = not tee.paused
        if arguments:
            everybody = ((other.cid, self._tracker.current(other.cid)) for other in self._world.tees)
            named = (cid for cid, one in everybody if one is not None and one.identity.name == arguments[0])
            target = next((cid for cid in named if cid != tee.cid), None)
            paused = not tee.paused or target is None or self._watched.get(tee.cid) != target
            if paused and target is not None:
                self._watched[tee.cid] = target
        if paused and not tee.paused and self._rules.pause_resets:
            tee.let_go()
        tee.paused = paused

    def _teleport(self, tee: Body, name: str, arguments: tuple[str, ...]) -> None:
        """Let a client put its tee elsewhere; a server of another version may rescue in another way."""
        rescues = name in _RESCUES
        allowed = tee.team in self.practice or (rescues and self._world.rescues)
        if not allowed and self._tells_practice:
            return
        self.rerun.prediction.jump(tee.cid)
        if rescues and not self._rules.rescues_whole:
            tee.known = 0
        if rescues and allowed:
            rescue(self._world, tee)
        elif allowed and name in _TO_VIEW and not arguments and not tee.paused:
            stop(self._world, tee)

    def _on_command(self, tick: int, message: ConsoleCommand) -> None:
        name, arguments, cid = message.command.lower(), message.arguments, message.cid
        if arguments and not message.flags & _CHAT:
            self._deaths.set(name, arguments[0])
        if message.flags & _CHAT and 0 <= cid < len(self._world.tees):
            tee = self._world.tees[cid]
            if name == "kill":
                if self._deaths.kills_protected(tick, tee):
                    self._kill_with_team(tee)
            elif name == "unpractice":
                for other in self._world.tees:
                    if other is tee or (other.team == tee.team and tee.team in self.practice):
                        self.rerun.kill(other.cid, "")
            elif name in ("pause", "spec"):
                self._toggle_pause(tee, arguments)
            elif name == "ninjajetpack":
                tee.sword = number(arguments[0]) != 0 if arguments else not tee.sword
            elif name in TELEPORTS:
                self._teleport(tee, name, arguments)
            elif tee.team in self.practice:
                grant(tee, name, arguments, self._world.tick)
        elif name == "tune" and len(arguments) > 1:
            self._world.tunings[0].change(arguments[0].lower(), number(arguments[1]))
        elif name == "tune_reset":
            reset_tuning(self._world, arguments)
        elif name == "tune_zone":
            tune_zone(self._world, arguments)
        elif name in SETTINGS and arguments:
            SETTINGS[name](self._world, number(arguments[0]))
        elif name in ("kill_pl", "set_team", "set_team_all", "force_pause", "restart"):
            self._on_order(tick, name, arguments)
        elif name in NOT_SIMULATED and arguments and arguments[0] != NOT_SIMULATED[name]:
            self.not_simulated.add(name)
        elif name in TELEPORTS:
            self.rerun.prediction.jump()
            if self._tests:
                move(self._world, cid, name, arguments)
        elif name == "sv_test_cmds" and arguments:
            self._tests = number(arguments[0]) != 0
        elif self._tests and name in ("freezehammer", "unfreezehammer"):
            victim = int(number(arguments[0])) if arguments else cid
            if 0 <= victim < len(self._world.tees):
                self._world.tees[victim].freeze_hammer = name == "freezehammer"
        elif self._tests and 0 <= cid < len(self._world.tees):
            grant(self._world.tees[cid], name, arguments, self._world.tick)

    def _on_order(self, tick: int, name: str, arguments: tuple[str, ...]) -> None:
        """Let an administrator kill, move or pause clients, or begin the round again."""
        numbers = [int(max(-1.0, min(number(one), _LONGEST))) for one in arguments]
        if name == "restart":
            for tee in self._world.tees if not numbers else ():
                self.rerun.kill(tee.cid, "")
        elif name == "set_team_all" and numbers:
            for tee in self._world.tees:
                self._move(tick, tee, numbers[0])
        elif not numbers or not 0 <= numbers[0] < len(self._world.tees):
            return
        elif name == "kill_pl":
            self.rerun.kill(numbers[0])
        elif len(numbers) < 2 or self._tracker.current(numbers[0]) is None:
            return
        elif name == "set_team":
            if numbers[0] not in self._world.pauses:
                self._world.tees[numbers[0]].paused = 0
            self._move(tick, self._world.tees[numbers[0]], numbers[1])
        else:
            self._world.pause(numbers[0], max(0, numbers[1]) * TICKS_PER_SECOND)

    def _move(self, tick: int, tee: Body, team: int) -> None:
        if self._deaths.moves(tick, tee, SPECTATORS if team < 0 else 0):
            self.rerun.kill(tee.cid, "spectators")


def decode(message: Message) -> extensions.Extension | None:
    """Return the extension in a message; None for others and damaged ones."""
    if not isinstance(message, Extra):
        return None
    try:
        return extensions.decode_extension(message)
    except ReplayError:
        return None


def tune_zone(world: GameWorld, arguments: Sequence[str]) -> None:
    """Set a value of a zone, by number of the zone, name and value; invalid arguments do nothing."""
    if len(arguments) > 2 and arguments[0].isdecimal():
        zone = int(arguments[0][:4])
        if 0 < zone < len(world.tunings):
            world.tunings[zone].change(arguments[1].lower(), number(arguments[2]))


def reset_tuning(world: GameWorld, arguments: tuple[str, ...] = ()) -> None:
    """Set one value, or all, to DDNet's defaults."""
    if arguments:
        fresh = type(world.tunings[0])()
        name = arguments[0].lower()
        world.tunings[0].change(name, getattr(fresh, name, 0.0))
    else:
        world.tunings[0].reset()


#: Settings of a server that change how tees move, each with its change of the world.
SETTINGS: Mapping[str, Callable[[GameWorld, float], None]] = {
    "sv_no_weak_hook": lambda world, value: setattr(world, "strong_hooks", value != 0),
    "sv_freeze_delay": lambda world, value: setattr(world, "freeze_seconds", max(0, min(30, int(value)))),
    "sv_destroy_bullets_on_death": lambda world, value: setattr(world.shots, "outlive", value == 0),
    "sv_old_laser": lambda world, value: setattr(world.lasers, "old", value != 0),
    "sv_hit": lambda world, value: setattr(world, "hits", value != 0),
    "sv_rescue": lambda world, value: setattr(world, "rescues", value != 0),
    "sv_endless_drag": lambda world, value: setattr(world, "endless_hook", value != 0),
    "sv_teleport_hold_hook": lambda world, value: setattr(world, "keeps_hook", value != 0),
    "sv_teleport_lose_weapons": lambda world, value: setattr(world, "takes_weapons", value != 0),
    "sv_old_teleport_hook": lambda world, value: setattr(world, "old_hooks", value != 0),
    "sv_old_teleport_weapons": lambda world, value: setattr(world, "old_shots", value != 0),
    "sv_deepfly": lambda world, value: setattr(world, "deep_hammer", value != 0),
}
#: Settings and commands that change how tees move and are not simulated, with their default.
NOT_SIMULATED = {"sv_pauseable": "0"}
#: Tiles anywhere on a map that are settings: of the server, or of its tuning.
_SETTING_TILES = {71: ("sv_old_laser", 1.0), 73: ("sv_endless_drag", 1.0), 74: ("sv_hit", 0.0)}
_TUNING_TILES = {72: "player_collision", 75: "player_hooking"}


def prepare(world: GameWorld, header: Header, settings: tuple[str, ...]) -> None:
    """Apply the settings of a header, and the tune zones among the settings of a map."""
    world.random = RandomNumbers(header.text("prng_description") or "")
    tuning = header.fields.get("tuning")
    for name, hundredths in tuning.items() if isinstance(tuning, dict) else ():
        if isinstance(hundredths, str):
            world.tunings[0].change(name, number(hundredths) / 100)
    config = header.fields.get("config")
    for name, value in config.items() if isinstance(config, dict) else ():
        if name in SETTINGS and isinstance(value, str):
            SETTINGS[name](world, number(value))
    layers = world.tiles.layer("game"), world.tiles.layer("front")
    for tile, (name, set_to) in _SETTING_TILES.items():
        if any(tile in layer for layer in layers):
            SETTINGS[name](world, set_to)
    for tile, name in _TUNING_TILES.items():
        if any(tile in layer for layer in layers):
            world.tunings[0].change(name, 0.0)
    for line in settings:
        words = line.replace('"', " ").split()
        if words[:1] == ["tune_zone"]:
            tune_zone(world, words[1:])


#: Commands after which a tee is elsewhere. Those of players also stop and unfreeze their tee.
TELEPORTS = frozenset(
    "tele teleport tp move move_raw left right up down totele totelecp telecursor tc lasttp r rescue".split()
)
#: Those of them that a server can allow without practice (``sv_rescue``).
_RESCUES = frozenset({"r", "rescue"})
#: Those that go to the place that a client looks at, unless they name a player.
_TO_VIEW = frozenset({"tp", "teleport"})
_FLAGS = {name: name for name in ("jetpack", "endless_hook", "solo", "deep")}
_FLAGS |= {"endless": "endless_hook", "infinite_jump": "endless_jump", "infjump": "endless_jump"}
_FLAGS["livefreeze"] = "live"
_WEAPONS = {"shotgun": 4, "grenade": 8, "laser": 16, "rifle": 16, "weapons": 28}
_GUN, _NINJA = 1, 5


def grant(tee: Any, name: str, arguments: tuple[str, ...], tick: int) -> None:
    """Apply a command to a tee on `tick`; other commands do nothing."""
    takes = name.startswith("un") or name == "removeweapon"
    name = name.removeprefix("un")
    if name in _FLAGS:
        setattr(tee, _FLAGS[name], int(not takes))
    elif name in ("addweapon", "removeweapon") and arguments and arguments[0] in tuple("012345"):
        _give(tee, 1 << int(arguments[0]), takes, tick)
    elif name in _WEAPONS:
        _give(tee, _WEAPONS[name], takes, tick)
    elif name == "ninja":
        _give(tee, 1 << _NINJA, takes, tick)


def _give(tee: Any, weapons: int, takes: bool, tick: int) -> None:
    if takes:
        tee.owned &= ~weapons
        if weapons >> tee.weapon & 1:
            tee.weapon = tee.former_weapon if tee.weapon == _NINJA else _GUN
        return
    tee.owned |= weapons
    if weapons >> _NINJA:
        tee.ninja_start = tick
        if tee.weapon != _NINJA:
            tee.former_weapon, tee.weapon = tee.weapon, _NINJA
