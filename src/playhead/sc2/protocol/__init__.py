"""Which bits mean what in which build: Blizzard's type tables, patched where they are known to be wrong.

`pool` keeps types, `patches` says what is changed and why, `tables` chooses the table of a build, and `program`
turns it into what the event decoder runs.
"""
