"""Renders the sections of one prompt: those of the template that are in use, the texts of the card, and what the
template has no place for (P2, P14).

Start at `drawn`.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from everlore.compose.card import card_text
from everlore.compose.context import Context
from everlore.compose.inherit import ResolvedTemplate, TemplateRole
from everlore.compose.memories import ABOUT, CONTEXT, MemorySelection, MemorySlot, place
from everlore.compose.memories import told as memories_told
from everlore.compose.memories import variables as memory_variables
from everlore.compose.sections import Drawn, Uses, draw, in_use, inert_line, lines_in_use
from everlore.compose.values import VARIABLES
from everlore.compose.values.people import filler
from everlore.compose.variables import Pace, Resolver, Segments, TextSegment, Variable
from everlore.domain.config_choices import Rating
from everlore.domain.template import RoleName

SUMMARY = "summary"
RECENT_TOOLS = "tools.recent"
ABOUT_SUMMARY = "The summary of the older messages."
# Values of variables that are the same in every draft of one prompt.
WorkedOut = dict[tuple[RoleName, str], Segments]
_ORIGINAL = re.compile(r"\{\{\s*original\s*\}\}", re.IGNORECASE)


def circumstances_of(context: Context, *, has_memories: bool, has_summary: bool) -> frozenset[str]:
    config = context.config
    given = {
        "hasEpisodes": bool(config.episodes),
        "includeScene": config.include_scene,
        "hasMemories": has_memories,
        "supportsMedia": config.image_tokens or config.audio_tokens,
        "useNLP": config.use_nlp,
        "hasImageTags": bool(config.image_tags),
        "hasSummary": has_summary,
        "hasTools": bool(context.tools),
        "hasCampaign": context.canon is not None,
        "isGuest": context.is_guest,
        "always": True,
    }
    return frozenset(name for name, is_given in given.items() if is_given)


def variables_wanted(template: ResolvedTemplate, context: Context, *, has_campaign: bool) -> frozenset[str]:
    """The variables that a prompt would use: data for the others need not be fetched."""
    circumstances = circumstances_of(context, has_memories=True, has_summary=True)
    circumstances |= {"hasCampaign"} if has_campaign else frozenset()
    roles = in_use(template, circumstances, with_assistant=context.config.assist)
    return Uses({}, template.variables).of(lines_in_use(roles))


def bare(template: ResolvedTemplate, context: Context, worked_out: WorkedOut, *, may_tell: bool) -> list[Drawn]:
    """The sections with a single letter for each framed text, to measure the cost of everything else."""
    may_recall = context.config.memory_budget > 0 or bool(context.named)
    roles, used = sections_in_use(template, context, may_recall=may_recall, may_tell=may_tell)
    told = memory_variables(place(MemorySelection(), context.named, used), context, template.framing)
    # Memories that are requested by id are always told in full, whatever the budget.
    told |= {name: replace(told[name], value=lambda _view: "x") for name in ABOUT}
    sections, _ = _draw(template, context, roles, {**told, SUMMARY: _summary("x")}, worked_out)
    return sections


def drawn(
    template: ResolvedTemplate, context: Context, worked_out: WorkedOut, chosen: MemorySelection, earlier: str
) -> tuple[list[Drawn], dict[str, MemorySlot], tuple[str, ...]]:
    """The sections, the memories in each slot, and the variables that had no value."""
    roles, used = sections_in_use(template, context, may_recall=bool(chosen or context.named), may_tell=bool(earlier))
    used -= template.variables.keys()
    slots = place(chosen, context.named, used)
    told = {**memory_variables(slots, context, chosen.framing), SUMMARY: _summary(earlier)}
    sections, faults = _draw(template, context, roles, told, worked_out)
    # Memories that the template has no place for get one (P14).
    if slots[CONTEXT] and CONTEXT not in used:
        text = memories_told(slots[CONTEXT], context, chosen.framing)
        sections.append(_appended("memory", CONTEXT, told[CONTEXT], text))
    if earlier and SUMMARY not in used:
        sections.append(_appended("earlier", SUMMARY, told[SUMMARY], earlier))
    return sections, slots, faults


def sections_in_use(
    template: ResolvedTemplate, context: Context, *, may_recall: bool, may_tell: bool
) -> tuple[dict[RoleName, TemplateRole], frozenset[str]]:
    """The roles with their sections, and the variables that these use."""
    circumstances = circumstances_of(context, has_memories=may_recall, has_summary=may_tell)
    roles = in_use(template, circumstances, with_assistant=context.config.assist)
    return roles, Uses({}, template.variables).of(lines_in_use(roles))


def _draw(
    template: ResolvedTemplate,
    context: Context,
    roles: Mapping[RoleName, TemplateRole],
    told: Mapping[str, Variable],
    worked_out: WorkedOut,
) -> tuple[list[Drawn], tuple[str, ...]]:
    """`told` are the variables of this prompt only, which are printed once."""
    known = {**VARIABLES, **told}
    once = told.keys() - {"memory.count"}
    resolver = Resolver(context, known, template.variables, once, worked_out)
    # Ratings that require consent.
    consented = context.config.rating not in (Rating.E, Rating.T)
    drawn = draw(roles, resolver, Uses(known, template.variables), consented=consented)
    faults = tuple(fault.message for fault in resolver.faults.values())
    used = Uses({}, template.variables).of(lines_in_use(roles))
    return [*_with_card(drawn, context), *_recent_tools(context, used), *_instructions(context)], faults


def _summary(earlier: str) -> Variable:
    return Variable(lambda _view: earlier, ABOUT_SUMMARY, pace=Pace.SLOW, part="summary", framed=True)


def _appended(name: str, used: str, variable: Variable, text: str) -> Drawn:
    return Drawn(
        name=name,
        role=RoleName.SYSTEM,
        lines=((TextSegment(text, framed=True),),),
        used=frozenset({used}),
        part=variable.part,
        pace=variable.pace,
        required=True,
        appended=True,
    )


def _recent_tools(context: Context, used: Collection[str]) -> Iterator[Drawn]:
    """The latest actions of an agent are added to any template."""
    if context.recent_tools and RECENT_TOOLS not in used:
        told = said_by_system("recent_tools", "\n".join(["Your recent tool uses:", *context.recent_tools]))
        yield replace(told, part="tools", pace=Pace.EACH_TURN, used=frozenset({RECENT_TOOLS}), appended=True)


def _instructions(context: Context) -> Iterator[Drawn]:
    """The instructions of the user for the chat, then those of a client for this reply."""
    if own := context.config.system_prompt.strip():
        yield said_by_system("system_prompt", filler(context.character, context.user)(own))
    if context.instructions.strip():
        yield said_by_system("instructions", context.instructions)


def said_by_system(name: str, text: str) -> Drawn:
    return Drawn(name=name, role=RoleName.SYSTEM, lines=(inert_line([TextSegment(text)]),), required=True)


def _with_card(drawn: Sequence[Drawn], context: Context) -> list[Drawn]:
    """A card may have its own texts about the character, which replace or surround the template's."""
    words = card_text(context.character, "system_prompt")
    if not words:
        return list(drawn)
    ours = next((each for each in drawn if each.name == "identity" and each.role is RoleName.SYSTEM), None)
    if ours is None:
        said = said_by_system("card", "")
        return [replace(said, lines=(_around(words, (), context),)), *drawn]
    original = tuple(segment for line in ours.lines for segment in (TextSegment("\n"), *line))[1:]
    changed = replace(ours, lines=(_around(words, original, context),), numbered=False)
    return [changed if each is ours else each for each in drawn]


def _around(words: str, original: Segments, context: Context) -> Segments:
    """The card's text, with the template's where the card asks for it. Framed texts are always included, once."""
    fill = filler(context.character, context.user)
    loose = tuple(segment for segment in original if not segment.framed)
    # Filled piece by piece: a name that looks like a macro stays a name.
    first, *others = (TextSegment(fill(piece)) for piece in _ORIGINAL.split(words))
    line: list[TextSegment] = [first]
    for at, piece in enumerate(others):
        line += [*(loose if at else original), piece]
    if not others:
        line += [part for segment in original if segment.framed for part in (TextSegment("\n"), segment)]
    return inert_line(line)
