"""The replies of the built-in voice: short and honest, from the card, the conversation, memories and new facts.

In: a scene. Out: the reply, always the same for the same scene. Nothing is invented; text of others is quoted as plain
text, and instructions in it are ignored. Start at `reply_to`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from everlore.domain.claim import Slot
from everlore.domain.conversation import Author, Message
from everlore.domain.display import display
from everlore.domain.macros import expand
from everlore.domain.words import stems_of
from everlore.models.chat import Scene
from everlore.models.choice import NO_MODEL
from everlore.models.voice.answers import answer_to, is_statement, known_in, lines_in, of_user, user_names
from everlore.models.voice.phrases import replies
from everlore.models.voice.question import VoiceQuestion, asking_clause, question_in, whole_question
from everlore.models.voice.second_person import to_second_person
from everlore.models.voice.text import bare, is_danger, is_said, plain, quoted, sentences, without_end

_HAVING = re.compile(r"you have an? (.+) named (.+)")
_MOST_KNOWN = 12
_MOST_QUOTED = 3
_MOST_LEARNED = 5
_MOST_REPLY = 2_000


def reply_to(scene: Scene) -> str:
    if not scene.history:
        text = _card_greeting(scene, "") or f"Hello. I am {plain(scene.character.name, 100)}."
    elif scene.history[-1].author is Author.ASSISTANT:
        text = replies("no_more")[0]
    else:
        text = _Talk(scene, scene.history[-1]).reply()
    # A final check: adjacent quotations must not form markup (S-6).
    return display(text).text[:_MOST_REPLY] or replies("listening")[0]


def notice_of(scene: Scene) -> str:
    """Sent with the first reply: that no language model is connected. Users in danger do not get it."""
    first = next((place for place, each in enumerate(scene.history) if each.author is Author.USER), None)
    is_first = first is not None and not any(each.author is Author.ASSISTANT for each in scene.history[first:])
    return NO_MODEL if is_first and not is_danger(scene.history[-1].content) else ""


def _card_greeting(scene: Scene, seed: str) -> str:
    """The greeting of the card, unless it was already used."""
    greetings = scene.character.greetings
    if not greetings or any(message.author is Author.ASSISTANT for message in scene.history):
        return ""
    user = next(iter(user_names(scene.user)), "you")
    return display(expand(greetings[0], char=scene.character.name, user=user, seed=seed)).text.strip()


@dataclass(frozen=True, slots=True)
class _Talk:
    """One message to answer, with what is known about it."""

    scene: Scene
    message: Message

    def say(self, name: str, **parts: str) -> str:
        """One of the wordings: varies between messages, and is the same for the same message."""
        options = replies(name)
        seed = f"{self.message.conversation_id}\x1f{self.message.id}\x1f{name}".encode("utf-8", "surrogatepass")
        chosen = options[int.from_bytes(blake2b(seed, digest_size=8).digest(), "big") % len(options)]
        names = user_names(self.scene.user)
        return chosen.format(name=f", {plain(names[-1], 60)}" if names else "", **parts)

    def reply(self) -> str:
        said = sentences(self.message.content)
        if is_danger(self.message.content):
            return self.say("care")
        for name in ("forget", "insult"):
            if any(is_said(name, each) for each in said):
                return self.say(name)
        is_request = bool(said) and is_said("request", said[-1])
        question = None if is_request else question_in(self.message.content, self.scene.character.name)
        parts = [self._felt(said), self._noted(), self._answer(question) if question else ""]
        return " ".join(part for part in (*parts, self._small_talk(said, has_more=any(parts))) if part)

    def _felt(self, said: Sequence[str]) -> str:
        is_bad = any(is_said("bad_news", each) and not is_said("no_bad_news", each) for each in said)
        is_good = any(is_said("good_news", each) for each in said)
        return self.say("bad_news") if is_bad else self.say("good_news") if is_good else ""

    def _noted(self) -> str:
        """What was learned from the message, as it is remembered; without what a question only presumes."""
        asking = [(each, asking_clause(each, self.scene.character.name)) for each in sentences(self.message.content)]
        if all(clause and not is_statement(each.removesuffix(clause)) for each, clause in asking):
            return ""
        names = user_names(self.scene.user)
        facts = [to_second_person(plain(each), names) or without_end(plain(each)) for each in self.scene.learned]
        clauses = [each[:1].lower() + each[1:] if each.startswith("You") else each for each in facts]
        # Drop "You have a sister named Ana" if there is also "your sister Ana is a vet".
        told = " ".join(each for each in clauses if not _HAVING.match(each)).lower()
        kept = [
            each
            for each in clauses
            if not (has := _HAVING.match(each)) or f"your {has[1]} {has[2]}".lower() not in told
        ]
        return self.say("noted", facts=", and ".join(kept[:_MOST_LEARNED])) if kept else ""

    def _small_talk(self, said: Sequence[str], *, has_more: bool) -> str:
        first, last = (said[0], said[-1]) if said else ("", "")
        if is_said("farewell", last) or is_said("farewell", last.rpartition(",")[2]):
            return self.say("farewell")
        if has_more:
            return ""
        for kind in ("thanks", "request"):
            if is_said(kind, last):
                return self.say(kind)
        if is_said("greeting", first):
            greeting = _card_greeting(self.scene, self.message.conversation_id)
            return greeting or self.say("hello_again" if self.scene.earlier or self.scene.memories else "hello")
        return self.say("listening")

    def _answer(self, question: VoiceQuestion) -> str:
        if question.asks("last_time"):
            return self._last_time()
        if question.asks("overview"):
            return self._overview()
        if question.is_of_character or question.asks("how_are_you"):
            return self._of_character(question)
        known = known_in(self.scene)
        found, is_sure = answer_to(question, known)
        if not found:
            # "What are my kids called, and how old are they?": what is quoted may answer both.
            whole = whole_question(self.message.content, self.scene.character.name)
            lines = [each for each in known if not each.is_memory]
            found, is_sure = (answer_to(whole, lines)[0] or answer_to(whole, known)[0])[:1], False
        told = " ".join(each.said for each in found)
        return self._unknown(question) if not told else told if is_sure else self.say("not_sure", known=told)

    def _unknown(self, question: VoiceQuestion) -> str:
        topic, names = question.topic, user_names(self.scene.user)
        story = "" if question.is_of_user or question.thing or not question.subjects else self._told_in_story(question)
        if story:
            return self.say("written", quote=quoted(story))
        asks_name = topic is not None and Slot.NAME in topic.slots
        if not is_said("english", self.message.content) and self.scene.memories:
            # In an unsupported language: the best result of recall.
            return next((each.said for each in known_in(self.scene) if each.is_memory), self.say("unknown_other"))
        if topic is not None and not question.subjects and question.is_of_user:
            return f"You are {plain(names[0], 100)}." if asks_name and names else self.say("unknown", back=topic.back)
        if question.thing:
            name = "unknown_name" if asks_name else "unknown_value" if " " in question.thing else "unknown_thing"
            return self.say(name, thing=plain(question.thing, 60))
        return self.say("unknown_plain" if question.is_of_user else "unknown_other")

    def _overview(self) -> str:
        known = known_in(self.scene)
        # What the message itself says is no news.
        lines = [each for each in known if each.is_of_user and each.at != self.message.created_at]
        told = (of_user(known) or lines)[:_MOST_KNOWN]
        return " ".join(each.said for each in told) or self.say("know_nothing")

    def _last_time(self) -> str:
        earlier = self.scene.earlier
        last = [each for each in earlier if each.conversation_id == earlier[-1].conversation_id]
        for name, messages in (("last_time", last), ("earlier_here", self.scene.history[:-1])):
            said = [plain(each.text, 120) for each in lines_in(messages)][-_MOST_QUOTED:]
            if said:
                return self.say(name, quotes=quoted("”; “".join(said)))
        return self.say("nothing_to_retell" if last else "first_time")

    def _of_character(self, question: VoiceQuestion) -> str:
        name = plain(self.scene.character.name, 100)
        for kind in ("nature", "how_are_you", "abilities"):
            if question.asks(kind):
                return self.say(kind, character=name)
        if question.asks("introduction"):
            story = " ".join(self._stories()[:2])
            is_name = "name" in question.text.split() or not story
            return f"I am {name}." + ("" if is_name else " " + self.say("written", quote=quoted(story)))
        found = self._told_in_story(question)
        return self.say("written", quote=quoted(found)) if found else self.say("unknown_self")

    def _told_in_story(self, question: VoiceQuestion) -> str:
        return next((each for each in self._stories() if self._tells(each, question)), "")

    def _tells(self, sentence: str, question: VoiceQuestion) -> bool:
        if question.subjects:
            return question.subjects <= set(stems_of(bare(sentence)))
        return question.topic is not None and question.topic.says.search(bare(sentence)) is not None

    def _stories(self) -> list[str]:
        """The sentences of the card, and its other fields as sentences."""
        person = self.scene.character
        fields = (("Race", person.race), ("Pronouns", person.pronouns), ("Gender", person.gender))
        told = [f"{name}: {value}" for name, value in fields if value]
        told += [f"{person.name} is {person.age} years old."] if person.age is not None else []
        texts = (person.description or person.description_light, person.personality, person.scenario, *told)
        return [sentence for text in texts for sentence in sentences(self._card(text))]

    def _card(self, story: str) -> str:
        user = next(iter(user_names(self.scene.user)), replies("guest")[0])
        return expand(story[:8_000], char=self.scene.character.name, user=user, seed=self.scene.character.id)
