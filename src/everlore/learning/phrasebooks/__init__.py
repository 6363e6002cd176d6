"""What a message plainly states, without a model: seven languages as data, and one engine that makes claims of it (O1).

`english.toml` holds the phrases of English and what lasts, `de.toml` and five others theirs; words stand in
`language/`. `english.facts_stated` and `foreign.facts_told` read a message of the user, `statements.parsed` a sentence
that somebody typed or imported.

English: `predicates` takes a clause apart, `persons` knows of whom it is, `phrases` matches it, `facts` writes it down.
Others: `book` reads the files, `foreign` finds their phrases.
"""
