"""The type tables of StarCraft II: `tables` has them, with `patches`, and those of an `installed` s2protocol."""
