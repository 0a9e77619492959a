"""Record a short game on a real DDNet server: start the server on loopback, run scripted clients, end it.

    python tools/record_ddnet_game.py RUN_FOLDER [--server PROGRAM] [--seconds N] [--kill] [--secrets N]

RUN_FOLDER/teehistorian/ then has the recording, and RUN_FOLDER/sent.json the data sent by each client: name,
clan, every input in order. With --secrets, every command of the server is run with each Nth of `SECRETS` as its
arguments, and sent.json lists them. The server is `DDNet-Server` (Debian, Ubuntu: apt-get install ddnet-server).
The Huffman code of the network protocol requires the `twnet_parser` package.

The clients implement protocol 0.6 as far as necessary to enter a recorded game: connect with a token, answer the
server, acknowledge, send inputs. A packet is 3 bytes of head (6 flag bits, 10 bits acknowledged, number of
chunks), chunks, and the token. A chunk is 2 bytes of head (3 with a sequence number) and a message.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from uuid import UUID, uuid3

#: Namespace of the UUIDs of extended messages.
_NAMESPACE = UUID("e05ddaaa-c4e6-4cfb-b642-5d48e80c0029")

_CONTROL, _RESEND, _COMPRESSED = 4, 16, 32
_VITAL, _RESENT = 1, 2

# System messages (client and server), game messages of the server.
_INFO, _MAP_CHANGE, _CON_READY, _SNAPS = 1, 2, 4, (5, 6, 7)
_READY, _ENTER_GAME, _INPUT, _RCON_COMMAND, _RCON_AUTH = 14, 15, 16, 17, 18
_COMMAND_ADDED = 25
_READY_TO_ENTER = 8
# Game messages of the client.
_SAY, _START_INFO, _KILL, _EMOTICON = 17, 20, 22, 23

_CONFIG = """\
sv_name "playhead test"
sv_register 0
bindaddr 127.0.0.1
sv_ipv4only 1
sv_port {port}
sv_map {map}
sv_tee_historian 1
sv_rcon_password {password}
sv_max_clients 16
sv_max_clients_per_ip 16
sv_connlimit 100
sv_spamprotection 0
sv_kill_delay 0
sv_team 1
"""
_STORAGE = "add_path .\nadd_path {data}\n"
_PASSWORD = "only-on-loopback"

#: Arguments for every command: words, addresses in all forms, and texts that may follow a number.
SECRETS = (
    "sEcReTwOrD more",
    "203.0.113.77",
    "203.0.113.77:8303",
    "[2001:db8::77]:8303",
    "2001:db8::78",
    "203.0.11",
    "3405803853",
    "3 sEcReTtExT",
)
#: More commands than any server has.
_ALL = 1 << 20
#: Commands that would end the game or its recording.
_ENDING = frozenset("shutdown reload hot_reload change_map sv_map exec logout sv_tee_historian random_map".split())
_CHAT_COMMANDS = (
    "credits rules emote eyeemote settings help info me pause spec pausevoted dnd mapinfo timeout practice swap "
    "save load map rankteam teamrank rank top5team teamtop5 top team5 top5 points invite lock unlock join team "
    "showothers showall specteam ninjajetpack saytime saytimeall time timer r kill modhelp"
).split()


def pack_int(value: int) -> bytes:
    """Return a Teeworlds packed int."""
    sign = 0x40 if value < 0 else 0
    value = ~value if value < 0 else value
    out = bytearray([sign | (value & 0x3F)])
    value >>= 6
    while value:
        out[-1] |= 0x80
        out.append(value & 0x7F)
        value >>= 7
    return bytes(out)


def unpack_int(data: bytes) -> tuple[int, bytes]:
    """Return a packed int and the remaining bytes."""
    value, shift, position = data[0] & 0x3F, 6, 0
    while data[position] & 0x80:
        position += 1
        value |= (data[position] & 0x7F) << shift
        shift += 7
    return (~value if data[0] & 0x40 else value), data[position + 1 :]


def pack_text(text: str) -> bytes:
    return text.encode() + b"\0"


def make_inflater() -> Callable[[bytes], bytes]:
    """Return the Huffman decoder of the protocol; symbol 256 ends a packet."""
    from twnet_parser.huffman_twnet_parser import huffman

    symbols = {(node.num_bits, node.bits): symbol for symbol, node in enumerate(huffman.nodes[:257])}

    def inflate(data: bytes) -> bytes:
        bits = int.from_bytes(data, "little")
        left = 8 * len(data)
        out = bytearray()
        code = length = 0
        while length <= 32 and left > -32:
            code |= (bits & 1) << length
            bits >>= 1
            left -= 1
            length += 1
            symbol = symbols.get((length, code))
            if symbol == 256:
                break
            if symbol is not None:
                out.append(symbol)
                code = length = 0
        return bytes(out)

    return inflate


class Client:
    """One scripted player."""

    def __init__(self, name: str, clan: str, port: int, inflate: Callable[[bytes], bytes]) -> None:
        self.name = name
        self.clan = clan
        self.in_game = False
        self.closed: str | None = None
        self.sent_inputs: list[list[int]] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.connect(("127.0.0.1", port))
        self._socket.setblocking(False)
        self._inflate = inflate
        self._dice = random.Random(name)
        self._token: bytes | None = None
        self._sequence = self._acknowledged = 0
        self._unacknowledged: list[tuple[int, bytes]] = []
        self._queue: list[bytes] = []
        self._ask_resend = False
        self._snap: tuple[int, float] | None = None
        self._last_connect = self._last_send = 0.0
        self.offered: list[str] = []  # rcon commands
        self._angle = 0.0
        self._input = [0, 100, 0, 0, 0, 0, 1, 0, 0, 0]

    # -- packets ------------------------------------------------------------------------------------------

    def _send(self, flags: int, chunks: int, payload: bytes) -> None:
        head = bytes([flags << 2 | self._acknowledged >> 8, self._acknowledged & 0xFF, chunks])
        with suppress(ConnectionError):  # the server is not up yet, or down already
            self._socket.send(head + payload + (self._token or b"\xff\xff\xff\xff"))
        self._last_send = time.monotonic()

    def _chunk(self, flags: int, sequence: int, message: bytes) -> bytes:
        size = len(message)
        if not flags & _VITAL:
            return bytes([flags << 6 | size >> 4, size & 0xF]) + message
        head = bytes([flags << 6 | size >> 4, (size & 0xF) | (sequence >> 2 & 0xF0), sequence & 0xFF])
        return head + message

    def _say(self, number: int, body: bytes, *, system: bool, vital: bool = True) -> None:
        message = pack_int(number << 1 | system) + body
        if vital:
            self._sequence = (self._sequence + 1) % 1024
            self._unacknowledged.append((self._sequence, message))
            self._queue.append(self._chunk(_VITAL, self._sequence, message))
        else:
            self._queue.append(self._chunk(0, 0, message))

    def _flush(self) -> None:
        while self._queue:
            batch, size = [], 0
            while self._queue and size + len(self._queue[0]) < 1200:
                batch.append(self._queue.pop(0))
                size += len(batch[-1])
            self._send(_RESEND if self._ask_resend else 0, len(batch), b"".join(batch))
            self._ask_resend = False

    def _receive(self) -> None:
        while True:
            try:
                packet = self._socket.recv(2048)
            except (BlockingIOError, ConnectionError):
                return
            flags, payload = packet[0] >> 2, packet[3:]
            if flags & 8:  # connectionless
                continue
            if flags & _CONTROL:
                self._on_control(payload)
                continue
            if flags & _COMPRESSED:
                payload = self._inflate(payload)
            self._on_acknowledged((packet[0] & 3) << 8 | packet[1])
            if flags & _RESEND:
                self._resend()
            self._on_chunks(packet[2], payload)

    def _on_acknowledged(self, sequence: int) -> None:
        self._unacknowledged = [row for row in self._unacknowledged if not (sequence - row[0]) % 1024 < 512]

    def _resend(self) -> None:
        self._queue += [self._chunk(_VITAL | _RESENT, number, message) for number, message in self._unacknowledged]

    def _on_control(self, payload: bytes) -> None:
        if payload[0] == 2 and self._token is None:  # accepted; "TKEN" announces a token
            self._token = payload[5:9] if payload[1:5] == b"TKEN" else b""
            self._send(_CONTROL, 0, b"\3")
            client_version = uuid3(_NAMESPACE, "clientver@ddnet.tw").bytes + uuid3(_NAMESPACE, self.name).bytes
            self._say(0, client_version + pack_int(16040) + pack_text("playhead test client"), system=True)
            self._say(_INFO, pack_text("0.6 626fce9a778df4d4") + pack_text(""), system=True)
        elif payload[0] == 4:
            self.closed = payload[1:].split(b"\0")[0].decode("utf-8", "replace")

    def _on_chunks(self, count: int, data: bytes) -> None:
        for _ in range(count):
            if len(data) < 3:
                return
            flags, size, head = data[0] >> 6, (data[0] & 0x3F) << 4 | data[1] & 0xF, 2
            if flags & _VITAL:
                head = 3
                sequence = (data[1] & 0xF0) << 2 | data[2]
                if sequence == (self._acknowledged + 1) % 1024:
                    self._acknowledged = sequence
                else:
                    self._ask_resend |= (self._acknowledged - sequence) % 1024 >= 512
                    data = data[head + size :]
                    continue
            message, data = data[head : head + size], data[head + size :]
            if message:
                self._on_message(message)

    # -- messages -----------------------------------------------------------------------------------------

    def _on_message(self, message: bytes) -> None:
        number, body = unpack_int(message)
        if number & 1:
            number >>= 1
            if number in _SNAPS:
                tick, _ = unpack_int(body)
                if self._snap is None or tick > self._snap[0]:
                    self._snap = tick, time.monotonic()
            elif number == _MAP_CHANGE:
                self.in_game, self._snap = False, None
                self._say(_READY, b"", system=True)
            elif number == _COMMAND_ADDED:
                self.offered.append(body.split(b"\0")[0].decode())
            elif number == _CON_READY:
                look = pack_int(-1) + pack_text("default") + pack_int(0) * 3
                self._say(_START_INFO, pack_text(self.name) + pack_text(self.clan) + look, system=False)
        elif number >> 1 == _READY_TO_ENTER and not self.in_game:
            self.in_game = True
            self._say(_ENTER_GAME, b"", system=True)

    def chat(self, text: str) -> None:
        self._say(_SAY, pack_int(0) + pack_text(text), system=False)

    def kill(self) -> None:
        self._say(_KILL, b"", system=False)

    def emote(self, number: int) -> None:
        self._say(_EMOTICON, pack_int(number), system=False)

    def log_in(self, password: str) -> None:
        """Log in as administrator, and request the list of commands."""
        self._say(_RCON_AUTH, pack_text("") + pack_text(password) + pack_int(1), system=True)

    def console(self, line: str) -> None:
        self._say(_RCON_COMMAND, pack_text(line), system=True)

    def leave(self, reason: str) -> None:
        self._flush()
        self._send(_CONTROL, 0, b"\4" + pack_text(reason))
        self.closed = reason

    # -- playing ------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Do the work of a 20 ms step."""
        if self.closed is not None:
            return
        self._receive()
        now = time.monotonic()
        if self._token is None:
            if now - self._last_connect > 0.5:
                self._last_connect = now
                self._send(_CONTROL, 0, b"\1TKEN")
            return
        if self.in_game and self._snap is not None:
            self._wander()
            tick = self._snap[0] + int((now - self._snap[1]) * 50) + 3
            body = pack_int(-1) + pack_int(tick) + pack_int(40) + b"".join(map(pack_int, self._input))
            self._say(_INPUT, body, system=True, vital=False)
            self.sent_inputs.append(list(self._input))
        elif now - self._last_send > 0.5:
            self._send(_CONTROL, 0, b"\0")  # keep-alive
        self._flush()

    def _wander(self) -> None:
        dice, values = self._dice, self._input
        if dice.random() < 0.05:
            values[0] = dice.choice((-1, 0, 1))
        if dice.random() < 0.6:
            self._angle += dice.gauss(0, 0.2)
            values[1], values[2] = int(250 * math.cos(self._angle)) or 1, int(250 * math.sin(self._angle))
        if dice.random() < 0.08:
            values[3] ^= 1
        if dice.random() < 0.06:
            values[4] = (values[4] + 1) % 64
        if dice.random() < 0.05:
            values[5] ^= 1


