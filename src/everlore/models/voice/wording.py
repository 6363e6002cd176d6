"""What the built-in voice answers: an honest, short reply from the card, the talk and what is remembered.

In: a scene. Out: the reply, the same for the same scene. Nothing is invented; what others wrote is quoted
or turned as plain text, never obeyed. Start at `reply_to`.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b

from everlore.domain.claim import Slot
from everlore.domain.conversation import Author, Message
from everlore.domain.display import display
from everlore.domain.macros import expand
from everlore.domain.person import Person
from everlore.models.chat import Scene
from everlore.models.voice import phrases as say
from everlore.models.voice.asking import Asked, Kind, parts_of, understand
from everlore.models.voice.delicate import is_bad_news, is_unquotable
from everlore.models.voice.phrases import FILLERS, MEANS
from everlore.models.voice.plain import plain, sentences, without_end
from everlore.models.voice.statements import (
    LIKELY,
    NO_IDENTITY,
    Statement,
    answers,
    different,
    identity,
    said_in,
    statements_of,
    user_names,
)
from everlore.models.voice.stems import has, spaced
from everlore.models.voice.turning import card_to_i

_MOST_LISTED = 3
_MOST_KNOWN = 6
_MOST_REPLY = 2_000
_OLDEST = 130
_NONE: frozenset[str] = frozenset()


def reply_to(scene: Scene) -> str:
    last = scene.history[-1] if scene.history else None
    if last is None:
        text = _opening(scene)
    elif last.author is Author.ASSISTANT:
        text = say.NO_MORE
    else:
        asked = understand(last.content, scene.character.name)
        text = _REPLIES[asked.kind](_Talk(scene, asked, last))
    # A last look: what was quoted side by side must not have become a mark (S-6).
    return display(text).text[:_MOST_REPLY] or say.ATTENTIVE[0]


def notice_of(scene: Scene) -> str:
    """What is said beside the first reply: that no language model stands behind it."""
    last = scene.history[-1] if scene.history else None
    if last is None or last.author is Author.ASSISTANT or not _is_first_reply(scene.history):
        return ""
    # Whoever is in danger is not sent to the settings.
    return "" if understand(last.content, scene.character.name).kind is Kind.DANGER else say.NO_MODEL


class _Talk:
    """One message to answer, with what is known about it."""

    def __init__(self, scene: Scene, asked: Asked, message: Message) -> None:
        self.scene = scene
        self.asked = asked
        self.message = message

    @property
    def character(self) -> Person:
        return self.scene.character

    @property
    def known(self) -> list[Statement]:
        return statements_of(self.scene)

    @property
    def address(self) -> str:
        names = user_names(self.scene.user)
        return f", {plain(names[-1], 60)}" if names else ""

    def pick(self, options: Sequence[str]) -> str:
        """Different from message to message, and the same for the same message."""
        seed = f"{self.message.conversation_id}\x1f{self.message.id}\x1f{options[0]}".encode("utf-8", "surrogatepass")
        return options[int.from_bytes(blake2b(seed, digest_size=8).digest(), "big") % len(options)]


def _is_first_reply(history: Sequence[Message]) -> bool:
    """Whether no reply stands behind any message of the user; a greeting before the first does not count."""
    first = next((place for place, message in enumerate(history) if message.author is Author.USER), 0)
    return not any(message.author is Author.ASSISTANT for message in history[first:])


# ── small talk ───────────────────────────────────────────────────────────────────────────────────


def _opening(scene: Scene) -> str:
    return _greeting(scene, "") or f"Hello. I am {plain(scene.character.name, 100)}."


def _greeting(scene: Scene, seed: str) -> str:
    """The greeting of the card, unless it was said already."""
    greetings = scene.character.greetings
    if not greetings or any(message.author is Author.ASSISTANT for message in scene.history):
        return ""
    names = user_names(scene.user)
    user = names[0] if names else "you"
    return display(expand(greetings[0], char=scene.character.name, user=user, seed=seed)).text.strip()


def _hello(talk: _Talk) -> str:
    greeting = _greeting(talk.scene, talk.message.conversation_id)
    again = bool(talk.scene.earlier) or bool(talk.scene.memories)
    return greeting or talk.pick(say.HELLO_AGAIN if again else say.HELLO).format(name=talk.address)


def _farewell(talk: _Talk) -> str:
    return talk.pick(say.FAREWELL).format(name=talk.address)


def _thanks(talk: _Talk) -> str:
    return talk.pick(say.WELCOME)


def _cannot(talk: _Talk) -> str:
    return talk.pick(say.CANNOT)


def _attentive(talk: _Talk) -> str:
    before = [each for each in said_in(talk.scene.history[:-1]) if each.clause]
    return say.ATTENTIVE_AFTER.format(clause=before[-1].clause) if before else talk.pick(say.ATTENTIVE)


# ── statements ───────────────────────────────────────────────────────────────────────────────────


def _acknowledged(talk: _Talk) -> str:
    stated = said_in([talk.message])
    # "I don't live in Oslo anymore, I live in Tromsø": what is so is the news.
    turned = next((each.clause for each in sorted(stated, key=lambda each: each.is_denied) if each.clause), None)
    more = talk.pick(say.GO_ON)
    if turned:
        return talk.pick(say.NOTED).format(clause=turned) + more
    quote = stated[0].text if stated else plain(talk.message.content)
    return talk.pick(say.NOTED_QUOTE).format(quote=quoted(quote)) + more


def _felt(templates: Sequence[str], otherwise: Sequence[str]) -> Callable[[_Talk], str]:
    def reply(talk: _Talk) -> str:
        clause = next((each.clause for each in said_in([talk.message]) if each.clause), None)
        return talk.pick(templates).format(clause=clause) if clause else talk.pick(otherwise)

    return reply


def _sorry_for_news(talk: _Talk) -> str:
    clause = next((each.clause for each in said_in([talk.message]) if each.clause and is_bad_news(each.text)), None)
    return talk.pick(say.SORRY_NEWS).format(clause=clause) if clause else talk.pick(say.SORRY_PLAIN)


def _care(_: _Talk) -> str:
    return say.CARE


def _calm(talk: _Talk) -> str:
    return talk.pick(say.CALM)


def _cannot_forget(_: _Talk) -> str:
    return say.CANNOT_FORGET


# ── questions about the user ─────────────────────────────────────────────────────────────────────


def told(statement: Statement) -> str:
    """One statement as a whole sentence to the user."""
    if statement.clause and statement.is_memory:
        return statement.clause[:1].upper() + statement.clause[1:] + "."
    if statement.clause:
        return say.TOLD.format(clause=statement.clause)
    template = say.REMEMBERED if statement.is_memory else say.TOLD_IN_WORDS
    return template.format(quote=quoted(statement.text))


def quoted(text: str) -> str:
    """In quotation marks, and ended as a sentence."""
    return f"“{text}”" if text.endswith((".", "!", "?", "…", "。")) else f"“{text}”."


def _of_user(talk: _Talk) -> str:
    found = answers(talk.asked, talk.known)
    if not found:
        return _own_name(talk) or _unknown(talk)
    how_well, best = found[0]
    if how_well < LIKELY:
        return _own_name(talk) or say.NOT_SURE.format(known=told(best))
    aspect = talk.asked.aspect
    if aspect is not None and aspect.is_many and not talk.asked.subjects:
        return _listed([each for well, each in found if well == how_well], _MOST_LISTED)
    return told(best) + _in_years(talk, best)


def _in_years(talk: _Talk, best: Statement) -> str:
    """A year of birth says how old they are, but for whether this year's birthday has been."""
    claim, aspect = best.claim, talk.asked.aspect
    is_born = claim is not None and claim.slot is Slot.BIRTH_YEAR and claim.value.isdecimal()
    if claim is None or aspect is None or Slot.AGE not in aspect.slots or not is_born:
        return ""
    years = talk.message.created_at.year - int(claim.value)
    return f" So you are {years - 1} or {years}." if 0 < years < _OLDEST else ""


