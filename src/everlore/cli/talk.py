"""A chat in the terminal: each line is a message or a command, and replies are streamed.

Three forms of output: at a terminal with names and a prompt; in a pipe the replies alone; with `--json` one object per
turn. Start at `ChatSession.run`; `COMMANDS` is what can follow a slash.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from everlore.app import Everlore
from everlore.cli.documents import message_document
from everlore.cli.files import write_new
from everlore.cli.keyboard import Keyboard
from everlore.cli.outcomes import kept_document, kept_lines
from everlore.cli.output import Unwritable, emit, note, report, shown, shown_text, write
from everlore.cli.slash import Command, Words, goes_on, read_line, read_number, refuse_empty
from everlore.domain.config import config_of
from everlore.domain.conversation import Author, Conversation, Message, MessageState
from everlore.domain.display import display
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person
from everlore.domain.tokens import token_of, unresolved_in
from everlore.errors import BadAsk, EverloreError, ModelMisbehaved
from everlore.models.choice import NO_MODEL
from everlore.turn.replies import NOTICE
from everlore.turn.reply_writer import Writing

PROMPT = "> "
PROMPT_AGAIN = "… "
HINT = f"{NO_MODEL} Start Ollama, LM Studio or llama.cpp on this computer, or set OPENAI_API_KEY, and run this again."
_SHOWN_AT_START = 6
_SHOWN = 10
# How many messages back the last one of the user is searched for.
_LOOK_BACK = 50


class ChatSession:
    def __init__(self, lore: Everlore, keyboard: Keyboard, *, as_json: bool) -> None:
        self._lore = lore
        self._keyboard = keyboard
        self._as_json = as_json
        self._chatty = keyboard.is_terminal and not as_json
        self._over = False
        self._code = 0

    async def run(self, conversation: Conversation, is_new: bool) -> int:
        """Runs until the end; returns the exit code, which is 0 at a terminal: the user has seen the errors."""
        await self._enter(conversation, is_new)
        await self._greet()
        while not self._over and (text := await self._typed()) is not None:
            await self._take(text)
        if self._chatty and not self._over:
            write("\n")
        await self._leave()
        return 0 if self._keyboard.is_terminal else self._code

    async def _enter(self, conversation: Conversation, is_new: bool) -> None:
        self._conversation = conversation
        self._is_new = is_new
        ids = [*conversation.system_ids, *([conversation.user_id] if conversation.user_id else [])]
        persons = await self._lore.store.get_many(self._lore.scope, Person, ids)
        self._names = {person.id: person.name for person in persons}

    async def _leave(self) -> None:
        """A conversation without messages is deleted: --continue should find the last real one."""
        if not self._is_new:
            return
        conversation = await self._lore.conversations.get(self._conversation.id)
        if conversation.message_count <= 1 and not conversation.title:
            await self._lore.conversations.delete(conversation.id)

    async def _greet(self) -> None:
        answers = f"Chatting with {shown(self._cast())}. {await self._who_answers()}"
        if self._chatty:
            write(f"{answers}\n/help lists the commands; Ctrl-D ends.\n\n")
            await self._show_latest(_SHOWN_AT_START)
        elif not self._as_json:
            note(answers)

    # ── input ────────────────────────────────────────────────────────────────────────────────────

    async def _typed(self) -> str | None:
        """The next message, of one line or several; None at the end."""
        lines: list[str] = []
        while True:
            line = await self._keyboard.line(self._prompt(PROMPT_AGAIN if lines else PROMPT))
            if line is None and lines and self._keyboard.is_terminal:
                # Discarded, like a single line.
                lines.clear()
                write("\n")
            elif line is None:
                return "\n".join(lines) if lines else None
            elif goes_on(line):
                lines.append(line[:-1])
            else:
                return "\n".join([*lines, line])

    def _prompt(self, prompt: str) -> str:
        return prompt if self._chatty else ""

    async def _take(self, text: str) -> None:
        if not text.strip():
            return
        self._code = 0
        try:
            match read_line(text):
                case Words(words):
                    await self._say(words)
                case Command(name, given):
                    await command_called(name).run(self, given)
        except Unwritable:
            raise
        except EverloreError as error:
            self._code = error.exit_code
            if self._chatty:
                note(shown(str(error)))
            else:
                report(self._as_json, type(error).__name__, str(error))

    # ── replies ──────────────────────────────────────────────────────────────────────────────────

    async def _say(self, text: str) -> None:
        await self._hear(await self._lore.turns.say(self._conversation.id, text))

    async def _hear(self, writing: Writing, *, said: Message | None = None, lead: str = "") -> None:
        if self._chatty:
            write(f"{self._name(writing.begun)}: {lead}")
        reply = await self._follow(writing)
        said = said or writing.user_message
        turn = {"user_message": self._document(said) if said else None, "reply": self._document(reply)}
        emit(self._as_json, turn, [_mark(reply)] if self._chatty else [""])
        if self._chatty:
            write("\n")
        if not self._as_json:
            self._remark(reply, said)
        if reply.error:
            self._complain(reply)

    def _remark(self, reply: Message, said: Message | None) -> None:
        """Prints notices about the reply and about the user's message."""
        # The start of the chat already said that no model is connected.
        if (notice := reply.metadata.get(NOTICE)) and notice != NO_MODEL:
            note(f"({notice})")
        for id in unresolved_in(said.metadata) if said else ():
            note(f"{shown(token_of(id))} is not a memory this character may tell, and was left out.")

    async def _follow(self, writing: Writing) -> Message:
        stopping = asyncio.create_task(self._stop_when_interrupted())
        try:
            async for piece in writing.pieces():
                if not self._as_json:
                    write(shown_text(piece))
            return await writing.reply()
        finally:
            stopping.cancel()

    async def _stop_when_interrupted(self) -> None:
        await self._keyboard.interrupted()
        await self._lore.turns.stop(self._conversation.id)

    def _complain(self, reply: Message) -> None:
        self._code = ModelMisbehaved.exit_code
        if self._chatty:
            note(f"{shown(reply.error)} (/retry tries again)\n")
        else:
            report(self._as_json, ModelMisbehaved.__name__, reply.error)

    async def regenerate(self, _: str) -> None:
        """Also works for a message without a reply: it gets its first version."""
        last = await self._last()
        if last is not None and last.author is Author.USER:
            await self._hear(await self._lore.turns.open(self._conversation.id))
            return
        reply = await self._last_reply()
        await self._hear(await self._lore.turns.regenerate(self._conversation.id, reply.id))

    async def retry(self, given: str) -> None:
        last = await self._last()
        if last is not None and last.author is not Author.USER and is_well(last):
            raise BadAsk("The last reply is complete. For another version, use /regenerate.")
        await self.regenerate(given)

    async def go_on(self, _: str) -> None:
        reply = await self._last_reply()
        writing = await self._lore.turns.go_on(self._conversation.id, reply.id)
        await self._hear(writing, lead="… ")

    async def edit(self, given: str) -> None:
        """The message keeps its place; the answer to its old text is deleted, and a new one is written."""
        text = refuse_empty(given, "/edit What I meant to say")
        mine, *answers = await self._exchange()
        edited = await self._lore.messages.edit(self._conversation.id, mine.id, content=text)
        if answers:
            await self._lore.messages.remove(self._conversation.id, answers[0].id, from_here=True)
        writing = await self._lore.turns.open(self._conversation.id)
        await self._hear(writing, said=edited)

    # ── versions ─────────────────────────────────────────────────────────────────────────────────

    async def swipe(self, given: str) -> None:
        await self._choose(await self._last_reply(), read_number(given, example="/swipe 2") - 1)

    async def next(self, _: str) -> None:
        reply = await self._last_reply()
        await self._choose(reply, reply.chosen + 1)

    async def previous(self, _: str) -> None:
        reply = await self._last_reply()
        await self._choose(reply, reply.chosen - 1)

    async def _choose(self, reply: Message, index: int) -> None:
        count = max(len(reply.alternatives), 1)
        if not 0 <= index < count:
            versions = "one version" if count == 1 else f"{count} versions"
            raise BadAsk(f"This reply has {versions}, and no number {index + 1}. /regenerate writes another one.")
        chosen = await self._lore.messages.choose(self._conversation.id, reply.id, index)
        emit(self._as_json, self._document(chosen), [f"({index + 1} of {count})", *self._lines([chosen])])

    # ── the conversation ─────────────────────────────────────────────────────────────────────────

    async def delete(self, _: str) -> None:
        mine = (await self._exchange())[0]
        gone = await self._lore.messages.remove(self._conversation.id, mine.id, from_here=True)
        emit(self._as_json, {"deleted": gone}, [f"Deleted {len(gone)} message{'s' if len(gone) > 1 else ''}."])

    async def branch(self, _: str) -> None:
        last = await self._last()
        if last is None:
            raise BadAsk("There are no messages to branch from. Use /new.")
        await self._go_to(await self._lore.conversations.branch(self._conversation.id, last.id), is_new=False)

    async def new(self, _: str) -> None:
        conversation = self._conversation
        started = await self._lore.conversations.start(conversation.system_ids, config=conversation.config)
        await self._go_to(started, is_new=True)
        if self._chatty:
            await self._show_latest(_SHOWN_AT_START)

    async def _go_to(self, conversation: Conversation, *, is_new: bool) -> None:
        await self._leave()
        await self._enter(conversation, is_new)
        lines = [f"This is conversation {conversation.id} now."]
        emit(self._as_json, {"conversation_id": conversation.id}, lines)

    async def history(self, given: str) -> None:
        await self._show_latest(read_number(given, usual=_SHOWN, example="/history 20"))

    async def title(self, given: str) -> None:
        title = refuse_empty(given, "/title The lighthouse")
        self._conversation = await self._lore.conversations.change(self._conversation.id, title=title)
        emit(self._as_json, {"title": title}, [f"The title is {shown(title)!r} now."])

    async def private(self, _: str) -> None:
        private = not self._conversation.private
        self._conversation = await self._lore.conversations.change(self._conversation.id, config={"private": private})
        told = "Private from now on: new messages are not remembered." if private else "No longer private."
        emit(self._as_json, {"private": private}, [told])

    async def save(self, given: str) -> None:
        path = Path(refuse_empty(given, "/save talk.jsonl"))
        data = await self._lore.conversations.write_file(self._conversation.id)
        size = await asyncio.to_thread(write_new, path, data)
        emit(self._as_json, {"file": path, "bytes": size}, [f"Saved as {shown(str(path))}."])

    async def who(self, _: str) -> None:
        conversation = self._conversation = await self._lore.conversations.get(self._conversation.id)
        answers, count = await self._who_answers(), await self._lore.conversations.count_messages(conversation.id)
        document = {
            "conversation_id": conversation.id,
            "title": conversation.title,
            "characters": [{"id": id, "name": self._names.get(id, "")} for id in conversation.system_ids],
            "private": conversation.private,
            "messages": count,
            "answers": answers,
        }
        private = ", private" if conversation.private else ""
        lines = [
            f"Chatting with {shown(self._cast())}. {answers}",
            f"Conversation {conversation.id}, {count} messages{private}",
        ]
        emit(
            self._as_json, document, [*lines, *([f"Title: {shown(conversation.title)}"] if conversation.title else [])]
        )

    # ── memory ───────────────────────────────────────────────────────────────────────────────────

    async def remember(self, given: str) -> None:
        content = refuse_empty(given, "/remember I am allergic to peanuts")
        character_id, user_id = self._conversation.system_ids[0], self._conversation.user_id
        kept = await self._lore.keep([content], person=character_id, partner=user_id)
        emit(self._as_json, kept_document(kept[0]), [f"Remembered ({kept[0].memory.id}).", *kept_lines(kept)])

    async def pin(self, given: str) -> None:
        what = refuse_empty(given, "/pin The day we met")
        ids = [each.id for each in await self._exchange()]
        kept = await self._lore.messages.keep(self._conversation.id, ids, what=what)
        line = f"Pinned, with {len(ids)} messages ({kept.memory.id})."
        emit(self._as_json, kept_document(kept), [line, *kept_lines([kept])])

    async def recall(self, given: str) -> None:
        """What the character would recall for this text, including lines that it heard."""
        question = refuse_empty(given, "/recall Where do I live?")
        lore, conversation = self._lore, self._conversation
        known = await lore.x_rays.known(conversation.id, question)
        here = conversation.system_ids[0]
        found = await lore.recall(question, person=here, include=[PassageKind.MESSAGE], limit=_SHOWN)
        said = [each.record for each in found if isinstance(each.record, Message)]
        lines = [*_memory_lines(known.memories), *(f"said: {line}" for line in self._lines(said))]
        document = {"memories": known.memories, "messages": [self._document(each) for each in said]}
        emit(self._as_json, document, lines or ["No memories found."])

    # ── other ────────────────────────────────────────────────────────────────────────────────────

    async def help(self, _: str) -> None:
        document = [{"name": each.name, "takes": each.takes, "does": each.does} for each in COMMANDS]
        emit(self._as_json, {"commands": document}, _help_lines())

    async def quit(self, _: str) -> None:
        self._over = True

    # ── messages and speakers ────────────────────────────────────────────────────────────────────

    async def _latest(self, count: int) -> list[Message]:
        """Newest first."""
        page = await self._lore.messages.list(self._conversation.id, limit=count, newest_first=True, hidden=False)
        return list(page.items)

    async def _last(self) -> Message | None:
        latest = await self._latest(1)
        return latest[0] if latest else None

    async def _last_reply(self) -> Message:
        last = await self._last()
        if last is not None and last.author in (Author.ASSISTANT, Author.NARRATOR):
            return last
        raise BadAsk("There is no reply yet. Send a message first.")

    async def _exchange(self) -> list[Message]:
        """The user's last message, and everything after it."""
        latest = await self._latest(_LOOK_BACK)
        for place, message in enumerate(latest):
            if message.author is Author.USER:
                return latest[place::-1]
        raise BadAsk("You have not sent a message yet.")

    async def _show_latest(self, count: int) -> None:
        messages = (await self._latest(count))[::-1]
        emit(self._as_json, {"items": [self._document(each) for each in messages]}, self._lines(messages))
        if self._chatty and messages:
            write("\n")

    def _lines(self, messages: Sequence[Message]) -> Iterator[str]:
        for message in messages:
            text = shown_text(display(message.content).text).rstrip()
            yield f"{self._name(message)}: {text}{_mark(message)}"

    def _document(self, message: Message) -> dict[str, object]:
        return message_document(message, self._name(message))

    def _name(self, message: Message) -> str:
        return shown(self._names.get(message.person_id or "", message.author.value.capitalize()))

    def _cast(self) -> str:
        return ", ".join(self._names.get(id, "deleted character") for id in self._conversation.system_ids)

    async def _who_answers(self) -> str:
        config = config_of(self._conversation.config)
        endpoint = await self._lore.backends.endpoint_for(self._lore.scope, config=config)
        if endpoint.built_in:
            return HINT
        model = endpoint.model or "The first model that is offered"
        place = f"{endpoint.provider.value} at {endpoint.base_url}" if endpoint.base_url else endpoint.provider.value
        return shown(f"{model} answers ({place}).")


