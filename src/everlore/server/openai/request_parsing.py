"""Parses the messages of a request: the lines of the conversation, the client's own texts, and the kind of request.

Pure. Programs ask for more than replies: for a title, for tags, for the user's next line, for a summary. These are
recognised by their exact texts and not by their meaning: a user may ask for a title too.

Start at `read`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from everlore.server.openai.line_alignment import SentLine


class RequestKind(StrEnum):
    """A turn is saved, and learned from. Quiet: in the scene, but not part of the conversation, as when a program has
    the user's next line written. Utility: not part of the scene either. Both are answered and not saved."""

    TURN = "turn"
    QUIET = "quiet"
    UTILITY = "utility"


@dataclass(frozen=True, slots=True)
class RequestMessage:
    """One message of a request: `raw` is unchanged, `is_step` if it belongs to the use of a tool."""

    role: str
    text: str
    raw: dict[str, Any]
    is_step: bool = False

    @property
    def is_system(self) -> bool:
        return self.role in ("system", "developer")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedRequest:
    """`steps`: tool calls and their results after the last line, which lead to the reply. `is_unwrapped`: the model
    gets more with a line than the user's words."""

    kind: RequestKind
    lines: tuple[SentLine, ...] = ()
    instructions: str = ""
    steps: tuple[RequestMessage, ...] = ()
    is_unwrapped: bool = False


# Open WebUI begins all of them alike, but uses the same words to add documents to a turn. LibreChat, Continue,
# LobeChat, NextChat and Chatbox ask for titles; aider for commit messages and summaries.
_UTILITY = re.compile(
    r"### Task:\s*(?!Respond to the user query)\w"
    r"|(?:Please |In order to )?(?:provide|generate|write)? ?a concise, 5-word-or-less title"
    r"|Write a concise title for this conversation"
    r"|Detect user language and write in the same language an extremely concise title"
    r"|Analyze this conversation and provide:\s+1\. The detected language"
    r"|Please generate a concise title \(max 40 characters\)"
    r"|Given the following[^\n]{0,80}please reply with a title for the chat"
    r"|Please generate a four to five word title summarizing our conversation"
    r"|Based on the chat history, give this conversation a name"
    r"|\*Briefly\* summarize this partial conversation about programming"
    r"|You are an expert software engineer that generates concise, one-line Git commit messages",
    re.I,
)
# SillyTavern's last line, in its own brackets.
_IMPERSONATE = re.compile(r"\[?Write your next reply from the point of view of", re.I)
_QUIET = re.compile(r"\[?(?:Pause (?:your|the) roleplay|Ignore (?:all )?previous instructions)\b", re.I)
_CONTINUE = re.compile(r"\[Continue (?:your last message|the following message|the story)\b[^\]]*\]?", re.I)
_GROUP = re.compile(r"\[Write the next reply only as (?P<who>[^\]\n]{1,80}?)\.?\]", re.I)
_OPENING = re.compile(r"\[Start a new (?:group )?chat\b(?:\.? Group members: (?P<members>[^\]\n]+))?[^\]\n]*\]", re.I)
_MARKS = (_OPENING, _GROUP, _CONTINUE)
# The end of aider's examples of edits.
_END_OF_EXAMPLES = "I switched to a new code base."
# aider sends files, and reports on edits, in the user's role, and confirms them in the character's.
_ASIDE = re.compile(
    r"I have \*added these files to the chat\*"
    r"|(?:I am working with you on code in a git repository\.\n)?Here are summaries of some files present in my"
    r"|Here are some READ ONLY files, provided for your reference\."
    r"|I am not sharing (?:any files that you can edit|the full contents of any files with you) yet\."
    r"|Don't try and edit any existing code without asking me to add the files to the chat!"
    r"|I committed the changes with git hash \w+ & commit msg: "
    r"|I updated the files\.\Z"
)
_ACKNOWLEDGED = re.compile(r"Ok\b[^\n]{0,120}")
# Shorter instructions may be repeated by chance.
_LEAST_REPEATED = 60
_MOST_NAME_CHARS = 80
_SPEAKER = re.compile(r"(?P<who>[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,3}): ")


