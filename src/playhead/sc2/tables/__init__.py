"""The tables, in folders by subject; each table is declared in one module (see `playhead.sc2.tables.registry`)."""