def _own_name(talk: _Talk) -> str:
    """Whom the user plays, where they never said what they are called."""
    asked, names = talk.asked, user_names(talk.scene.user)
    is_name = asked.aspect is not None and asked.aspect.tell == "your name" and not asked.subjects
    return f"You are {plain(names[0], 100)}." if is_name and names else ""


def _unknown(talk: _Talk) -> str:
    what = _what(talk.asked)
    return talk.pick(say.UNKNOWN).format(what=what) if what else talk.pick(say.UNKNOWN_PLAIN)


def _what(asked: Asked) -> str:
    """What the user would have to tell."""
    if asked.aspect is not None and not asked.subjects and asked.is_of_user:
        return asked.aspect.tell
    return f"about your {plain(asked.thing, 60)}" if asked.thing else ""


def _told_about(talk: _Talk) -> str:
    found = [each for well, each in answers(talk.asked, talk.known) if well >= LIKELY]
    return _listed(found, _MOST_LISTED) if found else _unknown(talk)


def _overview(talk: _Talk) -> str:
    of_user = [each for each in talk.known if each.clause and (each.is_memory or _is_of_self(each))]
    # Who they are is remembered as it is now; what was said of it may be over.
    settled = {identity(each) for each in of_user if each.is_memory} - {NO_IDENTITY}
    of_user = [each for each in of_user if each.is_memory or identity(each) not in settled]
    known = sorted(of_user, key=lambda each: (not each.is_memory, identity(each)))
    names = user_names(talk.scene.user)
    if known:
        return _listed(known, _MOST_KNOWN)
    return f"You are {plain(names[0], 100)}. More I do not know yet." if names else say.KNOW_NOTHING


