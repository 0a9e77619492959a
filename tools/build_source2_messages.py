"""Rebuild ``src/playhead/source2/messages/definitions*.txt`` from published copies of Valve's definitions.

    python tools/build_source2_messages.py

``definitions.txt`` has the messages of the engine and of Dota 2, from the descriptors of an installed gem-dota.
``definitions_cs2.txt`` and ``definitions_deadlock.txt`` have what Counter-Strike 2 and Deadlock add or define
otherwise, from the ``.proto`` files of two crates. They need ``cargo``, which fetches the crates, and grpcio-tools
(``pip install grpcio-tools``), which compiles them; `main` leaves both files alone where either is missing.

The results contain facts: names, field numbers, types, defaults and enumerations, and the message of each number.
The first line of each names its source.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "src" / "playhead" / "source2" / "messages"
TARGET = FOLDER / "definitions.txt"

_SOURCE = "gem-dota 0.14.0 (PyPI, MIT)"

# Files with messages of recordings; messages that these refer to are included too.
_ROOTS = (
    "demo",
    "networkbasetypes",
    "netmessages",
    "gameevents",
    "usermessages",
    "te",
    "prediction_events",
    "usercmd",
    "dota_usercmd",
    "dota_commonmessages",
    "dota_usermessages",
    "dota_modifiers",
    "dota_match_metadata",
)

# Numbered messages of other files: file, message.
_ALSO = (
    ("dota_gcmessages_common", "CMsgDOTAMatch"),
    ("dota_gcmessages_client", "CMsgGCToClientTournamentItemDrop"),
)

#: Message numbers: game ("" for the engine), enumeration, prefix of its names, prefixes of the messages.
Numbered = tuple[tuple[str, str, str, tuple[str, ...]], ...]

_NUMBERED: Numbered = (
    ("", "NET_Messages", "net_", ("CNETMsg_",)),
    ("", "Bidirectional_Messages", "bi_", ("CBidirMsg_",)),
    ("", "CLC_Messages", "clc_", ("CCLCMsg_",)),
    ("", "SVC_Messages", "svc_", ("CSVCMsg_",)),
    ("", "SVC_Messages_LowFrequency", "svc_", ("CSVCMsg_",)),
    ("", "EBaseUserMessages", "UM_", ("CUserMessage", "CUserMsg_")),
    ("", "EBaseEntityMessages", "EM_", ("CEntityMessage",)),
    ("", "EBaseGameEvents", "GE_", ("CMsg",)),
    ("", "ETEProtobufIds", "TE_", ("CMsgTE",)),
    ("dota2", "EDotaUserMessages", "DOTA_UM_", ("CDOTAUserMsg_", "CDOTAUserMsg", "CMsgDOTA", "CDOTA", "CMsg")),
)


@dataclass(frozen=True)
class Edition:
    """The definitions of one more game.

    Attributes:
        game: its word in recordings.
        crate, version, date, licence, client: the published copy, and the build of the game that it is from.
        roots: files whose messages are included, with all that they refer to.
        also: further messages, by file.
        numbered: see `Numbered`; the engine's are those of Dota 2.
    """

    game: str
    crate: str
    version: str
    date: str
    licence: str
    client: str
    roots: tuple[str, ...]
    also: tuple[tuple[str, str], ...]
    numbered: Numbered

    @property
    def target(self) -> Path:
        return FOLDER / f"definitions_{self.game}.txt"

    @property
    def source(self) -> str:
        return f"{self.crate} {self.version} (crates.io, {self.date}, {self.licence}), client {self.client}"


_ENGINE_FILES = ("demo", "networkbasetypes", "netmessages", "gameevents", "usermessages", "usercmd")

EDITIONS = (
    Edition(
        game="cs2",
        crate="awpy-proto",
        version="0.1.11076591+2000924",
        date="14 October 2026",
        licence="MIT",
        client="2000924",
        roots=(*_ENGINE_FILES, "cs_usercmd", "cs_gameevents", "cstrike15_usermessages"),
        also=(),
        numbered=(
            ("cs2", "ECstrike15UserMessages", "CS_UM_", ("CCSUsrMsg_",)),
            ("cs2", "ECsgoGameEvents", "GE_", ("CMsgTE", "CMsg")),
        ),
    ),
    Edition(
        game="deadlock",
        crate="boon-proto",
        version="0.4.11152727+6805",
        date="21 October 2026",
        licence="MIT",
        client="6805",
        roots=(
            *_ENGINE_FILES,
            "te",
            "citadel_usercmd",
            "citadel_gameevents",
            "citadel_usermessages",
            "base_modifier",
        ),
        also=(
            ("citadel_gcmessages_common", "CMsgMatchMetaData"),
            ("citadel_gcmessages_common", "CMsgMatchMetaDataContents"),
        ),
        numbered=(
            (
                "deadlock",
                "CitadelUserMessageIds",
                "k_EUserMsg_",
                ("CCitadelUserMsg_", "CCitadelUserMessage_", "CMsgCitadel"),
            ),
            ("deadlock", "CitadelEntityMessageIds", "k_EEntityMsg_", ("CCitadelEntityMsg_",)),
            ("deadlock", "ECitadelGameEvents", "GE_", ("CMsg",)),
        ),
    ),
)

# Enumerations whose names end in "Id" where the messages' do not.
_WITH_ID = ("ETEProtobufIds", "ECsgoGameEvents")

# Options that only the game's own compiler knows.
_OWN_OPTIONS = (
    (r"^option additional_includes.*$", ""),
    (r'\b(?:boxed_type|synthetic_default) *= *"[^"]*" *,? *', ""),
    (r",\s*\]", "]"),
    (r"\s*\[\s*\]", ""),
)

# Messages whose names differ from those of their numbers.
_CALLED = {
    "svc_UserCmds": "CSVCMsg_UserCommands",
    "GE_RadioIconEventId": "CMsgTERadioIcon",
    "UM_AnimGraphUpdate": "CUserMessageAnimStateGraphState",
    "UM_UtilActionResponse": "CUserMessage_UtilMsg_Response",
    "UM_DllStatusResponse": "CUserMessage_DllStatus",
    "DOTA_UM_RequestItemSuggestions": "CDOTAUserMessage_RequestItemSuggestions",
    "DOTA_UM_TeamCaptainChanged": "CDOTAUserMessage_TeamCaptainChanged",
    "DOTA_UM_TournamentDrop": "CMsgGCToClientTournamentItemDrop",
    "DOTA_UM_StatsHeroDetails": "CDOTAUserMsg_StatsHeroMinuteDetails",
    "DOTA_UM_MatchMetadata": "CDOTAMatchMetadataFile",
    "DOTA_UM_MatchDetails": "CMsgDOTAMatch",
    "DOTA_UM_CombatLogDataHLTV": "CMsgDOTACombatLogEntry",
}

_CAPTION = [
    [1, "fixed32", "hash", 0],
    [2, "float", "duration", 0],
    [3, "bool", "from_player", 0],
    [4, "int32", "ent_index", 0, -1],
]
# What Valve removed before these copies, and recordings of older builds have, by game: enumeration, name, number,
# definition and its fields; None if only the name is known.
_REMOVED: Mapping[str, Sequence[tuple[str, str, int, str | None, Sequence[list[Any]]]]] = {
    "": (
        ("EBaseUserMessages", "UM_CloseCaption", 102, "CUserMessageCloseCaption", _CAPTION),
        ("EBaseUserMessages", "UM_CloseCaptionDirect", 103, "CUserMessageCloseCaptionDirect", _CAPTION),
        (
            "EBaseEntityMessages",
            "EM_RemoveAllDecals",
            138,
            "CEntityMessageRemoveAllDecals",
            [[1, "bool", "remove_decals", 0], [2, "CEntityMsg", "entity_msg", 0]],
        ),
        ("ETEProtobufIds", "TE_BSPDecalId", 407, None, ()),
        ("ETEProtobufIds", "TE_PlayerDecalId", 424, None, ()),
        ("ETEProtobufIds", "TE_ProjectedDecalId", 425, None, ()),
    ),
    "dota2": (
        ("EDotaUserMessages", "DOTA_UM_PlayerMMR", 531, None, ()),
        ("EDotaUserMessages", "DOTA_EM_InvokerSpellCast", 586, None, ()),
    ),
    "cs2": (
        (
            "ECstrike15UserMessages",
            "CS_UM_WarmupHasEnded",
            338,
            "CCSUsrMsg_WarmupHasEnded",
            [[1, "int32", "dummy", 0]],
        ),
        (
            "ECstrike15UserMessages",
            "CS_UM_GlowPropTurnOff",
            360,
            "CCSUsrMsg_GlowPropTurnOff",
            [[1, "int32", "entidx", 0, -1]],
        ),
    ),
    "deadlock": (
        ("CitadelUserMessageIds", "k_EUserMsg_AG2ParamTrigger", 359, None, ()),
        ("ECitadelGameEvents", "GE_ServerRequestedTracer", 460, None, ()),
    ),
}

# Members of the enumerations that are not messages.
_NO_MESSAGE = ("UM_MAX_BASE", "svc_dummy")


def _normal(name: str) -> str:
    return name.replace("_", "").lower()


class Collector:
    """Messages and enumerations, each with everything that it refers to."""

    def __init__(self) -> None:
        self.messages: dict[str, list[list[Any]]] = {}
        self.enums: dict[str, dict[str, int]] = {}

    def enum(self, descriptor: Any) -> str:
        values = {value.name: value.number for value in descriptor.values}
        self.enums.setdefault(descriptor.full_name, values)
        return str(descriptor.full_name)

    def message(self, descriptor: Any) -> str:
        name = str(descriptor.full_name)
        if name not in self.messages:
            self.messages[name] = []  # set before its fields, because it may refer to itself
            self.messages[name] = [self._field(field) for field in sorted(descriptor.fields, key=_number)]
            for nested in descriptor.nested_types:
                self.message(nested)
        return name

    def _field(self, field: Any) -> list[Any]:
        kind = _KINDS[field.type]
        if kind == "message":
            kind = self.message(field.message_type)
        elif kind == "enum":
            kind = "enum " + self.enum(field.enum_type)
        entry: list[Any] = [field.number, kind, field.name, int(field.is_repeated)]
        if field.has_default_value:
            default = field.default_value
            entry.append(default.decode("latin-1") if isinstance(default, bytes) else default)
        return entry


_KINDS = dict(
    enumerate(
        "double float int64 uint64 int32 fixed64 fixed32 bool string group message bytes uint32 enum sfixed32 "
        "sfixed64 sint32 sint64".split(),
        start=1,
    )
)


def _number(field: Any) -> int:
    return int(field.number)


def _numbers(files: Iterable[Any], collector: Collector, numbered: Numbered) -> dict[str, list[list[Any]]]:
    """Return by game: message number, its name, and the name of the message's definition, if it has one."""
    by_normal_name = {_normal(name): name for name in collector.messages}
    out: dict[str, list[list[Any]]] = {}
    for game, enum, prefix, message_prefixes in numbered:
        descriptor = next(f.enum_types_by_name[enum] for f in files if enum in f.enum_types_by_name)
        rows = out.setdefault(game, [])
        for value in descriptor.values:
            if value.name in _NO_MESSAGE:
                continue
            stem = re.sub("Id$", "", value.name.removeprefix(prefix)) if enum in _WITH_ID else value.name
            candidates = [_normal(p + stem.removeprefix(prefix)) for p in message_prefixes]
            found = next((by_normal_name[c] for c in candidates if c in by_normal_name), None)
            rows.append([value.number, value.name, _CALLED.get(value.name, found)])
        rows.sort()
    for game, rows in out.items():
        for enum, name, number, message, fields in _REMOVED[game]:
            values = {**collector.enums[enum], name: number}
            collector.enums[enum] = dict(sorted(values.items(), key=lambda value: value[1]))
            if message is not None:
                collector.messages[message] = list(fields)
            rows.append([number, name, message])
        rows.sort()
    return out


