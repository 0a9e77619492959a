"""Kill exports, appends, compactions and removals of a lake at random moments, and let two writers write at once:

    python tests/corpus/gate.py [KILLS] [PAIRS]

After each kill the work is done again; in the end, the lake has the rows of an undisturbed one, none twice.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import playhead
from playhead.corpus import check_lake, is_lake
from playhead.registry import list_formats

FEW = "info,players,commands,units"


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "playhead", *map(str, words)]


def export(games: Path, lake: Path) -> list[str]:
    return command("export", games, "-o", lake, "--tables", FEW, "--jobs", 2, "--shard-inputs", 3)


def rows(lake: Path) -> dict[str, list[dict[str, Any]]]:
    opened = playhead.open_lake(lake)
    return {name: opened.table(name).to_pylist() for name in opened.tables}


def write_games(folder: Path, count: int) -> None:
    folder.mkdir()
    sc2 = next(each for each in list_formats() if each.name == "sc2").write_sample(folder)
    data = sc2.read_bytes()
    for number in range(count):
        (folder / f"game{number}.SC2Replay").write_bytes(data + number.to_bytes(4, "little"))
    sc2.unlink()


def killed(words: list[str], moments: random.Random, usual: float) -> bool:
    """Start a command and kill it at a random moment; return whether it was killed before its end."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        process.wait(usual * (0.3 + 0.7 * moments.random()))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True
    return False


def main(kills: int = 60, pairs: int = 20) -> None:
    moments = random.Random(76)
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with tempfile.TemporaryDirectory() as scratch:
        games, more, whole, lake = (Path(scratch, name) for name in ("games", "more", "whole", "lake"))
        write_games(games, 9)
        began = time.monotonic()
        subprocess.run(export(games, whole), check=True, **quiet)
        usual = time.monotonic() - began
        expected = rows(whole)
        write_games(more, 12)  # nine of them are those of games
        gone = {*playhead.scan(more, jobs=0).replays} - {*playhead.open_lake(whole).replays}
        done = 0
        for number in range(kills):
            work = (
                export(games, lake),
                export(more, lake),
                command("lake", "compact", lake, "--keep", 0),
                command("lake", "remove", lake, *sorted(gone)),
            )[number % 4]
            done += killed(work, moments, usual)
            if is_lake(lake):
                rows(lake)  # whatever happened, what is there is whole
            subprocess.run(work, check=False, **quiet)  # the resume
            assert not check_lake(lake), number
            if number % 4 == 3:
                assert rows(lake) == expected, number
        subprocess.run(export(games, lake), check=True, **quiet)
        subprocess.run(command("lake", "remove", lake, *sorted(gone)), check=False, **quiet)
        assert rows(lake) == expected
        print(f"{done} of {kills} killed; the rows are those of an undisturbed export, none twice")
        for number in range(pairs):
            shared = Path(scratch, f"pair{number}")
            both = [subprocess.Popen(export(folder, shared), **quiet) for folder in (games, more)]
            assert [each.wait() for each in both] == [0, 0], number
            found = playhead.open_lake(shared)
            assert len(found) == 12, number
            assert {name: held[:] for name, held in rows(shared).items()}.keys() == expected.keys()
            assert found.rows["players"] == found.table("players").num_rows == 24, number
            assert not check_lake(shared), number
        print(f"{pairs} times two writers at once: every row once")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