def find_server() -> str | None:
    """Return the path of the installed server; None if there is no server."""
    return shutil.which("DDNet-Server") or shutil.which("DDNet-Server", path="/usr/games:/usr/local/games")


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def play(clients: list[Client], seconds: float) -> None:
    """Run the clients for a while, fifty steps per second."""
    end = time.monotonic() + seconds
    following = time.monotonic()
    while time.monotonic() < end:
        for client in clients:
            client.step()
        following += 0.02
        time.sleep(max(0.0, following - time.monotonic()))


def wait_for(clients: list[Client], done: Callable[[], bool], patience: float) -> None:
    end = time.monotonic() + patience
    while not done():
        if time.monotonic() > end:
            states = [(client.name, client.in_game, client.closed) for client in clients]
            raise TimeoutError(f"the server did not respond as expected; clients: {states}")
        play(clients, 0.1)


def _is_harsh(command: str) -> bool:
    return any(word in command for word in ("kick", "ban", "kill", "force", "vote", "password", "net_", "sv_max"))


def type_secrets(
    clients: list[Client], moderator: Client, player: Client, secrets: Sequence[str], commands: int
) -> None:
    """Run every rcon and chat command with each of the secrets; not those offered after the first `commands`."""
    known = -1
    while known < len(moderator.offered) < commands:  # the server sends the names in parts, ten a second
        known = len(moderator.offered)
        play(clients, 3)
    # Commands that may disconnect the moderator come last.
    offered = [name for name in moderator.offered if name not in _ENDING]
    lines = [f"{name} {secret}" for secret in secrets for name in offered if not _is_harsh(name)]
    lines += [f"{name} {secret}" for secret in secrets for name in offered if _is_harsh(name)]
    chat = [f"/{name} {secret}" for secret in secrets for name in _CHAT_COMMANDS]
    while lines or chat:
        for line in lines[:20]:
            moderator.console(line)
        for line in chat[:2]:
            player.chat(line)
        lines, chat = lines[20:], chat[2:]
        play(clients, 0.06)
    play(clients, 1)


