"""The two encodings of values: tagged (`versioned`) and bit-packed, read as objects or as columns, and written."""
