"""Finds plain statements in a message without a model: seven languages as data, and one engine that makes claims (O1).

`english.toml` holds English phrases and which facts last, `de.toml` and five others those languages; word lists are in
`language/`. `english.facts_stated` and `foreign.facts_told` read a user's message, `statements.parsed` reads a sentence
that was typed or imported.

English: `predicates` parses a clause, `persons` finds its subject, `phrases` matches it, `facts` writes the sentence.
Others: `foreign` loads their files and matches their phrases.
"""
