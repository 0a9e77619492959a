"""The tables: a module a group, each table declared in one place (see `playhead.sc2.tables.registry`)."""
