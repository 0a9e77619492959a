"""Kinds of changes of a unit, as plain numbers: members of an enum are slow to compare.

Compiled modules take them from the enum of the same names in ``changes.pxd``; a test holds the two equal.
"""

from __future__ import annotations

INIT = 0
BORN = 1
DONE = 2
TYPE = 3
OWNER = 4
DIED = 5
SAMPLE = 6
