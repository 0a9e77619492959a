"""Rebuild ``src/playhead/source2/messages/definitions.zlib`` from the descriptors of an installed gem-dota.

    python tools/build_source2_messages.py

The result contains facts of Valve's public definitions: names, field numbers, types, defaults and enumerations,
and the message of each number.
"""

from __future__ import annotations

import importlib
import json
import re
import zlib
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "src" / "playhead" / "source2" / "messages" / "definitions.zlib"

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

# Message numbers: game ("" for the engine), enumeration, prefix of its names, prefixes of the messages.
_NUMBERED = (
    ("", "NET_Messages", "net_", ("CNETMsg_",)),
    ("", "Bidirectional_Messages", "bi_", ("CBidirMsg_",)),
    ("", "CLC_Messages", "clc_", ("CCLCMsg_",)),
    ("", "SVC_Messages", "svc_", ("CSVCMsg_",)),
    ("", "SVC_Messages_LowFrequency", "svc_", ("CSVCMsg_",)),
    ("", "EBaseUserMessages", "UM_", ("CUserMessage", "CUserMsg_")),
    ("", "EBaseEntityMessages", "EM_", ("CEntityMessage",)),
    ("", "EBaseGameEvents", "GE_", ("CMsg",)),
    ("", "ETEProtobufIds", "TE_", ("CMsgTE",)),
    ("dota", "EDotaUserMessages", "DOTA_UM_", ("CDOTAUserMsg_", "CDOTAUserMsg", "CMsgDOTA", "CDOTA", "CMsg")),
)

# Messages whose names differ from those of their numbers.
_CALLED = {
    "svc_UserCmds": "CSVCMsg_UserCommands",
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


def _numbers(files: dict[str, Any], collector: Collector) -> dict[str, list[list[Any]]]:
    """Return by game: message number, its name, and the name of the message's definition, if it has one."""
    by_normal_name = {_normal(name): name for name in collector.messages}
    out: dict[str, list[list[Any]]] = {}
    for game, enum, prefix, message_prefixes in _NUMBERED:
        descriptor = next(f.enum_types_by_name[enum] for f in files.values() if enum in f.enum_types_by_name)
        rows = out.setdefault(game, [])
        for value in descriptor.values:
            if value.name in _NO_MESSAGE:
                continue
            stem = re.sub("Id$", "", value.name.removeprefix(prefix)) if enum == "ETEProtobufIds" else value.name
            candidates = [_normal(p + stem.removeprefix(prefix)) for p in message_prefixes]
            found = next((by_normal_name[c] for c in candidates if c in by_normal_name), None)
            rows.append([value.number, value.name, _CALLED.get(value.name, found)])
        rows.sort()
    return out


def build() -> dict[str, Any]:
    """Return the content of `TARGET`, from the installed descriptors."""
    files = {name: importlib.import_module(f"gem.proto.{name}_pb2").DESCRIPTOR for name in _ROOTS}
    collector = Collector()
    for descriptor in files.values():
        for message in descriptor.message_types_by_name.values():
            collector.message(message)
        for enum in descriptor.enum_types_by_name.values():
            collector.enum(enum)
    for file, name in _ALSO:
        module = importlib.import_module(f"gem.proto.{file}_pb2")
        collector.message(module.DESCRIPTOR.message_types_by_name[name])
    return {
        "messages": dict(sorted(collector.messages.items())),
        "enums": dict(sorted(collector.enums.items())),
        "numbers": _numbers(files, collector),
    }


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def packed_text(content: dict[str, Any]) -> str:
    """Return the unpacked text of `TARGET`: a line of enumerations and numbers, then a line per message, parsed
    on use.
    """
    rest = {name: value for name, value in content.items() if name != "messages"}
    return "\n".join([_json(rest), *(f"{name} {_json(fields)}" for name, fields in content["messages"].items())])


def main() -> None:
    """Write `TARGET`."""
    content = build()
    text = packed_text(content)
    TARGET.write_bytes(zlib.compress(text.encode(), 9))
    for game, rows in content["numbers"].items():
        missing = [name for _, name, message in rows if message is None]
        print(f"{game or 'engine'}: {len(rows)} numbers; no definition for {', '.join(missing)}")
    print(
        f"{TARGET}: {TARGET.stat().st_size} bytes, {len(text)} unpacked, {len(content['messages'])} messages, "
        f"{len(content['enums'])} enumerations"
    )


if __name__ == "__main__":
    main()
