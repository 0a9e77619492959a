"""Cost of the first file of a process, by phase.

    python benchmarks/bench_source2_cold.py FILE.dem [--runs 15]

CPU milliseconds, the minimum of several processes for each phase. The import of an editable install checks for
recompilation: measure an installed wheel. The second file is the same one again, with a known build.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

_PHASES = """
import json, sys, time
marks = [("start of Python", time.process_time_ns())]
def done(phase):
    marks.append((phase, time.process_time_ns()))
import playhead
done("import playhead")
import playhead.dota2.replay
done("import of the Source 2 and Dota 2 modules")
replay = playhead.open(sys.argv[1])
done("open")
replay.recording.send_tables, replay.recording.class_names, replay.recording.schema
done("schema")
playback = replay.playback()
playback.run()
done("every entity")
replay = playhead.open(sys.argv[1])
replay.recording.schema
done("second file: open and schema")
playback = replay.playback()
playback.run()
done("second file: every entity")
before = [0, *(at for _, at in marks)]
print(json.dumps({phase: (at - earlier) / 1e6 for (phase, at), earlier in zip(marks, before)}))
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--runs", type=int, default=15)
    given = parser.parse_args()
    command = [sys.executable, "-c", _PHASES, given.file]
    runs = [json.loads(subprocess.check_output(command)) for _ in range(given.runs)]
    for phase in runs[0]:
        print(f"{phase:44}{min(run[phase] for run in runs):8.2f} ms")


main()
