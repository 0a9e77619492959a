"""Facts about the map that the tracker shows: places of resources, and the town halls at them."""