def _collect(files: Iterable[Any], also: Iterable[Any]) -> Collector:
    """Return the messages and enumerations of files, further messages, and all that these refer to."""
    collector = Collector()
    for descriptor in files:
        for message in descriptor.message_types_by_name.values():
            collector.message(message)
        for enum in descriptor.enum_types_by_name.values():
            collector.enum(enum)
    for message in also:
        collector.message(message)
    return collector


def _content(source: str, collector: Collector, numbers: dict[str, list[list[Any]]]) -> dict[str, Any]:
    return {
        "source": source,
        "messages": dict(sorted(collector.messages.items())),
        "enums": dict(sorted(collector.enums.items())),
        "numbers": numbers,
    }


def build() -> dict[str, Any]:
    """Return the content of `TARGET`, from the installed descriptors."""

    def file(name: str) -> Any:
        return importlib.import_module(f"gem.proto.{name}_pb2").DESCRIPTOR

    files = [file(name) for name in _ROOTS]
    collector = _collect(files, [file(name).message_types_by_name[message] for name, message in _ALSO])
    return _content(_SOURCE, collector, _numbers(files, collector, _NUMBERED))


def build_edition(edition: Edition, base: dict[str, Any]) -> dict[str, Any]:
    """Return the content of an edition's file: what its game adds to `base` or defines otherwise.

    A definition that only Dota 2's copy has, as those of temporary entities, holds for every game.
    """
    from google.protobuf.descriptor_pool import DescriptorPool

    pool = DescriptorPool()
    for compiled in _compiled(edition):
        pool.Add(compiled)
    files = [pool.FindFileByName(f"{name}.proto") for name in edition.roots]
    also = [pool.FindFileByName(f"{name}.proto").message_types_by_name[message] for name, message in edition.also]
    collector = _collect(files, also)
    content = _content(edition.source, collector, _numbers(files, collector, edition.numbered))
    for part in ("messages", "enums"):
        content[part] = {name: each for name, each in content[part].items() if base[part].get(name) != each}
    return content


