"""Names of abilities and unit types by build, which replays do not contain."""