# Open WebUI puts the text of files before the user's words: its template, with the sources in it.
_CONTEXT = re.compile(r"<context>\s*<source\b.*</context>", re.S | re.I)
_CONTEXT_TASK = "### Task:\nRespond to the user query"
# With tools of its own it lists them as well, in this and in every later request.
_ATTACHED = re.compile(r"\s*<attached_files>\s*(?:<file\b[^<>]*/>\s*)+</attached_files>\s*")
_QUERY = re.compile(r"<user_query>(?P<words>.*)</user_query>", re.S | re.I)
# The beginning of tool results that agents send in the user's role.
_RESULT = re.compile(
    r"\s*(?:Observations?:|(?:Tool|Function|Command|Code|Execution) (?:result|output|response|log)s?\b[^\n:]{0,80}:"
    r"|exitcode: -?\d+ \(|\[(?:[a-z]+_[a-z_]+|[a-z_]+ for [^\n]{0,300}?)\] Result:"
    r"|<(?:tool_(?:response|result|output)s?|function_(?:response|result)s?|observation|environment_details)\b)",
    re.I,
)
_TOOL = "tool"
# Names that programs use for any user.
_ANY_USER = ("user", "you", "human")


def read(messages: Sequence[RequestMessage], *, character: str, user: str = "") -> ParsedRequest:
    messages = unmerged(without_asides(without_examples(without_repeat(messages))), character)
    wrapped = [part for each in messages for part in without_marks(each)]
    messages = [without_context(each) for each in wrapped]
    is_unwrapped = any(each is not before for each, before in zip(messages, wrapped, strict=True))
    instructions = "\n\n".join(each.text for each in messages if each.is_system and each.text.strip())
    kind = kind_of(messages)
    said = [each for each in messages if each.role in ("user", "assistant") and not each.is_step]
    said = [each for each in said if each.text.strip()]
    turn_of = _turn_of(messages)
    user = _person(said, character) or user
    lines = [_line(each, character, user, is_group=bool(turn_of)) for each in said]
    is_others = turn_of not in ("", character) and character in _members(messages)
    # In a group, the turn of another member, or a turn after lines of others: no line of the user is answered.
    if kind is RequestKind.TURN and (is_others or (turn_of and lines and not lines[-1].is_user)):
        kind = RequestKind.QUIET
    return ParsedRequest(
        kind=kind, lines=tuple(lines), instructions=instructions, steps=_steps(messages), is_unwrapped=is_unwrapped
    )


def without_context(spoken: RequestMessage) -> RequestMessage:
    """The user's words alone, if a program has put files around them."""
    if spoken.role != "user":
        return spoken
    words = _without_sources(spoken.text)
    attached = _ATTACHED.match(words)
    words = words[attached.end() :] if attached else words
    return replace(spoken, text=words) if words and words != spoken.text else spoken


def _without_sources(text: str) -> str:
    context = _CONTEXT.search(text)
    if context is None:
        return text
    before, after = text[: context.start()], text[context.end() :]
    query = _QUERY.search(after)
    if query:
        before, after = before.partition(_CONTEXT_TASK)[0], after[query.end() :]
        words = before.strip() or after.strip() or query["words"].strip()
    else:
        words = after.strip() or before.partition(_CONTEXT_TASK)[0].strip()
    return words or text


def _person(said: Sequence[RequestMessage], character: str) -> str:
    """The program's name for the user, if it writes names before the lines of both."""
    names = [(each.role, match["who"] if (match := _SPEAKER.match(each.text)) else "") for each in said]
    people = {who for role, who in names if role == "user"}
    has_names = all(who for _, who in names) and ("assistant", character) in names
    return people.pop() if has_names and len(people) == 1 else ""


