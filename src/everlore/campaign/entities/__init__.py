"""Finds entities named in a text, matches them with known ones, and finds their relationships (G4, G6).

Everything is pure: known entities come in as arguments, results go out as values. `names` finds names, `matching`
compares a name with known entities, `mentions` finds known entities in a text, and `prompting` asks a model for names
and relationships and reads its answer.
"""