def _is_of_self(statement: Statement) -> bool:
    return not statement.words.isdisjoint(("i", "im", "ive", "my", "me"))


def _listed(known: Sequence[Statement], most: int) -> str:
    """Memories as they are, then what was told as one sentence."""
    chosen = different(known, most)
    turned = [each for each in chosen if each.clause and not each.is_memory]
    others = [told(each) for each in chosen if each not in turned]
    return " ".join([*others, _told_together(turned)]).strip()


def _told_together(turned: Sequence[Statement]) -> str:
    *first, last = [f"that {each.clause}" for each in turned] or [""]
    together = ", ".join(first) + (", and " if first else "") + last
    return f"You told me {together}." if turned else ""


# ── questions about earlier talks ────────────────────────────────────────────────────────────────


def _last_time(talk: _Talk) -> str:
    earlier = talk.scene.earlier
    last = [message for message in earlier if message.conversation_id == earlier[-1].conversation_id] if earlier else []
    if last:
        return _retold(said_in(last), say.LAST_TIME) or _quoted(last)
    here = _retold(said_in(talk.scene.history[:-1]), say.EARLIER_HERE)
    if here:
        return here
    remembered = different(talk.known, _MOST_LISTED)
    known = " ".join(told(statement) for statement in remembered)
    return say.NO_RECORD.format(known=known) if known else say.FIRST_TIME


def _retold(stated: Sequence[Statement], template: str) -> str:
    """The newest things that were told, the newest last."""
    newest = different([each for each in reversed(stated) if each.clause], _MOST_LISTED)
    together = _told_together(newest[::-1])
    return template.format(told=f"y{together[1:]}") if together else ""


def _quoted(messages: Sequence[Message]) -> str:
    """The last talk in the user's own words, where nothing could be turned."""
    said = [message.content for message in messages if message.author is Author.USER]
    lines = [plain(text, 120) for text in said if not any(map(is_unquotable, (text, *parts_of(text))))]
    quotes = "; ".join(f"“{line}”" for line in lines[-_MOST_LISTED:] if line)
    return say.LAST_QUOTES.format(quotes=quotes) if quotes else say.NOTHING_TO_RETELL


# ── questions about the character ────────────────────────────────────────────────────────────────


def _of_character(talk: _Talk) -> str:
    stems = talk.asked.stems
    for cues, reply in _CHARACTER:
        if has(stems, cues):
            found = reply(talk)
            if found:
                return found
    return _from_card(talk, ()) or talk.pick(say.UNKNOWN_SELF)


def _nature(talk: _Talk) -> str:
    return say.NATURE.format(character=plain(talk.character.name, 100))


def _well(talk: _Talk) -> str:
    return talk.pick(say.WELL).format(name=talk.address)


def _age(talk: _Talk) -> str:
    age = talk.character.age
    return f"I am {age} years old." if age is not None else _from_card(talk, say.AGE_WORDS)


def _race(talk: _Talk) -> str:
    race = plain(talk.character.race, 100)
    return f"My people: {race}." if race else ""


def _pronouns(talk: _Talk) -> str:
    pronouns = plain(talk.character.pronouns or talk.character.gender, 100)
    return f"For me it is: {pronouns}." if pronouns else ""


def _manner(talk: _Talk) -> str:
    manner = without_end(plain(talk.character.personality))
    is_list = bool(manner) and len(manner.split()) <= 12 and "." not in manner
    return say.DESCRIBED.format(quote=manner) if is_list else _own_words(talk, talk.character.personality, 2)


def _place(talk: _Talk) -> str:
    scenario = _card_text(talk, talk.character.scenario)
    return say.PLACE.format(quote=quoted(plain(scenario))) if scenario.strip() else ""


