"""Play a Dota 2 demo with gem-dota and print its final state, in the form of `canonical`.

    python benchmarks/peers/gem_dump.py FILE.dem [--quiet]

gem-dota shows fields by name; of names that a class declares twice, only the first.
"""

from __future__ import annotations

import json
import logging
import sys

from canonical import canonical
from gem.combat.log import CombatLogEntry, CombatLogSource
from gem.parser import ReplayParser


def main() -> None:
    path, quiet = sys.argv[1], "--quiet" in sys.argv
    logging.disable(logging.WARNING)
    parser = ReplayParser(path)
    combat_log = 0

    def count(entry: CombatLogEntry) -> None:
        nonlocal combat_log
        # gem-dota adds its own entries for runes mentioned in chat; they have no source.
        combat_log += entry.source == CombatLogSource.S2_DIRECT

    if not quiet:
        parser.on_combat_log_entry(count)
    parser.parse()
    if parser.parse_error is not None:
        raise SystemExit(f"Error: {parser.parse_error!r} at tick {parser.truncated_at_tick}")
    manager = parser.entity_manager
    if manager is None:
        raise SystemExit("Error: expected send tables, found none")
    for entity in () if quiet else manager.filter(lambda _: True):
        line = {
            "entity": entity.get_index(),
            "serial": entity.get_serial(),
            "class": entity.get_class_name(),
            "active": entity.active,
            "fields": {name: canonical(value) for name, value in entity.to_map().items()},
        }
        print(json.dumps(line))
    for number in () if quiet else sorted(parser.string_tables.tables):
        table = parser.string_tables.tables[number]
        items = [[index, key, value.hex()] for index, (key, value) in sorted(table.items.items())]
        print(json.dumps({"table": table.name, "items": items}))
    print(json.dumps({"counters": {"combat_log": combat_log}}))


main()
