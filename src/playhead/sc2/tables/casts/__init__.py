"""Tables of spells that run an economy: chrono boosts, injects, MULEs, scans."""
