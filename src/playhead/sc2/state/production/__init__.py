"""Production: units, buildings, morphs and upgrades with start, end and supply."""