def _introduced(talk: _Talk) -> str:
    character = talk.character
    name = f"I am {plain(character.name, 100)}."
    story = character.description or character.description_light or character.description_public
    about = _own_words(talk, story, 2) or _manner(talk)
    return f"{name} {about}".strip() if "name" not in talk.asked.stems.split() else name


def _worded(words: Sequence[str]) -> Callable[[_Talk], str]:
    return lambda talk: _from_card(talk, words)


def _from_card(talk: _Talk, words: Sequence[str]) -> str:
    """The sentence of the card that names what was asked for: one of `words`, or else what the question names."""
    character = talk.character
    wanted = {stem for stem in talk.asked.stems.split() if stem not in FILLERS}
    for story in (character.description, character.personality, character.scenario, character.description_light):
        for sentence in sentences(_card_text(talk, story)):
            stems = spaced(sentence)
            named = sum(1 for each in wanted if not ({each} | MEANS.get(each, _NONE)).isdisjoint(stems.split()))
            if has(stems, words) or (not words and wanted and 2 * named >= len(wanted)):
                return _own_sentence(character, sentence)
    return ""


def _own_words(talk: _Talk, story: str, most: int) -> str:
    found = sentences(_card_text(talk, story))[:most]
    return " ".join(_own_sentence(talk.character, sentence) for sentence in found)


def _own_sentence(character: Person, sentence: str) -> str:
    turned = card_to_i(sentence, character.name)
    return f"{turned}." if turned else say.WRITTEN.format(quote=quoted(sentence))


def _card_text(talk: _Talk, story: str) -> str:
    user = next(iter(user_names(talk.scene.user)), say.GUEST)
    return expand(story[:8_000], char=talk.character.name, user=user, seed=talk.character.id)


_CHARACTER: tuple[tuple[Sequence[str], Callable[[_Talk], str]], ...] = (
    (say.NATURES, _nature),
    (say.HOW_ARE_YOU, _well),
    (say.CHARACTER_AGE, _age),
    (say.CHARACTER_RACE, _race),
    (say.CHARACTER_PRONOUNS, _pronouns),
    (say.CHARACTER_LOOKS, _worded(say.LOOKS_WORDS)),
    (say.CHARACTER_MANNER, _manner),
    (say.CHARACTER_DWELLING, _worded(say.DWELLING_WORDS)),
    (say.CHARACTER_DWELLING, _worded(say.DWELLINGS)),
    (say.CHARACTER_HOME, _worded(say.HOME_WORDS)),
    (say.CHARACTER_WORK, _worded(say.WORK_WORDS)),
    (say.CHARACTER_WORK, _introduced),
    (say.CHARACTER_PLACE, _place),
    (say.INTRODUCTIONS, _introduced),
)

# ── other questions ──────────────────────────────────────────────────────────────────────────────


def _opinion(talk: _Talk) -> str:
    return talk.pick(say.OPINION)


def _other(talk: _Talk) -> str:
    found = [each for well, each in answers(talk.asked, talk.known) if well >= LIKELY]
    if found:
        return told(found[0])
    foreign = _best_recalled(talk)
    return foreign or talk.pick(say.UNKNOWN_OTHER)


def _best_recalled(talk: _Talk) -> str:
    """For a question in another language: the statement that recall found best for it, or nothing."""
    is_english = not say.ENGLISH.isdisjoint(talk.asked.stems.split())
    remembered = [statement for statement in talk.known if statement.is_memory]
    return told(remembered[0]) if remembered and not is_english else ""


_REPLIES: dict[Kind, Callable[[_Talk], str]] = {
    Kind.GREETING: _hello,
    Kind.FAREWELL: _farewell,
    Kind.THANKS: _thanks,
    Kind.OF_USER: _of_user,
    Kind.OVERVIEW: _overview,
    Kind.TOLD_ABOUT: _told_about,
    Kind.LAST_TIME: _last_time,
    Kind.OF_CHARACTER: _of_character,
    Kind.OPINION: _opinion,
    Kind.OTHER_QUESTION: _other,
    Kind.REQUEST: _cannot,
    Kind.DANGER: _care,
    Kind.INSULT: _calm,
    Kind.FORGET: _cannot_forget,
    Kind.BAD_NEWS: _sorry_for_news,
    Kind.SAD: _felt(say.SORRY, say.SORRY_PLAIN),
    Kind.HAPPY: _felt(say.GLAD, say.GLAD_PLAIN),
    Kind.STATEMENT: _acknowledged,
    Kind.ELSE: _attentive,
}
