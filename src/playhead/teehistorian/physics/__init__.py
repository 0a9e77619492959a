"""The game of a recording played again: what inputs, commands and the map imply about velocity, hooks and jumps.

Every sum is one of 32-bit floats, as in the server. Positions are recorded, so each predicted position is checked;
where it differs, the recorded one is taken and the row is marked.

Written from facts about DDNet, whose source was read to learn what happens; see ``LICENSES.txt``.
"""
