"""The care of a lake: check, compaction, removal of replays, publication."""
