"""What people and animals are to whoever speaks of theirs: "sister", "flatmate", "greyhound".

Data.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FEMALE = _words(
    "sister sis mother mom mommy mama mam ma wife girlfriend daughter aunt auntie niece grandmother grandma granny "
    "nana gran stepmother stepmom stepsister stepdaughter granddaughter half-sister fiancée bride ex-wife "
    "ex-girlfriend sister-in-law mother-in-law daughter-in-law godmother goddaughter mum mummy nan nanna "
    "stepmum step-mother step-mum step-sister step-daughter fiancee missus abuela oma aunty ex-fiancée "
    "godmum great-grandmother"
)
MALE = _words(
    "brother bro father dad daddy papa pa husband boyfriend son uncle nephew grandfather grandpa granddad grandad "
    "stepfather stepdad stepbrother stepson grandson half-brother groom ex-husband ex-boyfriend brother-in-law "
    "father-in-law son-in-law godfather godson step-father step-dad step-brother step-son hubby fella "
    "great-grandfather opa abuelo granda pop"
)
ANYBODY = _words(
    "sibling twin cousin partner spouse fiance fiancé child kid baby toddler friend bestie roommate flatmate "
    "housemate neighbor neighbour boss manager coworker co-worker colleague classmate teammate teacher coach mentor "
    "therapist grandchild parent grandparent stepchild infant newborn teenager triplet in-law girl boy ex buddy mate "
    "landlord professor supervisor doctor eldest youngest oldest stepkid godchild bff bestfriend pal lodger tenant "
    "employee apprentice client intern trainer instructor accountant gp dentist lawyer tutor carer nanny babysitter "
    "ex-partner ex-boss penpal pen-pal schoolfriend bandmate"
)
PLURALS = _words(
    "sisters brothers sons daughters kids children siblings twins parents grandparents grandkids grandchildren "
    "friends cousins nephews nieces aunts uncles roommates flatmates babies triplets boys girls stepchildren stepkids "
    "colleagues coworkers neighbors neighbours in-laws toddlers teenagers folks godchildren step-children stepsons "
    "stepdaughters grandsons granddaughters nans grans housemates lodgers tenants employees mates pals step-kids "
    "stepbrothers stepsisters godkids great-grandchildren students pupils clients bandmates teammates exes partners"
)
PETS = _words(
    "dog cat puppy kitten pup doggo kitty hamster rabbit bunny parrot bird horse pony fish goldfish turtle tortoise "
    "snake lizard gecko guinea-pig ferret rat mouse chicken goat cow pig donkey iguana cockatiel parakeet budgie "
    "hedgehog chinchilla tarantula pet poodle labrador lab retriever bulldog beagle husky corgi terrier shepherd "
    "dachshund chihuahua pug collie mutt tabby canary axolotl rottweiler whippet greyhound tomcat spaniel labradoodle "
    "cockapoo staffie staffy lurcher alsatian dalmatian schnauzer shih-tzu boxer mastiff setter pointer ragdoll "
    "sphynx moggy mare gelding stallion foal hen rooster cockerel duck goose sheep ram ewe llama alpaca stick-insect "
    "python boa chameleon newt frog toad cockatoo macaw lovebird finch gerbil degu betta koi malamute samoyed akita "
    "pomeranian maltese westie jackapoo doodle goldendoodle sheepdog vizsla weimaraner doberman"
)
PLURAL_PETS = _words(
    "dogs cats puppies kittens hamsters rabbits bunnies parrots birds horses ponies turtles tortoises snakes lizards "
    "chickens goats cows pigs ferrets rats mice hens pets ducks sheep bees poodles huskies corgis labs retrievers "
    "alpacas llamas donkeys geckos fish terriers whippets greyhounds spaniels geese roosters gerbils guinea-pigs "
    "budgies canaries finches tarantulas stick-insects koi lurchers collies pugs beagles dachshunds"
)
RELATIVES = FEMALE | MALE | ANYBODY
PERSONS = RELATIVES | PLURALS
KEPT = PERSONS | PETS | PLURAL_PETS
# Said without "my", these are the speaker's own: "Husband works nights".
BARE = (FEMALE | MALE | _words("partner roommate flatmate housemate cousin sibling boss neighbor neighbour twin")) - {
    "bride", "groom", "bro", "ma", "pa", "pop", "son", "fella", "mam",
}  # fmt: skip

# Of these one says "the", and means one's own.
WITH_THE = _words("kids wife hubby missus grandkids grandchildren in-laws")
# Who is meant, however they are called.
_KIN = {
    "children": "child children kid kids",
    "daughter": "daughter daughters",
    "son": "son sons",
    "sister": "sister sisters",
    "brother": "brother brothers",
    "sibling": "sibling siblings",
    "mother": "mother mom mum mama mam mummy mommy",
    "father": "father dad papa daddy",
    "parent": "parent parents",
    "grandmother": "grandmother grandma granny gran nan nana nanna",
    "grandfather": "grandfather grandpa grandad granddad",
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
KIN_OF = {word: kin for kin, words in _KIN.items() for word in words.split()}
