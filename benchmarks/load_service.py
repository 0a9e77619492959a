"""Thirty clients send replays and hostile files to `playhead serve`, and ask for tables, for some seconds.

    python benchmarks/load_service.py replays/ --seconds 60 --clients 30

Each replay is sent with other bytes at its end too, so that it is read again. Prints how many requests of each
kind were answered with which status, how long they took, and the memory of the service and of its processes.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from http.client import HTTPConnection
from itertools import count
from pathlib import Path

from playhead.io.inputs import expand_inputs
from playhead.registry import is_replay
from playhead.runtime.bounded import resident_memory

#: Part of the requests that are hostile, and that ask for tables.
HOSTILE, QUESTIONS = 0.3, 0.3


class Load:
    """What the clients share."""

    def __init__(self, port: int, token: str, replays: list[bytes], end: float) -> None:
        self.port, self.token, self.replays, self.end = port, token, replays, end
        self.seconds: dict[tuple[str, int], list[float]] = defaultdict(list)
        self.numbers = count()
        self.broken: Counter[str] = Counter()

    def client(self, seed: int) -> None:
        """Send and ask until the end."""
        chance = random.Random(seed)
        while time.monotonic() < self.end:
            kind, path, body = self._next(chance)
            began = time.monotonic()
            connection = HTTPConnection("127.0.0.1", self.port, timeout=600)
            try:
                headers = {"Authorization": f"Bearer {self.token}"}
                connection.request("GET" if body is None else "POST", path, body, headers)
                answer = connection.getresponse()
                answer.read()
                self.seconds[kind, answer.status].append(time.monotonic() - began)
            except OSError as error:
                self.broken[f"{kind}: {error}"] += 1
            finally:
                connection.close()

    def _next(self, chance: random.Random) -> tuple[str, str, bytes | None]:
        draw, replay = chance.random(), chance.choice(self.replays)
        if draw < QUESTIONS:
            form = chance.choice(["json", "csv", "parquet", "arrow"])
            return "question", f"/tables/{chance.choice(['players', 'info'])}?format={form}", None
        if draw < QUESTIONS + HOSTILE:
            bodies = [
                b"junk",
                replay[: len(replay) // 2],
                gzip.compress(replay[:64] + bytes(50 << 20)),
                bytes(1000),
            ]
            damaged = bytearray(replay)
            for _ in range(20):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            return "hostile", "/replays", chance.choice([*bodies, bytes(damaged)])
        return "replay", "/replays", replay + next(self.numbers).to_bytes(4, "little")


def main() -> None:
    """Start a service, load it, print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("replays", nargs="+")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=30)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--most-bytes", type=int, default=1 << 20, help="larger replays are left out")
    asked = parser.parse_args()
    paths = [each.path for each in expand_inputs(asked.replays) if each.error is None and is_replay(each.path)]
    replays = [Path(each).read_bytes() for each in paths if os.path.getsize(each) <= asked.most_bytes]
    with tempfile.TemporaryDirectory() as folder:
        tokens = Path(folder) / "tokens"
        tokens.write_text("load a-token-of-the-load-test\n")
        words = [
            "serve",
            f"{folder}/lake",
            "--port",
            "0",
            "--tokens",
            tokens,
            "--jobs",
            asked.jobs,
            "--rate",
            "1000000",
        ]
        server = subprocess.Popen([sys.executable, "-m", "playhead", *words], stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        port = int(server.stdout.readline().rstrip("/\n").rpartition(":")[2])
        load = Load(port, "a-token-of-the-load-test", replays, time.monotonic() + asked.seconds)
        clients = [threading.Thread(target=load.client, args=(seed,)) for seed in range(asked.clients)]
        for each in clients:
            each.start()
        most = 0
        while any(each.is_alive() for each in clients):
            most = max(most, resident_memory(server.pid) or 0)
            time.sleep(0.2)
        server.terminate()
        server.wait()
        print(
            f"{len(replays)} replays, {asked.clients} clients, {asked.seconds:g} s, load {os.getloadavg()[0]:.1f}"
        )
        for (kind, status), seconds in sorted(load.seconds.items()):
            seconds.sort()
            middle, late = seconds[len(seconds) // 2], seconds[int(len(seconds) * 0.95)]
            print(
                f"{kind:9} {status} {len(seconds):6}  median {middle:.2f}, 95 % {late:.2f}, most {seconds[-1]:.2f}"
            )
        print(f"broken connections: {dict(load.broken) or 'none'}; memory of the service {most >> 20} MiB")
        subprocess.run([sys.executable, "-m", "playhead", "lake", "check", f"{folder}/lake"], check=False)


if __name__ == "__main__":
    main()
