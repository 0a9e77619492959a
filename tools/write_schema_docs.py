"""Write docs/tables/*.md: every table and column of every format, from the schemas in the code.

Usage: write_schema_docs.py [FOLDER]

The schemas come from `Replay.tables` of the sample replays, so a page shows the tables that a user gets. A test
compares the committed pages with the output.
"""

from __future__ import annotations

import inspect
import io
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import playhead
from playhead.cs2.facts import TABLES as CS2_TABLES
from playhead.cs2.replay import Cs2Replay
from playhead.deadlock.facts import TABLES as DEADLOCK_TABLES
from playhead.deadlock.replay import DeadlockReplay
from playhead.dota2.facts import TABLES as DOTA2_TABLES
from playhead.io.source import open_source
from playhead.model import Options
from playhead.source2.playback.collector import Collector
from playhead.source2.replay import Source2Replay
from playhead.tables import shared
from playhead.tables.registry import TableRegistry
from playhead.tables.schema import TableSchema
from playhead.teehistorian.physics.demo.ghosts import Ghost, GhostTee, write_ghost
from playhead.teehistorian.physics.tables.event_tables import EVENT_TABLES, PHYSICS

COMMAND = "python tools/write_schema_docs.py"
TITLES = {
    "source2": ("Tables of a Source 2 demo", "Every Source 2 demo of any game has these tables."),
    "dota2": (
        "Tables of a Dota 2 demo",
        "A Dota 2 demo has these in addition to [those of the engine](source2.md).",
    ),
    "cs2": (
        "Tables of a CS2 demo",
        "A CS2 demo has these in addition to [those of the engine](source2.md).",
    ),
    "deadlock": (
        "Tables of a Deadlock recording",
        "A Deadlock recording, file or broadcast, has these in addition to [those of the engine](source2.md).",
    ),
    "starcraft2": (
        "Tables of a StarCraft II replay",
        "Every build has the same tables; data that it did not record is null or empty. "
        "[Support by build](../support.md#since-when-each-table-has-rows) has the first build of each.",
    ),
    "hots": (
        "Tables of a Heroes of the Storm replay",
        "Every build has the same tables; data that it did not record is null or empty.",
    ),
    "teehistorian": (
        "Tables of a teehistorian recording",
        "Every version has the same tables; data that it did not record is null or empty. "
        "[Support by version](../support.md#since-when-each-table-has-rows-of-these-versions) has the first.",
    ),
    "physics": (
        "Tables of a simulated teehistorian recording",
        "`replay.simulate(map=…)` and `playhead ddnet simulate` compute these from a recording and its map: "
        "[playing a recording again](../teehistorian.md#playing-a-recording-again).",
    ),
    "ddnet_demo": (
        "Tables of a DDNet demo or ghost",
        "Files of DDNet's client, `.demo` and `.gho`, have these; a ghost has one tee and no chat.",
    ),
}
#: Headings of the groups of tables, in their order.
GROUPS = {
    "facts": "Facts",
    "series": "Series at steps of time",
    "log": "Views of the game's log",
    "messages": "Messages and entities",
    "file": "The recording itself",
}
#: Games by the page that has their tables.
GAMES = {
    "dota2": "Dota 2",
    "cs2": "CS2",
    "deadlock": "Deadlock",
    "starcraft2": "StarCraft II",
    "hots": "Heroes of the Storm",
    "teehistorian": "DDNet",
}
PATTERN_TABLES = """\
### entities:PATTERN

Fields of entities over time: `replay.table("entities:CDOTA_Unit_Hero_*", fields=["m_iHealth"], every="1s")`, or
`replay.entity_table(…)` with the same arguments. Each requested field is a column, with name and type from the
recording's own schema; `playhead source2 schema FILE --grep TEXT` finds the names.
"""


def describe_options(tables: TableRegistry[type[Collector]]) -> dict[str, str]:
    """Options of each table of a game's facts by name, as ``every="1s"``."""
    out = {}
    for collector in dict.fromkeys(tables.own().values()):
        parameters = inspect.signature(collector).parameters
        text = ", ".join(f"`{name}={_quoted(parameters[name].default)}`" for name in collector.options)
        out.update({schema.name: text for schema in collector.schemas if text})
    return out


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _is_shared(schema: TableSchema) -> bool:
    return any(schema is value for value in vars(shared).values())


