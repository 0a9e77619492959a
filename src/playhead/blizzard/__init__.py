"""The engine of StarCraft II and Heroes of the Storm: archive, type tables, encodings, members, events, repair.

Rooms in the order of imports: `mpq` (the archive), `protocol` (type tables), `encoding`, `members`, `events`,
`units` (their lives), `tables` (those that all games have), `repair`, `game` (what a game declares), `recording`
(one file). A game is a package of its own, with its type tables, its events' columns and its own members.
"""
