"""Plain statements in six other languages; their words and phrases are data, a file for each (`de.toml`, `words.tsv`).

Nothing of grammar is known here: a phrase is known or it is not. `told_in` reads a message, `tongue.py` the files.
"""

from everlore.language.tongues.telling import Told, told_in

__all__ = ["Told", "told_in"]
