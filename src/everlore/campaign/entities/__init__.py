"""Who and what a text names, which of it is known already, and how it is tied together (G4, G6).

All of it is pure: what is known comes in as an argument, and what was found goes out as values. `names` finds names,
`matching` says whether a name means something known, `mentions` finds what is known in a text, `ties` reads
relationships out of sentences, and `prompting` asks a model for both and reads its answer.
"""