def _table(schema: TableSchema, options: str) -> Iterator[str]:
    yield f"### {schema.name}\n"
    yield f"{' '.join(schema.doc.split())}\n"
    notes = [f"Version {schema.version}"]
    if _is_shared(schema):
        notes.append("the same in every format")
    elif schema.name in shared.SHARED:
        notes.append(
            f"the columns up to `{shared.SHARED[schema.name].column_names[-1]}` are the same in every format"
        )
    if options:
        notes.append(f"options: {options}")
    yield f"{'; '.join(notes)}.\n"
    yield "| column | type | unit | meaning |"
    yield "|---|---|---|---|"
    for column in schema.columns:
        kind = column.type.replace("<", "&lt;") + (", never null" if column.required else "")
        yield f"| `{column.name}` | {kind} | {_cell(column.unit)} | {_cell(column.doc)} |"
    yield ""


def page(name: str, schemas: Iterable[TableSchema], options: Mapping[str, str]) -> str:
    """One page in Markdown."""
    title, introduction = TITLES[name]
    chosen = list(schemas)
    lines = [
        f"# {title}\n",
        f"<!-- Written by `{COMMAND}`; edits are lost. -->\n",
        f"{introduction} {len(chosen)} tables:\n",
    ]
    grouped = {group: [each for each in chosen if each.group == group] for group in GROUPS}
    for group, found in grouped.items():
        if found:
            lines.append(f"**{GROUPS[group]}**\n")
            lines += [f"- [{schema.name}](#{schema.name}): {' '.join(schema.doc.split())}" for schema in found]
            lines.append("")
    for group, found in grouped.items():
        if found:
            lines.append(f"## {GROUPS[group]}\n")
        for schema in found:
            lines += _table(schema, options.get(schema.name, ""))
        if group == "messages" and name == "source2":
            lines.append(PATTERN_TABLES)
    return "\n".join(lines).rstrip() + "\n"


def same_fact(
    tables: Mapping[str, Mapping[str, TableSchema]],
    kinds: Mapping[str, Mapping[str, str]],
    engine: Collection[str],
) -> str:
    """The page of the tables and kinds of events of several games; `engine` has tables of all Source 2 games."""

    def row(name: str, games: Iterable[str], *cells: str) -> str:
        return f"| {' | '.join((name, *('●' if game in games else '' for game in GAMES), *cells))} |"

    def header(first: str, last: str) -> str:
        return f"| {' | '.join((first, *GAMES.values(), last))} |\n|{'---|' * (len(GAMES) + 2)}"

    lines = [
        "# The same fact in each game\n",
        f"<!-- Written by `{COMMAND}`; edits are lost. -->\n",
        "A fact has one table and one kind of event, whatever the game. Rows of several games can be put\n"
        "together: `playhead.scan(files).table(name)`, SQL and a lake return those of all, with null in columns\n"
        "that a game lacks. [One model](../one-model.md) has the words of the columns.\n",
        "## Tables\n",
        header("table", "columns that all of them have"),
    ]
    for name in sorted({name for found in tables.values() for name in found}):
        games = [game for game in GAMES if name in tables[game]]
        if len(games) > 1 and not (name in engine and {*games} <= {"dota2", "cs2", "deadlock"}):
            shared = [
                column.name
                for column in tables[games[0]][name].columns
                if all(column.name in tables[game][name].column_names for game in games)
            ]
            lines.append(row(f"`{name}`", games, " ".join(f"`{each}`" for each in shared)))
    lines += ["", "## Kinds of events\n", header("kind", "meaning")]
    for kind in sorted({kind for found in kinds.values() for kind in found}):
        games = [game for game in GAMES if kind in kinds[game]]
        if len(games) > 1:
            lines.append(row(f"`{kind}`", games, _cell(_meanings({game: kinds[game][kind] for game in games}))))
    return "\n".join(lines) + "\n"


def _meanings(of: Mapping[str, str]) -> str:
    """Return what a kind of event means: once if all games say the same, else with the games that say it."""
    if len({*of.values()}) == 1:
        return next(iter(of.values()))
    games: dict[str, list[str]] = {}
    for game, meaning in of.items():
        games.setdefault(meaning, []).append(GAMES[game])
    return " ".join(f"{', '.join(titles)}: {meaning}" for meaning, titles in games.items())


