"""The synthetic match in the size and shape of a real one: schema, traffic of entities, messages, the recording."""
