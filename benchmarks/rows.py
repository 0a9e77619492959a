"""The rows of `all.py`: measurements, files, peers and targets."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import measure
from measure import Missing, Side, Taken, by_clock, in_turns, job, peer_job, process, source2_demo


@dataclass
class Line:
    """One line of the table; times in seconds of CPU.

    Attributes:
        case: the case, mostly the file.
        cold, warm: playhead's times.
        peers: times by peer; a text is the reason for a missing one.
        value: a value that is not a time: ``1.8 ×``, ``210 MB``.
    """

    case: str
    cold: float | None = None
    warm: float | None = None
    peers: dict[str, Taken | str] = field(default_factory=dict)
    value: str = ""


class Files:
    """The files to measure: those of the corpus, and synthetic ones, which are written on first use."""

    def __init__(self, corpus: Path, scratch: Path, *, minutes: float, megabytes: int, step: int) -> None:
        self.corpus = corpus
        self.scratch = scratch
        self.minutes = minutes
        self.megabytes = megabytes
        self.step = step

    def of(self, name: str) -> Path:
        """Return a file or folder of the corpus.

        Raises:
            Missing: the corpus lacks it.
        """
        path = self.corpus / name
        if not path.exists():
            raise Missing(f"{name} is not in {self.corpus} (PLAYHEAD_CORPUS names the folder of recordings)")
        return path

    @cached_property
    def sample(self) -> Path:
        """The small synthetic match of 40 minutes."""
        from tests.samples.source2.match_demo import match_demo

        return self._written("sample_40min.dem", lambda path: path.write_bytes(match_demo(40)[0]))

    @cached_property
    def cs2_match(self) -> Path:
        """The written CS2 match of 40 minutes."""
        from tests.samples.source2.cs2_match.demo import write_cs2_match

        return self._written("cs2_40min.dem", lambda path: path.write_bytes(write_cs2_match(40).data))

    @cached_property
    def deadlock_match(self) -> Path:
        """The written Deadlock match of 30 minutes, as before the update of 29 September 2026."""
        from tests.samples.source2.deadlock.recording import WrittenMatch

        return self._written("deadlock_30min.dem", lambda path: path.write_bytes(WrittenMatch(30).demo()))

    @cached_property
    def real_size(self) -> Path:
        """A synthetic match of realistic size."""
        from real_match import real_match

        return self._written(f"real_{self.minutes:g}min.dem", lambda path: real_match(path.parent, self.minutes))

    @cached_property
    def long_match(self) -> Path:
        """A synthetic match of realistic size and 40 minutes, written by a process of its own: a process begins
        with the peak memory of the one that starts it."""
        script = Path(__file__).with_name("real_match.py")
        return self._written(
            "real_40min.dem",
            lambda path: subprocess.run([sys.executable, str(script), str(path.parent), "40"], check=True),
        )

    @cached_property
    def recording(self) -> Path:
        """A synthetic teehistorian recording."""
        from bench_teehistorian_large import write_large

        name = f"large_{self.megabytes}.teehistorian"
        return self._written(name, lambda path: write_large(path, self.megabytes, compressed=False))

    def _written(self, name: str, write: Callable[[Path], object]) -> Path:
        path = self.scratch / name
        if not path.exists():
            print(f"writing {name}", file=sys.stderr)
            write(path)
        return path

    @cached_property
    def sc2(self) -> list[Path]:
        """Every StarCraft II replay; see `some_sc2`."""
        found = sorted(path for path in self.of("sc2").rglob("*") if path.suffix.lower() == ".sc2replay")
        if not found:
            raise Missing("no StarCraft II replay is in the corpus")
        return found

    @property
    def some_sc2(self) -> list[Path]:
        """Every `step`-th StarCraft II replay."""
        return self.sc2[:: self.step]

    @property
    def one_sc2(self) -> Path:
        """The replay of median size among those of patch 5, whose results are recorded."""
        found = [path for path in self.sc2 if path.parent.name.startswith("5.")] or self.sc2
        return sorted(found, key=lambda path: path.stat().st_size)[len(found) // 2]

    @cached_property
    def both_read(self) -> list[Path]:
        """The replays of `some_sc2` of which the crate s2protocol reads as many events as playhead."""
        reported = measure.s2protocol_rs(self.some_sc2, 1)
        return [path for path, each in zip(self.some_sc2, reported, strict=True) if not each["error"]]

    @cached_property
    def sc2reader_reads(self) -> list[Path]:
        """The replays of `some_sc2` that sc2reader reads."""
        found = peer_job("sc2reader", "sc2reader_reads", *self.some_sc2, runs=1)().facts["read"]
        return [self.some_sc2[number] for number in found]


_Lines = Callable[[Files, int], Iterator[Line]]
_Paths = Callable[[Files], Sequence[Path]]


@dataclass(frozen=True)
class Profiled:
    """A job whose stages the page shows: its name, its files, and their compression."""

    job: str
    paths: _Paths
    compression: str


@dataclass(frozen=True)
class Row:
    """A row of the table: a name for ``--only``, its title, its target, and its measurement.

    Attributes:
        profiled: the job to profile; None if the row measures a start, or the work of another row.
    """

    name: str
    title: str
    target: str
    lines: _Lines
    profiled: Profiled | None = None


ROWS: dict[str, Row] = {}


def row(name: str, title: str, target: str, profiled: Profiled | None = None) -> Callable[[_Lines], _Lines]:
    """Register a row with the lines that the function yields, given the files and the number of rounds."""

    def add(lines: _Lines) -> _Lines:
        ROWS[name] = Row(name, title, target, lines, profiled)
        return lines

    return add


def compared(case: str, ours: Side, rounds: int, **peers: Callable[[], Side]) -> Line:
    """Measure playhead and the available peers in turns."""
    line = Line(case)
    sides = {}
    for name, make in peers.items():
        shown = name.replace("_", "-")
        try:
            side = make()
            line.peers[shown] = side()  # the rounds warm up its files
            sides[shown] = side
        except Missing as reason:
            line.peers[shown] = str(reason)
    taken = in_turns([ours, *sides.values()], rounds)
    line.cold, line.warm = taken[0].cold, taken[0].warm
    line.peers.update(zip(sides, taken[1:], strict=True))
    return line


# -- Source 2 ------------------------------------------------------------------------------------------------

_DEMOS = {
    "bots": "source2/dota2_build9912_10bots.dem",
    "Deadlock": "source2/deadlock_10423.dem",
    "CS2": "source2/cs2_14065.dem",
    "POV": "source2/dota2_pov.dem",
    "broadcast": "source2/deadlock_broadcast",
}


def _demos(files: Files) -> Iterator[tuple[str, Path, Path]]:
    """Yield cases, each with the file for playhead and that for its peers."""
    from compare import as_demo

    for case, name in _DEMOS.items():
        path = files.of(name)
        yield case, path, as_demo(path, files.scratch) if path.is_dir() else path
    yield f"{files.minutes:g} min of real size", files.real_size, files.real_size
    yield "CS2, 40 min written", files.cs2_match, files.cs2_match


@row(
    "entities",
    "Source 2, full entity decode",
    "≤ 0.7 × source2-demo, warm",
    Profiled("entities", lambda files: [files.real_size], "Snappy"),
)
def _entities(files: Files, rounds: int) -> Iterator[Line]:
    for case, path, theirs in _demos(files):
        peers: dict[str, Callable[[], Side]] = {"source2_demo": lambda theirs=theirs: source2_demo(theirs)}
        if case == "bots":
            peers |= {"manta": lambda path=path: measure.manta(path)}
            peers |= {"gem_dota": lambda path=path: peer_job("gem", "gem_parse", path, runs=2)}
        if case == "CS2":
            peers |= {"demoparser2": lambda path=path: peer_job("demoparser2", "demoparser", path)}
        yield compared(case, job("entities", path), rounds, **peers)


@row(
    "cs2",
    "CS2 match of 40 minutes: players at every tick; kills, damages, rounds; all tables",
    "≤ demoparser2; ≤ awpy",
)
def _cs2(files: Files, rounds: int) -> Iterator[Line]:
    path = files.cs2_match
    ticks = {"demoparser2": lambda: peer_job("demoparser2", "demoparser_ticks", path)}
    yield compared("eight columns", job("cs2_players", path), rounds, **ticks)
    theirs = {"demoparser2": lambda: by_clock(peer_job("demoparser2", "demoparser_ticks", path))}
    yield compared("eight columns, all cores by the clock", by_clock(job("cs2_players_2", path)), rounds, **theirs)
    fights = {"awpy": lambda: peer_job("awpy", "awpy_fights", path)}
    for case, name in (("fights", "cs2_fights"), ("fights, a call each", "cs2_fights_one_by_one")):
        yield compared(case, job(name, path), rounds, **fights)
    together = {"one_read_tables": lambda: job("cs2_sixteen", path, runs=3)}
    yield compared("16 tables, a call each", job("cs2_sixteen_one_by_one", path, runs=3), rounds, **together)
    forty = {"awpy": lambda: peer_job("awpy", "awpy_columns", path)}
    yield compared("51 columns, awpy 40", job("cs2_all_columns", path), rounds, **forty)
    yield compared("all tables", job("cs2_tables", path), rounds)


@row("deadlock", "Deadlock match of 30 minutes", "≤ player_ticks; ≤ load; ≤ 4 × its entities")
def _deadlock(files: Files, rounds: int) -> Iterator[Line]:
    path = files.deadlock_match
    for case, name in (("players at every tick", "players"), ("kills, damage, items", "fights")):
        theirs = {"boon": lambda name=name: peer_job("boon", f"boon_{name}", path)}
        yield compared(case, job(f"deadlock_{name}", path), rounds, **theirs)
    entities, tables = (
        compared(case, job(name, path), rounds)
        for case, name in (("entities", "entities"), ("all tables", "deadlock_tables"))
    )
    tables.value = f"{(tables.warm or 0) / (entities.warm or 1):.2f} × the decode of its entities"
    yield from (entities, tables)


@row("first", "entity decode, first file of a process, whole process", "≤ 45 ms")
def _first(files: Files, rounds: int) -> Iterator[Line]:
    path = files.of(_DEMOS["bots"])
    code = "import sys, playhead; playhead.open(sys.argv[1]).playback().run()"
    ours = lambda: process([sys.executable, "-c", code, str(path)])  # noqa: E731
    line = compared("bots", ours, rounds * 2, source2_demo=lambda: source2_demo(path, 1))
    line.warm = None
    yield line


#: First calls: the files, and the tables that people ask for first.
_FIRST = {
    "Dota 2": ("source2/dota2_build9912_10bots.dem", "kills"),
    "CS2": ("source2/cs2_14090.dem", "kills"),
    "Deadlock": ("source2/deadlock_10423.dem", "kills"),
    "StarCraft II": ("", "units"),
    "DDNet": ("teehistorian/deb16.4", "positions"),
}


@row("calls", "`open(FILE).table(NAME)` in a new process", "first − second call ≤ 40 ms beside pyarrow")
def _calls(files: Files, rounds: int) -> Iterator[Line]:
    command = [sys.executable, "-c", "import pyarrow"]
    yield Line("import pyarrow", in_turns([lambda: process(command)], rounds * 2)[0].cold)
    for case, (name, table) in _FIRST.items():
        path = files.of(name) if name else files.one_sc2
        path = next(path.glob("*.teehistorian")) if path.is_dir() else path
        for what, before in ((table, "-"), (f"{table}, pyarrow imported before", "pyarrow")):
            side = job("one_table", path, Path(table), Path(before), runs=3)
            taken = [side() for _ in range(rounds * 2)]
            first, second = min(each.facts["first"] for each in taken), min(each.warm for each in taken)
            yield Line(f"{case}: {what}", first, second, value=f"first − second {(first - second) * 1e3:.0f} ms")


@row("schema", "schema of a build never seen; seen before", "≤ 4 ms; ≤ 1 ms")
def _schema(files: Files, rounds: int) -> Iterator[Line]:
    side = job("schema", files.of(_DEMOS["CS2"]), files.of(_DEMOS["bots"]))
    taken = [side().facts for _ in range(rounds)]
    new, known = (min(each[key] for each in taken) for key in ("new", "known"))
    classes = taken[0]["classes"]
    yield Line(f"bots, {classes:,} classes", value=f"{new * 1e3:.1f} ms new, {known * 1e3:.2f} ms known")


@row(
    "arrow",
    "entities, string tables and combat log into Arrow",
    "≤ 1.5 × source2-demo",
    Profiled("arrow", lambda files: [files.of(_DEMOS["bots"])], "Snappy"),
)
def _arrow(files: Files, rounds: int) -> Iterator[Line]:
    path = files.of(_DEMOS["bots"])
    yield compared("bots", job("arrow", path), rounds, source2_demo=lambda: source2_demo(path))


@row(
    "chat",
    "chat of the 40-minute sample, with clock and heroes",
    "≤ 1.5 × its entities",
    Profiled("chat_table", lambda files: [files.sample], "Snappy"),
)
def _chat(files: Files, rounds: int) -> Iterator[Line]:
    for case, name in (
        ('table("chat")', "chat_table"),
        ('events("chat_sent")', "chat_events"),
        ("all entities", "entities"),
    ):
        yield compared(case, job(name, files.sample), rounds)


@row(
    "dota2",
    "all Dota 2 tables of a match of real size",
    "≤ 6 × the entity decode; 40 minutes in 1 GB",
    Profiled("all_tables", lambda files: [files.real_size], "Snappy"),
)
def _dota2(files: Files, rounds: int) -> Iterator[Line]:
    names = ("entities", "all_tables", "all_columns")
    bare, tables, columns = in_turns([job(name, files.real_size, runs=2) for name in names], rounds)
    for case, taken in (("JSON when it is read", tables), ("all JSON read", columns)):
        peak = f"{(taken.peak or 0) / 1e6:.0f} MB at the peak"
        case = f"{files.minutes:g} min of real size, {case}"
        yield Line(case, taken.cold, taken.warm, {"entity decode": bare}, peak)


@row("dota2-export", "all tables of a Dota 2 match of 40 minutes of real size to Parquet", "≤ 500 MB at the peak")
def _dota2_export(files: Files, rounds: int) -> Iterator[Line]:
    with tempfile.TemporaryDirectory(dir=files.scratch) as folder:
        out = Path(folder, "tables")
        program = [sys.executable, "-m", "playhead", "export", str(files.long_match), "-o", str(out)]
        code = f"import playhead; playhead.open({str(files.long_match)!r}).export({str(out)!r})"
        cases = {
            "playhead export": program,
            "Replay.export": [sys.executable, "-c", code],
            "playhead export --jobs 2": [*program, "--jobs", "2"],
        }
        taken = in_turns([lambda command=command: process(command) for command in cases.values()], rounds)
        count = len(list(out.glob("*.parquet")))
    for case, each in zip(cases, taken, strict=True):
        clock = f"{count} tables; {each.facts['wall']:.1f} s by the clock"
        yield Line(case, each.cold, value=f"{clock}; {(each.peak or 0) / 1e6:.0f} MB at the peak")


@row("segments", "segments of one file on 2 cores", "≥ 1.8 × one core")
def _segments(files: Files, rounds: int) -> Iterator[Line]:
    for case, path in (
        (f"{files.minutes:g} min of real size, wall time", files.real_size),
        ("40-minute sample, wall time", files.sample),
    ):
        times = [
            [job(name, path, runs=3)().facts["wall"] for name in ("segments_1", "segments_2")]
            for _ in range(rounds)
        ]
        one, two = (min(column) for column in zip(*times, strict=True))
        yield Line(case, value=f"{one:.2f} s, {two:.2f} s: {one / two:.2f} ×")


# -- StarCraft II --------------------------------------------------------------------------------------------


def _stored(paths: Sequence[Path]) -> float:
    """Return the megabytes of the files."""
    return sum(path.stat().st_size for path in paths) / 1e6


def _by_size(line: Line, megabytes: float) -> Line:
    """Convert the warm times of a line to times per megabyte."""
    if line.warm is not None:
        line.value = f"{line.warm / megabytes:.3f} CPU s/MB"
    for name, taken in line.peers.items():
        if isinstance(taken, Taken):
            line.value += f"; {name} {taken.warm / megabytes:.3f}"
    return line


@row(
    "sc2-columns",
    "StarCraft II: all events to columns, from the path",
    "≤ the crate s2protocol (0.115 CPU s/MB)",
    Profiled("sc2_columns", lambda files: files.both_read, "bz2"),
)
def _sc2_columns(files: Files, rounds: int) -> Iterator[Line]:
    paths = files.both_read

    def crate() -> Taken:
        reported = measure.s2protocol_rs(paths)
        return Taken(None, sum(min(each["times"]) for each in reported))

    ours = job("sc2_columns", *paths, runs=3)
    line = compared(
        f"{len(paths)} files that both read",
        ours,
        rounds,
        s2protocol_crate=lambda: crate,
        s2protocol_Python=lambda: peer_job("s2protocol", "s2protocol", *paths, runs=1),
    )
    yield _by_size(line, _stored(paths))


@row(
    "sc2-events",
    "typed events, kept in a list",
    "≤ 0.25 CPU s/MB",
    Profiled("sc2_events", lambda files: files.sc2reader_reads, "bz2"),
)
def _sc2_events(files: Files, rounds: int) -> Iterator[Line]:
    paths = files.sc2reader_reads
    line = compared(
        f"{len(paths)} files that both read",
        job("sc2_events", *paths, runs=2),
        rounds,
        sc2reader=lambda: peer_job("sc2reader", "sc2reader", *paths, runs=1),
    )
    yield _by_size(line, _stored(paths))


@row(
    "sc2-tables",
    "all tables without `events`, with",
    "≤ 0.30, 0.60 CPU s/MB",
    Profiled("all_tables", lambda files: files.sc2reader_reads, "bz2"),
)
def _sc2_tables(files: Files, rounds: int) -> Iterator[Line]:
    paths = files.sc2reader_reads
    megabytes = _stored(paths)
    line = compared(
        f"{len(paths)} files, without",
        job("tables_without_events", *paths, runs=2),
        rounds,
        spawningtool=lambda: peer_job("spawningtool", "spawningtool", *paths, runs=1),
    )
    yield _by_size(line, megabytes)
    yield _by_size(compared("with", job("all_tables", *paths, runs=2), rounds), megabytes)


@row(
    "sc2-at", "`at` in a StarCraft II replay", "≤ 22 ms", Profiled("sc2_at", lambda files: [files.one_sc2], "bz2")
)
def _sc2_at(files: Files, rounds: int) -> Iterator[Line]:
    path = files.one_sc2
    yield compared(f"the middle of a game, {path.stat().st_size / 1e3:.0f} kB", job("sc2_at", path), rounds)


# -- the command line ----------------------------------------------------------------------------------------


@row("info", "`playhead info` on one file, whole process; a file in a batch", "≤ 70 ms; 3 ms")
def _info(files: Files, rounds: int) -> Iterator[Line]:
    cases = {case: files.of(_DEMOS[case]) for case in ("bots", "CS2", "Deadlock")}
    cases["StarCraft II"] = files.one_sc2
    cases["teehistorian, 230 kB"] = next(files.of("teehistorian/deb16.4").glob("*.teehistorian"))
    for case, path in cases.items():
        command = [sys.executable, "-m", "playhead", "info", str(path)]
        taken = in_turns([lambda command=command: process(command)], rounds * 2)[0]
        yield Line(case, taken.cold)
    taken = in_turns([job("info_batch", *files.sc2, runs=2)], 1)[0]
    count = len(files.sc2)
    yield Line(f"{count} replays of StarCraft II", value=f"{taken.warm / count * 1e3:.2f} ms a file")


@row("import", "`import playhead`, whole process", "≤ 25 ms; `--help` ≤ 60 ms")
def _import(files: Files, rounds: int) -> Iterator[Line]:
    for case, code in (
        ("import playhead", "import playhead"),
        ("and all its names", "from playhead import *"),
        ("playhead --help", "import sys; sys.argv[1:] = ['--help']; from playhead.cli import main; main()"),
        ("Python alone", "pass"),
    ):
        command = [sys.executable, "-c", code]
        yield Line(case, in_turns([lambda command=command: process(command)], rounds * 4)[0].cold)


@row(
    "install",
    "installation: a wheel compiled from the sources; that wheel installed",
    "≤ 60 × a compiled function",
)
def _install(files: Files, rounds: int) -> Iterator[Line]:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    tools = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # meson and ninja
    alone = ["env", "CCACHE_DISABLE=1", f"PATH={tools}"]
    with tempfile.TemporaryDirectory(dir=files.scratch) as folder:
        wheel_of = [*alone, *pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder]
        trivial = measure.HERE / "trivial"
        # A wheel keeps all cores busy for minutes, in their slow moments too. So all cores make the unit at once,
        # and it is the mean of those before and after the wheel.
        cores = os.cpu_count() or 1
        units = 6 * cores
        compiled = (
            f"{sys.executable} -m cython -3 {trivial}/trivial.py -o {folder}/%.c && cc -O2 -fPIC -shared "
            f"-I{sysconfig.get_path('include')} {folder}/%.c -o {folder}/%.so"
        )
        modules = [*alone, "sh", "-c", f"seq {units} | xargs -P {cores} -I % sh -c '{compiled}'"]
        before = process(modules)
        made = process([*wheel_of, str(measure.HERE.parent)])
        after = process(modules)
        module = Taken(None, (before.warm + after.warm) / (2 * units))
        trivial_wheel = in_turns([lambda: process([*wheel_of, str(trivial)])], rounds)[0]
        wheel = next(Path(folder).glob("playhead-*.whl"))
        command = [*pip, "install", "--no-deps", "--force-reinstall", "--target", f"{folder}/site", str(wheel)]
        taken = in_turns([lambda: process(command)], rounds)[0]
        peers: dict[str, Taken | str] = {
            "a module of one function: translated, compiled, linked": module,
            "its wheel": trivial_wheel,
        }
        yield Line("wheel", made.cold, peers=peers, value=f"{wheel.stat().st_size / 1e6:.1f} MB")
        yield Line("the wheel installed", taken.cold)


@row("export", "export of 300 StarCraft II replays", "≤ 6 s by the clock of two cores; ≤ 60 MB in a dataset")
def _export(files: Files, rounds: int) -> Iterator[Line]:
    paths = files.sc2[:300]
    stored = sum(path.stat().st_size for path in paths) / 1e6
    with tempfile.TemporaryDirectory(dir=files.scratch) as folder:
        names = Path(folder) / "files.txt"
        names.write_text("\n".join(map(str, paths)), encoding="utf-8")
        command = [sys.executable, "-m", "playhead", "export", f"@{names}", "--jobs", "2", "-o"]
        taken = []
        for number in range(rounds):
            out = Path(folder) / str(number)
            taken.append(process([*command, str(out)]))
        made = [path for path in out.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in made) / 1e6
    yield Line(
        f"{len(paths)} files, {stored:.0f} MB",
        min(each.cold or 0 for each in taken),
        value=f"{min(each.facts['wall'] for each in taken):.1f} s by the clock; "
        f"{size:.0f} MB in {len(made):,} files",
    )


# -- teehistorian --------------------------------------------------------------------------------------------


@row(
    "tee-columns",
    "teehistorian: ticks, positions, inputs to columns",
    "≤ libtw2; ≤ 480 MB of memory for 120 MB",
    Profiled("tee_columns", lambda files: [files.recording], "nothing"),
)
def _tee_columns(files: Files, rounds: int) -> Iterator[Line]:
    path = files.recording
    sides = {"tee_columns": "packed", "tee_whole": "read whole", "tee_batches": "in batches"}
    for name, case in sides.items():
        peers = {"libtw2": lambda: measure.teehistorian_rs(path, "columns")} if name == "tee_columns" else {}
        found: list[Taken] = []
        side = job(name, path, runs=1)

        def ours(side: Side = side, found: list[Taken] = found) -> Taken:
            found.append(side())
            return found[-1]

        line = compared(f"{files.megabytes} MB, {case}", ours, rounds, **peers)
        peak = min(taken.peak or 0 for taken in found) / 1e6
        line.value = f"{peak:.0f} MB at the peak"
        for peer, taken in line.peers.items():
            if isinstance(taken, Taken) and taken.peak:
                line.value += f"; {peer} {taken.peak / 1e6:.0f}"
        yield line


@row(
    "tee-messages",
    "teehistorian: messages as objects, with ticks",
    "≤ 1.2 s of 120 MB",
    Profiled("tee_messages", lambda files: [files.recording], "nothing"),
)
def _tee_messages(files: Files, rounds: int) -> Iterator[Line]:
    path = files.recording
    yield compared(
        f"{files.megabytes} MB",
        job("tee_messages", path, runs=1),
        rounds,
        libtw2=lambda: measure.teehistorian_rs(path, "messages"),
        teehistorian_py=lambda: peer_job("teehistorian_py", "teehistorian_py", path, runs=1),
    )


@row(
    "tee-simulate",
    "`playhead ddnet simulate -o`: a recording played again on its map, all tables to Parquet",
    "≤ 100 MB at the peak",
)
def _tee_simulate(files: Files, rounds: int) -> Iterator[Line]:
    path = files.of("teehistorian/deb16.4-physics") / "sunny.teehistorian"
    with tempfile.TemporaryDirectory(dir=files.scratch) as folder:
        command = [sys.executable, "-m", "playhead", "ddnet", "simulate", str(path), "-o", folder]
        command += ["--map", str(path.with_suffix(".map"))]
        taken = in_turns([lambda: process(command)], rounds)[0]
    yield Line("224 kB, a map of 1 MB", taken.cold, value=f"{(taken.peak or 0) / 1e6:.0f} MB at the peak")