def _turn_of(messages: Sequence[RequestMessage]) -> str:
    """The group member whose turn it is, if it is a group."""
    found = [match for each in messages if each.is_system and (match := _GROUP.search(each.text))]
    return found[-1]["who"] if found else ""


def _members(messages: Sequence[RequestMessage]) -> list[str]:
    found = [match for each in messages if each.is_system and (match := _OPENING.search(each.text))]
    return _names(found[-1]) if found else []


def _names(opening: re.Match[str]) -> list[str]:
    return [each.strip() for each in (opening["members"] or "").split(",") if each.strip()]


def kind_of(messages: Sequence[RequestMessage]) -> RequestKind:
    last = messages[-1]
    talk = [each for each in messages if each.role in ("user", "assistant") and each.text.strip()]
    if any(_UTILITY.match(each.text.strip()) for each in (messages[0], last)) and len(talk) <= 1:
        return RequestKind.UTILITY
    if _UTILITY.match(last.text.strip()):
        return RequestKind.UTILITY
    if _IMPERSONATE.match(last.text.strip()) or _QUIET.match(last.text.strip()):
        return RequestKind.QUIET
    if last.is_system and talk and talk[-1].role == "assistant":
        is_turn = _CONTINUE.search(last.text) or _GROUP.search(last.text)
        return RequestKind.TURN if is_turn else RequestKind.QUIET
    return RequestKind.TURN


def without_examples(messages: Sequence[RequestMessage]) -> Sequence[RequestMessage]:
    """Examples of a program are for the model: they become part of the instructions."""
    end = next((at for at, each in enumerate(messages) if each.text.startswith(_END_OF_EXAMPLES)), None)
    if end is None:
        return messages
    shown = [each for each in messages[: end + 2] if not each.is_system]
    told = "\n\n".join(f"## {each.role.upper()}\n{each.text}" for each in shown)
    heads = [each for each in messages[: end + 2] if each.is_system]
    return [*heads, RequestMessage("system", told, {"role": "system", "content": told}), *messages[end + 2 :]]


def without_asides(messages: Sequence[RequestMessage]) -> Sequence[RequestMessage]:
    """What a program says in the user's role is for the model, like examples; its own confirmation is dropped."""
    found: list[RequestMessage] = []
    for before, each in zip((None, *messages), messages, strict=False):
        is_answer = each.role == "assistant" and before is not None and _is_aside(before)
        if _is_aside(each):
            found.append(RequestMessage("system", each.text, {"role": "system", "content": each.text}))
        elif not (is_answer and _ACKNOWLEDGED.fullmatch(each.text.strip())):
            found.append(each)
    return found


def _is_aside(spoken: RequestMessage) -> bool:
    return spoken.role == "user" and bool(_ASIDE.match(spoken.text))


def without_repeat(messages: Sequence[RequestMessage]) -> Sequence[RequestMessage]:
    """aider ends its instructions with a reminder, and repeats that at the end of the user's last line."""
    if not messages or messages[-1].role != "user":
        return messages
    parts = messages[-1].text.split("\n\n")
    tails = ("\n\n".join(parts[at:]).strip() for at in range(1, len(parts)))
    endings = [each.text.rstrip() for each in messages if each.is_system]
    for at, tail in enumerate(tails, 1):
        if len(tail) >= _LEAST_REPEATED and any(each.endswith(tail) for each in endings):
            return [*messages[:-1], replace(messages[-1], text="\n\n".join(parts[:at]))]
    return messages


def without_marks(spoken: RequestMessage) -> list[RequestMessage]:
    """Some prompt templates allow no instructions between the lines: SillyTavern's “strict” sends its own as the
    user's, or appends them to the user's words."""
    parts = spoken.text.split("\n\n")
    marks = [part for part in parts if any(mark.fullmatch(part.strip()) for mark in _MARKS)]
    if spoken.role != "user" or spoken.is_step or not marks:
        return [spoken]
    rest = "\n\n".join(part for part in parts if part not in marks)
    told = "\n\n".join(marks)
    return [*([replace(spoken, text=rest)] if rest.strip() else []), RequestMessage("system", told, spoken.raw)]