def _index() -> str:
    rows = "\n".join(f"- [{title}]({name}.md)" for name, (title, _) in TITLES.items())
    rows += "\n- [The same fact in each game](same-fact.md)"
    return f"""\
# Tables

<!-- Written by `{COMMAND}`; edits are lost. -->

These pages show the schemas in `replay.tables`. A column name has one meaning in all tables of all formats. Any
change of columns, types or meaning is a new version of the table.

{rows}

Types are those of Arrow and Parquet: `timestamp` is microseconds in UTC, `list<…>` has any number of values of the
inner type.

`category` is dictionary-encoded text: Arrow's `dictionary<int32, string>`, which stores each distinct text
once. The order of a dictionary has no meaning, and two tables may have different ones (`pyarrow.concat_tables`
with `unify_dictionaries` merges them); `column.cast("string")` gives plain text. All other text is `string`.

A value is null if the file does not record it, if it refers to nobody, or if the build lacks the feature. Only
columns marked *never null* have no nulls. Arrow's own flag is "nullable" for all columns, so tables of
different versions can be concatenated.

A player is an int32 in all tables of all formats, as in table `players`: column `player`, and columns that end in
`_player`. `tick` is the format's own integer. `seconds` is `tick` divided by the tick rate of table `info`.
`game_seconds`, in some tables, is the game clock (Dota 2: 0 at the horn, stopped in pauses). For StarCraft II
`seconds` is the game clock; teehistorian has no other clock.

Parquet files contain unit and meaning of each column, as metadata `unit` and `doc` of the field, and the
table's name and version, as metadata of the file (`playhead.table`, `playhead.schema_version`).
"""


def pages() -> dict[str, str]:
    """The text of every page by file name."""
    schemas: dict[str, Mapping[str, TableSchema]] = {}
    kinds: dict[str, Mapping[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for known in playhead.list_formats():
            replay = playhead.open(known.write_sample(Path(folder)).read_bytes())
            schemas[known.name], kinds[known.name] = replay.tables, replay.event_kinds
            if known.name == "source2":  # the sample is of Dota 2; other games have the engine's tables
                source = open_source(next(Path(folder).glob("*.dem")).read_bytes(), playhead.Limits())
                engine = Source2Replay(source, Options()).tables
                cs2, deadlock = Cs2Replay(source, Options()), DeadlockReplay(source, Options())
    written = io.BytesIO()
    write_ghost(written, Ghost("", "", "00" * 32, 0, None, (0,) * 9, (GhostTee(*[0] * 12),)))
    schemas["ddnet_demo"] = playhead.open(written.getvalue()).tables
    whole = schemas["source2"]
    by_page = {
        "source2": engine,
        "dota2": {name: schema for name, schema in whole.items() if engine.get(name) is not schema},
        "cs2": {name: schema for name, schema in cs2.tables.items() if engine.get(name) is not schema},
        "deadlock": {schema.name: schema for maker in DEADLOCK_TABLES.own().values() for schema in maker.schemas},
        "starcraft2": schemas["sc2"],
        "hots": schemas["hots"],
        "teehistorian": schemas["teehistorian"],
        "physics": {schema.name: schema for schema in (PHYSICS, *EVENT_TABLES.values())},
        "ddnet_demo": schemas["ddnet_demo"],
    }
    options = {"dota2": describe_options(DOTA2_TABLES), "cs2": describe_options(CS2_TABLES)}
    options["deadlock"] = describe_options(DEADLOCK_TABLES)
    games = {"dota2": whole, "cs2": cs2.tables, "deadlock": {**engine, **by_page["deadlock"]}}
    games |= {"starcraft2": schemas["sc2"], "hots": schemas["hots"], "teehistorian": schemas["teehistorian"]}
    events = {"dota2": kinds["source2"], "cs2": cs2.event_kinds, "deadlock": deadlock.event_kinds}
    events |= {"starcraft2": kinds["sc2"], "hots": kinds["hots"], "teehistorian": kinds["teehistorian"]}
    out = {"index.md": _index(), "same-fact.md": same_fact(games, events, engine)}
    for name, found in by_page.items():
        out[f"{name}.md"] = page(name, found.values(), options.get(name, {}))
    return out


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs/tables")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