def _compiled(edition: Edition) -> Sequence[Any]:
    """Return the descriptors of the files of an edition's crate, each after those that it imports."""
    import grpc_tools
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written, result = folder / "proto", folder / "result"
        written.mkdir()
        for path in _fetched(edition, folder).glob("*.proto"):
            text = path.read_text("utf-8")
            for pattern, other in _OWN_OPTIONS:
                text = re.sub(pattern, other, text, flags=re.MULTILINE)
            (written / path.name).write_text(text, "utf-8")
        standard = Path(grpc_tools.__file__).parent / "_proto"
        files = [f"{each}.proto" for each in dict.fromkeys((*edition.roots, *(file for file, _ in edition.also)))]
        command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{written}", f"-I{standard}", "--include_imports"]
        subprocess.run([*command, f"--descriptor_set_out={result}", *files], check=True, stderr=subprocess.DEVNULL)
        return FileDescriptorSet.FromString(result.read_bytes()).file


def _fetched(edition: Edition, folder: Path) -> Path:
    """Return the folder of the ``.proto`` files of an edition's crate, fetched into `folder`."""
    (folder / "src").mkdir()
    (folder / "src" / "lib.rs").touch()
    required = edition.version.partition("+")[0]
    (folder / "Cargo.toml").write_text(
        f'[package]\nname = "fetch"\nversion = "0.0.0"\n[dependencies]\n{edition.crate} = "={required}"\n'
    )
    subprocess.run(["cargo", "vendor", "--quiet", "vendor"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    crate = folder / "vendor" / edition.crate
    if f'version = "{edition.version}"' not in (crate / "Cargo.toml").read_text("utf-8"):
        raise SystemExit(f"expected {edition.crate} {edition.version}")
    return crate / "proto"


def _default(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, int | float):
        raise SystemExit(f"expected a default that is a number or a bool, got {value!r}")
    return repr(value)


def _field(number: int, kind: str, name: str, repeated: int, *default: object) -> str:
    shown = _default(default[0]) if default else "-"
    return f"{number} {kind.replace(' ', ':')} {name} {repeated} {shown}"


def file_text(content: dict[str, Any]) -> str:
    """Return the text of a file, as `playhead.source2.messages.definitions` describes it."""
    numbers, enums, messages = content["numbers"], content["enums"], content["messages"]
    blocks = [
        {game: (f"{row[0]} {row[1]} {row[2] or '-'}" for row in rows) for game, rows in numbers.items()},
        {name: (f"{value} {number}" for value, number in values.items()) for name, values in enums.items()},
        {name: (_field(*field) for field in fields) for name, fields in messages.items()},
    ]
    texts = ["\n".join(f"{name}\n{' '.join(words)}" for name, words in block.items()) for block in blocks]
    return "\n====\n".join([content["source"], *texts])


def _write(target: Path, content: dict[str, Any]) -> None:
    text = file_text(content)
    target.write_bytes(text.encode())
    for game, rows in content["numbers"].items():
        missing = [name for _, name, message in rows if message is None]
        print(f"{game or 'engine'}: {len(rows)} numbers; no definition for {', '.join(missing) or 'none'}")
    print(
        f"{target}: {target.stat().st_size} bytes, {len(content['messages'])} messages, "
        f"{len(content['enums'])} enumerations"
    )


def main() -> None:
    """Write `TARGET` and the file of each edition."""
    base = build()
    _write(TARGET, base)
    if shutil.which("cargo") is None or importlib.util.find_spec("grpc_tools") is None:
        print("no cargo or no grpcio-tools: the definitions of the other games stay as they are")
        return
    for edition in EDITIONS:
        _write(edition.target, build_edition(edition, base))


if __name__ == "__main__":
    main()
