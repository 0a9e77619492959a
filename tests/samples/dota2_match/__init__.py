"""A written match of Dota 2 that tells its story: who did what, as its writer planned it.

plan (what happens when), log (combat log, its sums) ──► field (entities, wealth)
──► battle, wilds, official ──► match ──► recording (demo, story as JSON)
"""
