"""Variables of a campaign, by its tiers: campaign, chapter, session (P5, P11, G1).

In: the canon, without spoilers if the viewer may not see them. Out: lists, most important first. Every memory of the
canon is in the block of at most one tier: `campaign.memory`, `chapter.memory`, `session.memory`, or among the summaries
of `session.recap`.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from everlore.compose.context import Canon
from everlore.compose.values.people import one_line
from everlore.compose.values.wording import bullets, joined, under
from everlore.compose.variables import Pace, Variable, VariableView
from everlore.domain.campaign import Session
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.visibility import is_marked

# Types that belong to the whole campaign, wherever they were learned; in the order of the prompt.
_OF_CAMPAIGN: Mapping[MemoryType, tuple[str, str]] = MappingProxyType(
    {
        MemoryType.PREMISE: ("campaign.premise", "Premise"),
        MemoryType.THEME: ("campaign.themes", "Themes"),
        MemoryType.SETTING: ("campaign.setting", "Setting"),
        MemoryType.TONE: ("campaign.tone", "Tone"),
        MemoryType.FACTION: ("campaign.factions", "Factions"),
        MemoryType.PLOT_THREAD: ("campaign.threads", "Plot threads"),
        MemoryType.CANON_RULING: ("campaign.rulings", "Rulings on canon"),
    }
)
_MOST_SESSIONS = 5
_BESIDES = "Known besides"


def _told(tell: Callable[[Canon], str]) -> Callable[[VariableView], str]:
    def value(view: VariableView) -> str:
        canon = view.context.canon
        return tell(canon) if canon else ""

    return value


def _lines(memories: Iterable[Memory]) -> str:
    """Most important first, in the same order in every turn."""
    ranked = sorted(memories, key=lambda each: (-each.importance, each.created_at, each.id))
    return joined(dict.fromkeys(one_line(memory.content) for memory in ranked))


# ── campaign ─────────────────────────────────────────────────────────────────────────────────────


def _of_type(kind: MemoryType) -> Callable[[VariableView], str]:
    return _told(lambda canon: _lines(each for each in canon.memories if each.type is kind and _is_wide(each, canon)))


def _is_wide(memory: Memory, canon: Canon) -> bool:
    """A thread of the current chapter is listed with the chapter."""
    is_of_chapter = canon.chapter is not None and memory.chapter_id == canon.chapter.id
    return not (is_of_chapter and memory.type is MemoryType.PLOT_THREAD)


def _premise(view: VariableView) -> str:
    written = view.context.canon.campaign.premise.strip() if view.context.canon else ""
    # The premise is often saved as a memory too.
    return joined(dict.fromkeys((written, _of_type(MemoryType.PREMISE)(view))))


def _campaign_memory(view: VariableView) -> str:
    parts = [under(heading, view.get(name).splitlines()) for name, heading in _OF_CAMPAIGN.values()]
    return joined([*parts, under(_BESIDES, _told(_campaign_besides)(view).splitlines())])


def _campaign_besides(canon: Canon) -> str:
    return _lines(
        each
        for each in canon.memories
        if each.type not in _OF_CAMPAIGN and each.chapter_id is None and each.session_id is None
    )


# ── chapter ──────────────────────────────────────────────────────────────────────────────────────


def _chapter_name(canon: Canon) -> str:
    return one_line(canon.chapter.name) if canon.chapter else ""


def _chapter_goals(canon: Canon) -> str:
    return joined(one_line(goal) for goal in canon.chapter.goals) if canon.chapter else ""


def _chapter_memory(view: VariableView) -> str:
    told = _told_of_chapter(view.context.canon)
    besides = [each for each in told if each.type not in (MemoryType.SUMMARY, MemoryType.PLOT_THREAD)]
    parts = (
        ("So far", _lines(each for each in told if each.type is MemoryType.SUMMARY)),
        ("Goals", view.get("chapter.goals")),
        ("Plot threads", _lines(each for each in told if each.type is MemoryType.PLOT_THREAD)),
        (_BESIDES, _lines(besides)),
    )
    return joined(under(heading, text.splitlines()) for heading, text in parts)


def _told_of_chapter(canon: Canon | None) -> list[Memory]:
    if canon is None or canon.chapter is None:
        return []
    own = [each for each in canon.memories if each.chapter_id == canon.chapter.id]
    return [
        each
        for each in own
        if each.type is MemoryType.PLOT_THREAD or (each.session_id is None and each.type not in _OF_CAMPAIGN)
    ]


# ── session ──────────────────────────────────────────────────────────────────────────────────────


def _session_name(canon: Canon) -> str:
    present = _present(canon)
    return _named(present) if present else ""


def _present(canon: Canon) -> Session | None:
    return canon.sessions[0] if canon.sessions else None


def _named(session: Session) -> str:
    return one_line(session.name) or f"Session {session.number}"


def _recap(canon: Canon) -> str:
    """The latest sessions, newest first, each with the latest of its summaries."""
    sessions = {session.id: session for session in canon.sessions}
    summaries = _session_summaries(canon.memories)
    # By the session's date: a renewed summary does not make its session newer.
    began = {id: sessions[id].started_at if id in sessions else told.created_at for id, told in summaries.items()}
    latest = sorted(summaries, key=lambda id: (began[id], id), reverse=True)[:_MOST_SESSIONS]
    names = {id: _named(session) for id, session in sessions.items()}
    return bullets(joined((names.get(id, ""), summaries[id].content), ": ") for id in latest)


def _session_summaries(memories: Iterable[Memory]) -> dict[str, Memory]:
    # The game master has two summaries, and the hidden one says more.
    told = sorted(memories, key=lambda each: (is_marked(each), each.created_at, each.id))
    return {each.session_id: each for each in told if each.type is MemoryType.SUMMARY and each.session_id}


def _session_memory(canon: Canon) -> str:
    """Decisions, discoveries and moments of the present session, newest first."""
    present = _present(canon)
    told = [each for each in canon.memories if present and each.session_id == present.id and _is_of_session(each)]
    newest = sorted(told, key=lambda each: (each.valid_from or each.created_at, each.id), reverse=True)
    return bullets(f"{each.type.value.replace('_', ' ').capitalize()}: {each.content}" for each in newest)


def _is_of_session(memory: Memory) -> bool:
    return memory.type is not MemoryType.SUMMARY and memory.type not in _OF_CAMPAIGN


# ── by name ───────────────────────────────────────────────────────────────────────────────────────


def _campaign(value: Callable[[VariableView], str], about: str) -> Variable:
    return Variable(value, about, part="campaign")


def _chapter(value: Callable[[VariableView], str], about: str) -> Variable:
    return Variable(value, about, part="chapter")


def _session(value: Callable[[VariableView], str], about: str) -> Variable:
    return Variable(value, about, pace=Pace.SLOW, part="session")


VARIABLES = {
    "campaign.name": _campaign(_told(lambda canon: one_line(canon.campaign.name)), "The campaign's name."),
    "campaign.premise": _campaign(_premise, "The premise of the campaign."),
    "campaign.themes": _campaign(_of_type(MemoryType.THEME), "The themes of the campaign, one per line."),
    "campaign.setting": _campaign(_of_type(MemoryType.SETTING), "The campaign's world and rules, one per line."),
    "campaign.tone": _campaign(_of_type(MemoryType.TONE), "The tone of the campaign."),
    "campaign.factions": _campaign(_of_type(MemoryType.FACTION), "The factions of the campaign, one per line."),
    "campaign.threads": _campaign(_of_type(MemoryType.PLOT_THREAD), "Plot threads outside the current chapter."),
    "campaign.rulings": _campaign(_of_type(MemoryType.CANON_RULING), "The rulings of the game master, one per line."),
    "campaign.memory": _campaign(
        _campaign_memory, "All memories of the whole campaign as one block, premise and themes first."
    ),
    "chapter.name": _chapter(_told(_chapter_name), "The name of the current chapter."),
    "chapter.goals": _chapter(_told(_chapter_goals), "The goals of the chapter, one per line."),
    "chapter.memory": _chapter(_chapter_memory, "The chapter's summary, goals, threads, and further memories."),
    "session.name": _session(_told(_session_name), "The current session's name, or its number."),
    "session.recap": _session(_told(_recap), "Summaries of the last five sessions, newest first."),
    "session.memory": _session(_told(_session_memory), "Decisions, discoveries and moments of the current session."),
}
