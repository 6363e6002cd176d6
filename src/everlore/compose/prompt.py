"""From a scene to the messages that a model is sent, within a budget of tokens. Pure.

First the character and what it knows, as one system message; then the latest messages that fit, oldest
first. The message that is answered is always there, cut if it must be. A character sees only messages at
which it was present (V13), and nothing that is hidden. Context blocks are opened by us alone: what looks like
one in a card, a name or a message is text.

Start at `compose`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from everlore.compose.card import card_text, describe
from everlore.domain.blocks import block
from everlore.domain.config import ConversationConfig, Rating
from everlore.domain.conversation import Author, Message
from everlore.domain.macros import expand
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.models.chat import Said
from everlore.models.tokenizer import Tokenizer

WINDOW = 8_192
# What a chat format adds around each message.
_FRAME_TOKENS = 6
_RATINGS = {
    Rating.E: "suitable for everyone",
    Rating.T: "suitable for teenagers",
    Rating.M: "for a mature audience",
    Rating.AO: "for adults only",
    Rating.RC: "without a classification",
}
_ORIGINAL = re.compile(r"\{\{\s*original\s*\}\}", re.IGNORECASE)
_BLOCK_EDGE = re.compile(r"<(?=/?\s*mcp:context)", re.IGNORECASE)
_GAP = " […] "
# With fewer tokens a gap would cost too much of them.
_WORTH_A_GAP = 32
# Hardly any token is longer: what is further from the end need not be counted.
_LONGEST_TOKEN = 32
_GO_ON = "[Go on with your last message from exactly where it ends. Do not repeat any of it.]"
# Many servers refuse a talk in which no user has said anything.
_BEGIN = Said("user", "[The conversation begins. Speak first.]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenery:
    """All that a prompt is made of. `notes` are context for this one turn; `names` tells who is who."""

    character: Person
    user: Person | None
    names: Mapping[str, str]
    config: ConversationConfig
    history: Sequence[Message]
    memories: Sequence[Memory] = ()
    notes: Sequence[str] = ()
    continuing: bool = False


@dataclass(frozen=True, slots=True)
class Budget:
    window: int
    reply: int

    @property
    def prompt(self) -> int:
        return self.window - self.reply


def budget_of(config: ConversationConfig) -> Budget:
    window = config.context_window or WINDOW
    # A reserve that leaves no room for a question is a slip; half of the window is the most.
    return Budget(window, min(config.response_reserve or window // 8, window // 2))


def compose(scene: Scenery, tokenizer: Tokenizer) -> tuple[Said, ...]:
    most = budget_of(scene.config).prompt
    # The talk has its part, whatever the card brings along: it must not crowd out the question.
    system = Said("system", _system(scene, tokenizer, most * 6 // 10))
    after = _after(scene, tokenizer, most // 5)
    left = most - sum(_cost(tokenizer, said.content) for said in (system, *after))
    return (system, *(_talk(scene, tokenizer, left) or [_BEGIN]), *after)


def seen_by(history: Sequence[Message], character_id: str) -> tuple[Message, ...]:
    """The messages at which the character was present (V13), without those that are hidden or empty."""
    return tuple(message for message in history if _is_seen(message, character_id))


def _system(scene: Scenery, tokenizer: Tokenizer, most: int) -> str:
    """The card is cut before what is remembered and what is said for this turn: these are short, and needed now."""
    notes = tokenizer.cut(_joined(scene.notes), most // 2)
    memory = _remembered(scene.memories, min(scene.config.memory_budget, most // 4), tokenizer)
    rest = [part for part in (memory, notes) if part]
    left = most - sum(_cost(tokenizer, part) for part in rest)
    card = tokenizer.cut(_without_blocks(_joined(_sections(scene))), left)
    return tokenizer.cut(_joined([card, *rest]), most)


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)


def _sections(scene: Scenery) -> Iterator[str]:
    character, config = scene.character, scene.config
    fill = filler(scene.character, scene.user)
    yield _who_you_are(character, fill)
    yield from (fill(section) for section in describe(character))
    if config.include_scene and config.setting:
        yield f"The scene: {config.setting}"
    yield f"The story is {_RATINGS[config.rating]}."
    if config.assist:
        yield "Help the user to play along: offer a next step where they seem to be stuck."
    if scene.user is not None:
        told = f"You are talking to {one_line(scene.user.name)}."
        yield f"{told} {fill(scene.user.description)}".strip()


def _who_you_are(character: Person, fill: Callable[[str], str]) -> str:
    name = one_line(character.name)
    ours = f"You are {name}. Stay in character, and answer as {name} would, in their own words."
    # Filled piece by piece: a name that looks like a macro stays a name.
    pieces = _ORIGINAL.split(card_text(character, "system_prompt") or "{{original}}")
    return ours.join(fill(piece) for piece in pieces)


def _remembered(memories: Sequence[Memory], budget: int, tokenizer: Tokenizer) -> str:
    lines: list[str] = []
    for memory in memories:
        line = f"- {memory.content}"
        cost = tokenizer.count(line) + 1
        # Skip, don't stop: a shorter memory further down may still fit.
        if cost <= budget:
            lines.append(line)
            budget -= cost
    return block("memory", "What you remember:\n" + "\n".join(lines)) if lines else ""


def _after(scene: Scenery, tokenizer: Tokenizer, most: int) -> tuple[Said, ...]:
    last_word = filler(scene.character, scene.user)(card_text(scene.character, "post_history_instructions"))
    cut = tokenizer.cut(_without_blocks(last_word), most - 2 * _cost(tokenizer, _GO_ON))
    after = [Said("system", cut)] if cut else []
    if scene.continuing:
        after.append(Said("system", _GO_ON))
    return tuple(after)


def _talk(scene: Scenery, tokenizer: Tokenizer, left: int) -> list[Said]:
    seen = seen_by(scene.history, scene.character.id)
    if scene.config.prune:
        seen = seen[-scene.config.message_trim :]
    talk: list[Said] = []
    for message in reversed(seen):
        said = _said(message, scene)
        cost = _cost(tokenizer, said.content)
        if cost > left:
            if not talk:
                talk.append(_cut(said, tokenizer, left - _FRAME_TOKENS))
            break
        talk.append(said)
        left -= cost
    return talk[::-1]


def _cut(said: Said, tokenizer: Tokenizer, tokens: int) -> Said:
    """What came last of a reply, which is to be gone on with; the two ends of whatever else."""
    cut = _tail if said.role == "assistant" or tokens < _WORTH_A_GAP else _both_ends
    return Said(said.role, cut(said.content, tokenizer, tokens))


def _both_ends(text: str, tokenizer: Tokenizer, tokens: int) -> str:
    """The beginning says what it is about; the question is mostly in the last words."""
    tail = _GAP + _tail(text, tokenizer, tokens // 2)
    head = tokenizer.cut(text, tokens - tokenizer.count(tail))
    # A text can cost a little more than its parts.
    while head and tokenizer.count(head + tail) > tokens:
        head = head[: -(len(head) // 8 + 1)]
    return head + tail


def _tail(text: str, tokenizer: Tokenizer, tokens: int) -> str:
    text = text[-max(tokens, 1) * _LONGEST_TOKEN :]
    while text and tokenizer.count(text) > tokens:
        text = text[len(text) // 8 + 1 :]
    return text


def _is_seen(message: Message, character_id: str) -> bool:
    if message.hidden or not message.content.strip():
        return False
    return not message.present or character_id in message.present


def _said(message: Message, scene: Scenery) -> Said:
    if message.person_id == scene.character.id and message.author in (Author.ASSISTANT, Author.NARRATOR):
        return Said("assistant", message.content)
    content = _without_blocks(message.content)
    if message.author is Author.SYSTEM:
        return Said("system", content)
    if message.author is Author.USER and (scene.user is None or message.person_id in (None, scene.user.id)):
        return Said("user", content)
    # Somebody else in the scene: a model knows but two sides, so the name goes before the words.
    name = "Narrator" if message.author is Author.NARRATOR else scene.names.get(message.person_id or "", "Somebody")
    return Said("user", f"{_without_blocks(one_line(name))}: {content}")


def one_line(name: str) -> str:
    """A name that cannot begin a line of its own, and so cannot pass for anything but a name."""
    return " ".join(name.split())


def _without_blocks(text: str) -> str:
    """Only we open context blocks: what looks like one in a card or a message is text."""
    return _BLOCK_EDGE.sub("&lt;", text)


def _cost(tokenizer: Tokenizer, text: str) -> int:
    return tokenizer.count(text) + _FRAME_TOKENS


def filler(character: Person, user: Person | None) -> Callable[[str], str]:
    """Fills the macros of a card: {{char}}, {{user}} and the rest."""
    name = card_text(character, "nickname") or character.name

    def fill(text: str) -> str:
        return expand(text, char=name, user=user.name if user else "User", seed=character.id)

    return fill
