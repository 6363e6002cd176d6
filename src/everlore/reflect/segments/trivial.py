"""Whether nothing happens in a segment: greetings, thanks, the weather, one-word lines (K2). No model is asked.

In: the messages. Out: yes or no. In doubt it is no, for then the model decides. A segment is not trivial if it holds
anything that weighs much, or several things that weigh something; nor if more is said in it than the words of small
talk can say, be it deeds of a story or somebody's work. In languages whose small talk is not known here, only what
says nothing at all is trivial.

Start at `is_trivial`.
"""

import re
from collections.abc import Sequence

from everlore.domain.conversation import Message
from everlore.domain.weight import IMPORTANT
from everlore.domain.words import query_terms, terms_of
from everlore.reflect.segments.transcript import Line, lines_of

# What somebody says of themselves in passing weighs 3; of their people, or of what they are going to do, 4.
_IN_PASSING, _TELLS = 3, 4
_FEW_TOLD = 2
_TOLD_SHARE = 0.2
# Different words beyond those of small talk: so many are said in the shortest one, and in each message of a longer one.
_FEW_WORDS = 1
_WORDS_EACH = 0.25
_MOST_READ = 20_000
_MOST_TERMS = 2_000
# Of the words of an English text, so many are among these.
_ENGLISH = frozenset(
    "the a i i'm you to and it it's is of in that my me we do on for are have with be was not your so".split()
)
_ENGLISH_SHARE = 0.12
_SAYS_NOTHING = 0.7
_WORD = re.compile(r"[a-z']+")

_SMALL_TALK = (
    "a absolutely actually adorable afternoon again ages ago agree ah ale already alright always am amazing an "
    "and another anyone anything anytime anyway apparently appreciate are around as asking asleep at ate autumn "
    "aw awake away awesome awful back bad bake be beach beautiful bed been beer best better big bird biscuit bit "
    "bite blanket bless blue boil book bored boring break breakfast breeze brew bright bring brother busy but by "
    "bye cake call calm can can't cannot care cat catch chat check cheer cheers cheery chill chilly chocolate "
    "choice chuckle classic clean cloud cloudy coffee cold color colour come comfy complain congrats cook cookie "
    "cool cosy couch could couldn't couple course cozy crazy cup cuppa cute dad daily day days dear decent "
    "definitely delicious did different dinner dishes do doesn't dog doing don't done down drink drive dry "
    "earlier early easy eat else end enjoy enough evening ever every everyone everything exactly exciting eye "
    "fabulous face fair fall family fantastic far fast favorite favourite feel feeling fell fella felt few film "
    "finally fine first flower fog folk food for forecast forward free freezing fresh friday friend from fun "
    "funny game garden get getting giggle give glad go going gone good goodbye goodnight gosh got gotta grand "
    "great green greetings grey grin guess guy gym ha had haha half hand hang happen happy hard has hasn't hate "
    "have he hear heard heavens hehe hello help her here hey hi him his hiya hm hmm hobby holiday home honest "
    "honestly hope hopefully hot hour house how how'd hug hungry i i'll ice idea if imagine in indeed innkeeper "
    "interesting is isn't it it'll its joke juice just keep kept kettle kid kind kitchen know knows last late "
    "lately later laugh laundry lazy leaf least leave less like lil listen little live log lol long look lot love "
    "lovely luck lucky lunch made make man may maybe me mean meet mention milk mind mine minute miss missed mmm "
    "mom moment monday month mood moon more morning mostly movie much mug mum music must my nah name nap near "
    "need never new news next nice night no nod noisy noon nope normal not nothing now obviously odd of off often "
    "oh ok okay old omg on once one ooh open or order our ours out outdoors outside over own pal park party pasta "
    "perfect pizza plan plans play please pleasure plenty pm pop pretty probable probably productive proper pub "
    "put quick quiet quieter quite rain raining rainy rather read ready real really red relax relaxed relaxing "
    "respect rest right room rough run same saturday say saying season sec second see seem seen series set share "
    "she shine shop should shouldn't show shower shrug sick sigh silly sing sip sit sleep sleepy slow smell smile "
    "snack snow snug so sofa soft someone something sometimes song soon sore sorry sort sound soup speak spring "
    "start stay stayed still stop strange stranger stretch stuff stuffy such suit summer sun sunday sunny sunset "
    "sunshine super suppose sure sweet swim take talk tasty tea tell temperature terrible than thank thanks that "
    "the them then there they thing think this tho though thought three thursday tidy till time tire tired to "
    "today together tomorrow tonight too took totally touch traffic treat tree trip true truth try tuesday turn "
    "tv twice two typical ugh umbrella under until up us used usual usually very view visit wait wake walk want "
    "warm was wasn't watch water wave way weather wednesday week weekend weird welcome well were wet what "
    "whatever which while who whole whom why will wind window windy winter wish with woman won wonder wonderful "
    "wont word work worry would wouldn't wow yawn yay yeah year yellow yep yes yesterday yet you your yum yummy "
    "zzz"
)
_SMALL_STEMS = frozenset(terms_of(_SMALL_TALK))


def is_trivial(messages: Sequence[Message]) -> bool:
    lines = lines_of(messages, {})
    if not lines:
        return True
    weights = [line.weight for line in lines]
    if max(weights) >= IMPORTANT:
        return False
    if not _is_english(lines):
        return weights.count(0) >= _SAYS_NOTHING * len(weights)
    return _is_little_told(weights) and _is_small_talk(lines)


def _is_little_told(weights: Sequence[int]) -> bool:
    told = weights.count(_IN_PASSING) + 2 * weights.count(_TELLS)
    return told <= max(_FEW_TOLD, _TOLD_SHARE * len(weights))


def _is_small_talk(lines: Sequence[Line]) -> bool:
    return len(_words_beyond(lines)) <= max(_FEW_WORDS, _WORDS_EACH * len(lines))


def _words_beyond(lines: Sequence[Line]) -> set[str]:
    stems = {stem for line in lines for stem in query_terms(line.text[:_MOST_READ], _MOST_TERMS)}
    return {stem for stem in stems - _SMALL_STEMS if not _is_laughter(stem)}


def _is_laughter(stem: str) -> bool:
    """Or a groan: of two different letters at most."""
    return len(set(stem)) <= 2


def _is_english(lines: Sequence[Line]) -> bool:
    text = " ".join(line.text[:_MOST_READ] for line in lines).lower().replace("’", "'")
    words = _WORD.findall(text)
    if sum(1 for sign in text if sign.isalpha()) > 2 * sum(len(word) for word in words):
        return False
    return sum(1 for word in words if word in _ENGLISH) >= _ENGLISH_SHARE * len(words)
