"""The synthetic match in the size and shape of a real one."""
