"""Whether a message is in another language than English, by its small words. Pure."""

from everlore.language.clauses import lows, tokens_of

_MOST_CHARS = 4_000
# The commonest small words of languages that share our letters, without those that are English words too.
_FOREIGN = frozenset(
    "ich bin und der das ist mein meine nicht ein eine habe wir mag gerne auch wohne heiße heisse mich mir aus sehr zu "
    "im mit seit hab wird noch bei zum zur weil dass aber arbeite "
    "je suis est le les mon ma mes et une j'ai j'habite j'aime pas nous avec dans ne que qui très du au chez depuis "
    "yo soy es mi el los y una tengo gusta vivo llamo muy con por para tengo años mis en pero porque desde trabajo "
    "sono il mio mia che ho abito piace mi chiamo anni gli della per non di da lavoro "
    "eu sou minha meu não tenho moro gosto uma com muito anos os na em mas trabalho "
    "ik ben mijn het een niet woon hou heb van ook maar met voor werk bij jag är och min mitt inte bor heter jeg og "
    "ikke hedder mam jestem się nie mój moja mieszkam".split()
)
# None that other languages have, too.
ENGLISH = frozenset(
    "i my the and are that it for with have has you your this not our but at did been they she her from by if when "
    "what how of".split()
)


def is_foreign(text: str) -> bool:
    """At least two small words of other languages, and clearly more of them than of ours."""
    words = lows(tokens_of(text[:_MOST_CHARS]))
    foreign = sum(word in _FOREIGN for word in words)
    return foreign > 1 and foreign > 2 * sum(word in ENGLISH for word in words)
