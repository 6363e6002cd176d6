"""The commands for who knows what: why-not, gossip, knowers, knowledge, partners, tell, misses (R5, R7 to R12)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from everlore.cli.commands import Answer
from everlore.cli.explanations import parts_line, recalled_document, recalled_lines
from everlore.cli.memories import read_kinds, read_time
from everlore.cli.options import (
    AsOf,
    Cursor,
    Include,
    Knower,
    Limit,
    OfRecipe,
    OfType,
    Partner,
    argument,
    option,
    optional,
)
from everlore.cli.output import more_lines, shown, when
from everlore.cli.review import known

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.knowledge import Knows
    from everlore.recall.answer import WhyNotVerdict
    from everlore.services.knowledge import KnownMemory, KnownPage
    from everlore.store.answers import Page
    from everlore.store.answers import Partner as Sharing

MemoryId = Annotated[str, argument("MEMORY", "The id of a memory, as recall shows it.")]
PersonName = Annotated[str, argument("PERSON", "A name or an id; `everlore characters` lists them.")]
_DELETED = "(deleted)"


async def why_not(
    lore: "Everlore",
    memory: MemoryId,
    query: Annotated[list[str], argument("QUERY…", "The question.")],
    person: Knower = None,
    partner: Partner = None,
    type: OfType = None,
    include: Include = "memories,events",
    limit: Limit = 10,
    as_of: AsOf = None,
    recipe: OfRecipe = None,
    reply_in: Annotated[
        str | None, optional("--reply-in", "CONVERSATION", "Explain the reply to QUERY in this conversation instead.")
    ] = None,
) -> Answer:
    """Explain why a search did not find a memory.

    Use the same options as the search; or --reply-in to explain a reply.
    """
    at = read_time(as_of) if as_of is not None else None
    kinds = read_kinds(include)
    verdict = await lore.why_not(
        memory,
        " ".join(query),
        person=await known(lore, person),
        partner=await known(lore, partner),
        types=[each.upper() for each in type or ()],
        include=kinds,
        as_of=at,
        limit=limit,
        recipe=recipe,
        reply_in=reply_in,
    )
    return Answer(verdict, _verdict_lines(verdict))


async def gossip(
    lore: "Everlore",
    person: PersonName,
    query: Annotated[str, argument("QUERY", "The topic.")],
    exclude: Annotated[str | None, optional("--exclude", "NAME|ID", "Skip what this person knows.")] = None,
    limit: Annotated[int, option("--limit", "N", "Maximum number of results.", min=1)] = 5,
    threshold: Annotated[float, option("--threshold", "0…1", "Minimum relevance.")] = 0.65,
) -> Answer:
    """List the gossip a character could pass on, best first.

    Secrets, private memories and spoilers are never included.
    """
    found = await lore.gossip.search(
        await _person(lore, person), query, exclude=await known(lore, exclude), limit=limit, threshold=threshold
    )
    lines = recalled_lines(found) if found else ["No gossip found."]
    return Answer({"items": [recalled_document(each) for each in found], "next": None}, lines)


async def knowers(lore: "Everlore", memory: MemoryId, as_of: AsOf = None) -> Answer:
    """List who knows a memory, since when, and from whom. Witnesses come first."""
    at = read_time(as_of) if as_of is not None else None
    found = await lore.knowledge.knowers(memory, as_of=at)
    names = await lore.characters.names(id for each in found for id in (each.knower_id, *each.chain))
    items = [_knower_document(each, names) for each in found]
    return Answer({"items": items, "next": None}, _knower_lines(found, names))


async def knowledge(
    lore: "Everlore", person: PersonName, as_of: AsOf = None, limit: Limit = 50, cursor: Cursor = None
) -> Answer:
    """List what a person knows, now or at a given time."""
    at = read_time(as_of) if as_of is not None else None
    page = await lore.knowledge.of(await _person(lore, person), as_of=at, limit=limit, cursor=cursor)
    names = await lore.characters.names(id for each in page.items for id in each.knows.chain)
    items = [{**_knowledge_document(each.knows), "memory": each.memory} for each in page.items]
    return Answer({"items": items, "next": page.cursor}, _knowledge_lines(page, names))


async def partners(lore: "Everlore", person: PersonName) -> Answer:
    """List who shares memories with a person, most first."""
    found = await lore.knowledge.partners(await _person(lore, person))
    names = await lore.characters.names(each.person_id for each in found)
    items = [_partner_document(each, names) for each in found]
    return Answer({"items": items, "next": None}, _partner_lines(found, names))


async def tell(
    lore: "Everlore",
    memory: MemoryId,
    teller: Annotated[str, option("--from", "NAME|ID", "The person who tells it.")],
    listener: Annotated[str, option("--to", "NAME|ID", "The person who hears it.")],
) -> Answer:
    """Tell a memory to another person.

    The listener can recall it from now on, with slightly less certainty than the teller.
    """
    who, whom = await _person(lore, teller), await _person(lore, listener)
    telling = await lore.knowledge.tell(memory, teller=who, listener=whom)
    return Answer(telling, [f"Told, {_hearsay(telling.degree, telling.certainty)}."])


async def misses(lore: "Everlore", limit: Limit = 50, cursor: Cursor = None) -> Answer:
    """List messages for which no memory was found, newest first."""
    page = await lore.misses(limit=limit, cursor=cursor)
    return Answer({"items": page.items, "next": page.cursor}, _miss_lines(page))


async def _person(lore: "Everlore", name: str) -> str:
    person = await known(lore, name)
    assert person is not None, "a name was given"
    return person.id


# ── for programs ─────────────────────────────────────────────────────────────────────────────────


def _knower_document(knows: "Knows", names: Mapping[str, str]) -> dict[str, object]:
    return {
        "person_id": knows.knower_id,
        "name": names.get(knows.knower_id, ""),
        "from_name": names.get(knows.from_id or "", ""),
        **_knowledge_document(knows),
    }


def _knowledge_document(knows: "Knows") -> dict[str, object]:
    return {
        "how": knows.how,
        "since": knows.since,
        "from_id": knows.from_id,
        "degree": knows.degree,
        "certainty": knows.certainty,
        "chain": knows.chain,
    }


def _partner_document(partner: "Sharing", names: Mapping[str, str]) -> dict[str, object]:
    return {
        "person_id": partner.person_id,
        "name": names.get(partner.person_id, ""),
        "memories": partner.memories,
        "last_at": partner.last_at,
    }


# ── for people ───────────────────────────────────────────────────────────────────────────────────


def _verdict_lines(verdict: "WhyNotVerdict") -> Iterator[str]:
    place = f"At place {verdict.place}. " if verdict.place is not None else ""
    dropped = f"Dropped at {verdict.step}. " if verdict.step is not None else ""
    yield shown(f"{dropped}{place}{verdict.why}")
    if verdict.score is not None:
        yield f"{verdict.score:5.2f}  {parts_line(verdict.parts)}"


def _knower_lines(found: "Sequence[Knows]", names: Mapping[str, str]) -> Iterator[str]:
    if not found:
        yield "No one."
    width = max((len(_name(each.knower_id, names)) for each in found), default=0)
    for each in found:
        yield f"{_name(each.knower_id, names):<{width}}  {when(each.since)}  {_how(each, names)}"


def _knowledge_lines(page: "KnownPage", names: Mapping[str, str]) -> Iterator[str]:
    if not page.items:
        yield "Nothing found."
    for each in page.items:
        yield _known_line(each, names)
    yield from more_lines(page.cursor)


def _known_line(each: "KnownMemory", names: Mapping[str, str]) -> str:
    memory = f"{shown(each.memory.id)}  {shown(each.memory.content)}"
    return f"{when(each.knows.since)}  {memory}  ({_how(each.knows, names)})"


def _partner_lines(found: "Sequence[Sharing]", names: Mapping[str, str]) -> Iterator[str]:
    if not found:
        yield "No one."
    for each in found:
        counted = f"{each.memories:>5} {'memory' if each.memories == 1 else 'memories'}"
        yield f"{counted:<14}  last {when(each.last_at)}  {_name(each.person_id, names)}"


def _miss_lines(page: "Page") -> Iterator[str]:
    if not page.items:
        yield "No searches without a result."
    for each in page.items:
        yield f"{when(each.created_at)}  {shown(each.query)}  ({each.embedded} of {each.passages} texts indexed)"
    yield from more_lines(page.cursor)


def _how(knows: "Knows", names: Mapping[str, str]) -> str:
    if knows.from_id is None:
        return knows.how.value
    told = " → ".join(_name(id, names) for id in knows.chain)
    return f"told by {told}, {_hearsay(knows.degree, knows.certainty)}"


def _hearsay(degree: int, certainty: float) -> str:
    return f"second-hand ({degree} {'step' if degree == 1 else 'steps'}), certainty {certainty:.2f}"


def _name(id: str, names: Mapping[str, str]) -> str:
    return shown(names.get(id, _DELETED))