def is_well(reply: Message) -> bool:
    """A version that failed without text restores the one before it, complete, and says why."""
    return reply.state is MessageState.COMPLETE and not reply.error


def _mark(message: Message) -> str:
    marks = {MessageState.STOPPED: " [stopped]", MessageState.FAILED: " [failed]"}
    return marks.get(message.state, "")


def _memory_lines(memories: Sequence[Memory]) -> Iterator[str]:
    for memory in memories:
        yield f"{memory.type.value.lower()}: {shown(memory.content)}  ({memory.id})"


# ── the commands ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Slash:
    name: str
    takes: str
    does: str
    run: Callable[[ChatSession, str], Awaitable[None]]
    short: str = ""


COMMANDS = (
    Slash("regenerate", "", "another version of the last reply", ChatSession.regenerate, "r"),
    Slash("continue", "", "more of the last reply", ChatSession.go_on),
    Slash("retry", "", "retry a reply that failed or was stopped", ChatSession.retry),
    Slash("swipe", "N", "switch to version N of the last reply", ChatSession.swipe),
    Slash("next", "", "switch to its next version", ChatSession.next),
    Slash("prev", "", "switch to its previous version", ChatSession.previous),
    Slash("edit", "TEXT", "edit your last message and get a new reply", ChatSession.edit),
    Slash("delete", "", "delete your last message and everything after it", ChatSession.delete),
    Slash("branch", "", "continue in a copy of this conversation", ChatSession.branch),
    Slash("history", "[N]", "the last messages", ChatSession.history),
    Slash("remember", "TEXT", "save a memory about you and this character", ChatSession.remember),
    Slash("recall", "TEXT", "search what this character knows", ChatSession.recall),
    Slash("pin", "TEXT", "save the last exchange as a memory; describe what happened", ChatSession.pin),
    Slash("title", "TEXT", "give this conversation a title", ChatSession.title),
    Slash("who", "", "show the characters and the model", ChatSession.who),
    Slash("save", "FILE", "save this conversation as a SillyTavern chat", ChatSession.save),
    Slash("private", "", "turn private mode on or off", ChatSession.private),
    Slash("new", "", "start a new conversation with the same character", ChatSession.new),
    Slash("help", "", "this list", ChatSession.help),
    Slash("quit", "", "end; so do Ctrl-D and Ctrl-C on an empty line", ChatSession.quit, "q"),
)


def command_called(name: str) -> Slash:
    for command in COMMANDS:
        if name in (command.name, command.short or command.name):
            return command
    raise BadAsk(f"There is no command /{name}. /help lists them; to send text that starts with a slash, type two.")


def _help_lines() -> Iterator[str]:
    for command in COMMANDS:
        short = f", /{command.short}" if command.short else ""
        yield f"/{f'{command.name}{short} {command.takes}':<18} {command.does}"
    yield "End a line with a backslash to continue on the next; //text sends /text. Ctrl-C stops a reply."