def record(
    folder: Path,
    server: str,
    seconds: float,
    *,
    kill: bool,
    secrets: Sequence[str] = (),
    commands: int = _ALL,
    map_name: str = "Tutorial",
) -> None:
    """Record one game; `kill` ends the server with SIGKILL, every command is run with each of the `secrets`,
    or those of the first `commands`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "teehistorian").mkdir(exist_ok=True)
    port = free_port()
    (folder / "autoexec_server.cfg").write_text(_CONFIG.format(port=port, map=map_name, password=_PASSWORD))
    (folder / "storage.cfg").write_text(_STORAGE.format(data="/usr/share/games/ddnet/data"))
    inflate = make_inflater()
    clients = [Client(name, "test", port, inflate) for name in ("anna", "bert", "Cärl✓", "dora")]
    anna, bert, carl, dora = clients
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen([server], cwd=folder, stdout=log, stderr=log)
        try:
            wait_for(clients, lambda: all(client.in_game for client in clients), 20)
            anna.log_in(_PASSWORD)
            play(clients, seconds / 4)
            bert.chat("/team 5")
            carl.emote(3)
            anna.chat("hello, this is not recorded")
            play(clients, seconds / 4)
            anna.console('broadcast "two words"')
            bert.kill()
            carl.chat("/emote happy 2")
            play(clients, seconds / 4)
            dora.leave("good bye")
            play(clients, seconds / 4)
            if secrets:
                type_secrets(clients, anna, bert, secrets, commands)
            if kill:
                process.kill()
            else:
                anna.console("shutdown")
                wait_for(clients, lambda: process.poll() is not None, 10)
            process.wait(10)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait(10)
    sent = {client.name: {"clan": client.clan, "inputs": client.sent_inputs} for client in clients}
    if secrets:
        sent = {"secrets": secrets, "offered": anna.offered, "names": [client.name for client in clients]}
    (folder / "sent.json").write_text(json.dumps(sent))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="RUN_FOLDER")
    parser.add_argument("--server", default=find_server(), help="the server's program")
    parser.add_argument("--seconds", type=float, default=8.0, help="length of the game")
    parser.add_argument("--kill", action="store_true", help="kill the server instead of shutting it down")
    parser.add_argument("--commands", type=int, default=_ALL, help="run only the first so many of them")
    parser.add_argument("--secrets", type=int, metavar="N", help="run every command with each Nth of the secrets")
    options = parser.parse_args()
    if options.server is None:
        parser.error("no DDNet-Server found; install it or name it by --server")
    secrets = SECRETS[:: options.secrets] if options.secrets else ()
    typed = {"secrets": secrets, "commands": options.commands}
    record(options.folder, options.server, options.seconds, kill=options.kill, **typed)


if __name__ == "__main__":
    main()
