"""Inner messages: packets, numbers and names, definitions, decoding to named fields."""
