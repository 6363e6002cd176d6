"""Closed word classes of English that show where a clause begins and what it does."""

from everlore.language.lists import listed
from everlore.language.verbs import is_irregular

SELVES = frozenset({"i", "we"})
PRONOUNS = frozenset({"i", "we", "you", "he", "she", "they", "it"})
BE = frozenset({"am", "is", "are", "was", "were", "be", "been", "being"})
AUXILIARIES = BE | listed("grammar.auxiliaries")
ADVERBS = listed("grammar.adverbs")
ASKING = listed("grammar.asking")
ASKING_FOR = listed("talk.asking_for")
INVERTING = AUXILIARIES - {"be", "been", "being", "used", "going"}
LEADS = listed("talk.leads")
ORDERS = listed("verbs.orders")
# "Love hiking": verbs that never begin an order.
TASTES = listed("tastes.verbs") - {"like"}
WOULD = frozenset("would could might should may".split())
THIRD_PERSON_VERBS = listed("verbs.third_person")

_RARELY_PAST = listed("verbs.rarely_past")
_NO_PAST = listed("verbs.in_ed") | listed("verbs.no_past")


def is_past_form(low: str) -> bool:
    """ "got", "survived"; not adjectives ("bored") or base forms ("need")."""
    is_regular = low.endswith("ed") and len(low) > len("used") and low.isalpha() and low not in _NO_PAST
    return is_regular or (is_irregular(low) and low not in _RARELY_PAST)
