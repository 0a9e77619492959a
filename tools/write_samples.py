"""Write the recordings that playhead stores, or a longer one.

python tools/write_samples.py                                       # into src/playhead/samples/stored
python tools/write_samples.py DIR --game cs2 --minutes 40 --seed 3  # a match of 40 minutes into DIR

A stored file whose content stays is not written again: another version of liblzma may compress it otherwise.
"""

from __future__ import annotations

import argparse
import lzma
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.samples.games import LONG, stored_samples, write_match

STORED = Path(__file__).parents[1] / "src" / "playhead" / "samples" / "stored"
#: An xz file names its checksum, preset and sizes alone: the same content gives the same bytes.
PRESET = 9 | lzma.PRESET_EXTREME


def store() -> None:
    """Write the stored files that changed, and remove those that are no longer made."""
    STORED.mkdir(exist_ok=True)
    left = set(STORED.iterdir())
    for name, data in stored_samples():
        path = STORED / f"{name}.xz"
        if path not in left or lzma.decompress(path.read_bytes()) != data:
            path.write_bytes(lzma.compress(data, preset=PRESET))
            print(f"wrote {path.name}: {path.stat().st_size:,} bytes")
        left.discard(path)
    for path in left:
        path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR")
    parser.add_argument("--game", choices=LONG, default="dota2")
    parser.add_argument("--minutes", type=float, default=10.0, help="at least 2 for cs2 and deadlock (10)")
    parser.add_argument("--seed", type=int, help="another match of cs2 or deadlock")
    arguments = parser.parse_args()
    if arguments.folder is None:
        store()
        return
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for path in write_match(arguments.game, arguments.folder, arguments.minutes, arguments.seed):
        print(path)


if __name__ == "__main__":
    main()