def unmerged(messages: Sequence[RequestMessage], character: str) -> Sequence[RequestMessage]:
    """Some programs send a whole conversation as one message, with a name before each line: SillyTavern's “single user
    message”. The texts before its first line, and after the character's last one, are the program's own."""
    if len(messages) != 1 or messages[0].role != "user":
        return messages
    parts = messages[0].text.split("\n\n")
    openings = [(at, match) for at, part in enumerate(parts) if (match := _OPENING.fullmatch(part.strip()))]
    begin = openings[-1][0] + 1 if openings else 0
    members = {character, *(_names(openings[-1][1]) if openings else ())}
    named = [(at, match["who"]) for at, part in enumerate(parts) if at >= begin and (match := _SPEAKER.match(part))]
    people = [who for _, who in named if who not in members]
    if not people or not any(who == character for _, who in named):
        return messages
    starts = [at for at, who in named if who in members or who == people[-1]]
    ends = [*starts[1:], len(parts)]
    if not parts[starts[-1]].startswith(f"{people[-1]}: "):
        # Lines of others have one paragraph: the rest is the program's own.
        ends[-1] = starts[-1] + 1
    lines = ["\n\n".join(parts[at:end]) for at, end in zip(starts, ends, strict=True)]
    told = ["\n\n".join(parts[: starts[0]]), "\n\n".join(parts[ends[-1] :])]
    head, tail = ([RequestMessage("system", text, messages[0].raw)] if text.strip() else [] for text in told)
    return [*head, *(_of_line(line, character, people[-1]) for line in lines), *tail]


def _of_line(line: str, character: str, person: str) -> RequestMessage:
    who, _, words = line.partition(": ")
    role = "user" if who == person else "assistant"
    text = words if who in (character, person) else line
    return RequestMessage(role, text, {"role": role, "content": text})


def _line(spoken: RequestMessage, character: str, user: str, *, is_group: bool) -> SentLine:
    text, is_user = spoken.text, spoken.role == "user"
    named = _SPEAKER.match(text)
    who = named["who"] if named else ""
    if named and who == (user if is_user else character):
        text = text[named.end() :]
    # Other group members have the same role as the character, but they are different people.
    is_other = is_group and not is_user and bool(who) and who != character
    by = who if is_other else _other_speaker(spoken, user) if is_user else ""
    return SentLine(is_user=is_user or is_other, text=text, by=by)


def _other_speaker(spoken: RequestMessage, user: str) -> str:
    """The speaker in the user's role who is not the user: the name in the message, or a tool."""
    name = " ".join(str(spoken.raw.get("name") or "").split())[:_MOST_NAME_CHARS]
    if name and _plain_name(name) not in (_plain_name(user), *_ANY_USER):
        return name
    return _TOOL if _RESULT.match(spoken.text) else ""


def _plain_name(name: str) -> str:
    """Names of messages have no spaces, and often no capitals."""
    return " ".join(re.split(r"[\s_.-]+", name.casefold())).strip()


def _steps(messages: Sequence[RequestMessage]) -> tuple[RequestMessage, ...]:
    steps: list[RequestMessage] = []
    for each in reversed(messages):
        if each.is_step:
            steps.append(each)
        elif not each.is_system:
            break
    return tuple(reversed(steps))


def spoken_of(messages: Sequence[dict[str, Any]], texts: Sequence[str]) -> list[RequestMessage]:
    """Marks the steps: results of tools, and the calls that they answer or that are still open."""
    found = [RequestMessage(str(raw.get("role", "")), text, raw) for raw, text in zip(messages, texts, strict=True)]
    return [replace(each, is_step=each.role in ("tool", "function") or _calls(each.raw)) for each in found]


def _calls(raw: dict[str, Any]) -> bool:
    return bool(raw.get("tool_calls") or raw.get("function_call"))
