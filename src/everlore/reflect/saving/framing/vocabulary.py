"""Words that decide what a phrase is about: kin, partners, pets, diets, occupations."""

from everlore.domain.words import query_terms

_KIN = {
    "children": "child children kid kids",
    "daughter": "daughter daughters",
    "son": "son sons",
    "sister": "sister sisters",
    "brother": "brother brothers",
    "sibling": "sibling siblings",
    "mother": "mother mom mum mama",
    "father": "father dad papa",
    "parent": "parent parents",
    "grandmother": "grandmother grandma granny",
    "grandfather": "grandfather grandpa",
    "grandchild": "grandchild grandchildren grandson granddaughter",
    "aunt": "aunt aunts",
    "uncle": "uncle uncles",
    "cousin": "cousin cousins",
    "niece": "niece nieces",
    "nephew": "nephew nephews",
    "friend": "friend friends best-friend",
    "roommate": "roommate roommates flatmate flatmates housemate",
    "boss": "boss manager",
    "colleague": "colleague colleagues coworker coworkers",
    "neighbor": "neighbor neighbors neighbour neighbours",
    "mother-in-law": "mother-in-law",
    "father-in-law": "father-in-law",
    "ex": "ex ex-wife ex-husband ex-girlfriend ex-boyfriend",
}
_MANNERS = {
    "married": "married wife husband spouse",
    "engaged": "engaged fiancé fiancée fiance fiancee",
    "dating": "dating dates seeing girlfriend boyfriend",
    "together": "partner together relationship",
}
_PET_WORDS = (
    "cat cats kitten kittens dog dogs puppy puppies hamster rabbit bunny parrot bird fish goldfish horse pony turtle "
    "tortoise snake lizard ferret pet pets rat mouse chicken chickens goat"
)
_DIET_WORDS = "vegan vegetarian pescatarian omnivore flexitarian carnivore"
_OCCUPATION_WORDS = (
    "accountant actor actress advisor analyst animator archaeologist architect artist astronomer athlete attorney "
    "author baker banker barber barista bartender biologist blacksmith bookkeeper builder butcher carpenter cashier "
    "chef chemist cleaner clerk coach composer consultant contractor cook counselor curator dancer dentist designer "
    "detective developer director doctor driver economist editor electrician engineer entrepreneur farmer "
    "firefighter fisherman florist freelancer gardener geologist guard hairdresser historian illustrator instructor "
    "interpreter investor janitor journalist judge lawyer lecturer librarian lifeguard locksmith manager marketer "
    "mason mathematician mechanic midwife miner model musician nanny neurosurgeon novelist nurse optician painter "
    "paralegal paramedic pastor pharmacist photographer physician physicist physiotherapist pilot plumber poet "
    "policeman politician postman potter priest principal producer professor programmer psychiatrist psychologist "
    "publisher radiologist realtor receptionist reporter researcher sailor salesman saleswoman salesperson "
    "scientist sculptor secretary shopkeeper singer soldier statistician surgeon surveyor tailor teacher technician "
    "therapist tutor veterinarian vet waiter waitress welder writer"
)

KIN = "|".join(sorted((word for words in _KIN.values() for word in words.split()), key=len, reverse=True))
PARTNERS = "wife|husband|spouse|partner|girlfriend|boyfriend|fiancée|fiancé|fiancee|fiance"
PETS = "|".join(sorted(_PET_WORDS.split(), key=len, reverse=True))
DIETS = "|".join(_DIET_WORDS.split())
OCCUPATIONS = frozenset(query_terms(_OCCUPATION_WORDS, most=1_000))
_KIN_OF = {word: kin for kin, words in _KIN.items() for word in words.split()}
_MANNER_OF = {word: manner for manner, words in _MANNERS.items() for word in words.split()}


def kin_of(word: str) -> str:
    """ "Kids" and "children" are one."""
    return _KIN_OF.get(word.lower(), word.lower())


def manner_of(words: str) -> str:
    """How a couple is together: "wife" says married. Empty where nothing is said of it."""
    return next((_MANNER_OF[word] for word in words.lower().split() if word in _MANNER_OF), "")
