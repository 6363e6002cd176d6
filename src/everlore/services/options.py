"""The options that `recall` and `why_not` share, and those that `remember`, `remember_many` and `keep` share.

Start at `query_of` and `statement_of`, which make a record of them.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, TypedDict, Unpack

from everlore.domain.config_choices import RecipeName
from everlore.domain.memory import Category, Durability, Memory, MemoryType, Origin, Visible, source_uri_of
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person
from everlore.domain.scope import Scope, pair_of
from everlore.errors import BadAsk, NotFound
from everlore.recall.question import RecallQuery
from everlore.recall.recipes import ASKED, SEARCH
from everlore.store.checks import check_limit
from everlore.turn.ownership import is_hidden, refuse_other
from everlore.turn.resources import Resources
from everlore.turn.viewers import seen_from


class RecallOptions(TypedDict, total=False):
    """`person`: only what that person knows; with `partner`, what the two share. `as_of`: what was believed then.
    `recipe`: the weights of age and importance, if not those of the conversation's replies."""

    person: Person | str | None
    partner: Person | str | None
    conversation: str | None
    campaign: str | None
    types: Iterable[MemoryType | str]
    include: Iterable[PassageKind | str]
    as_of: datetime | None
    min_similarity: float | None
    limit: int
    recipe: RecipeName | str | None


class StatementOptions(TypedDict, total=False):
    """Whose memory it is, who writes it (`by`), and any other field of a memory. `force` keeps a statement beside what
    it contradicts."""

    person: Person | str | None
    partner: Person | str | None
    by: str
    force: bool
    type: MemoryType | str
    importance: int
    category: Category | None
    confidence: float
    priority: int
    emotional_weight: float
    summary: str
    tags: Sequence[str]
    visibility: Visible
    is_spoiler: bool
    durability: Durability | None
    origin: Origin
    conversation_id: str | None
    campaign_id: str | None
    source_uri: str
    source_message_ids: tuple[str, ...]
    persons: tuple[str, ...]
    valid_from: datetime | None
    valid_to: datetime | None
    created_at: datetime
    extra: dict[str, Any]


_SEVERAL = frozenset({"persons", "source_message_ids", "entity_ids", "participants", "key_moments", "tags"})
# Options that are not fields of the memory.
_ABOUT_SAVING = frozenset({"person", "partner", "by", "force"})


async def query_of(resources: Resources, scope: Scope, text: str, **options: Unpack[RecallOptions]) -> RecallQuery:
    from everlore.turn.recipes import recipe_in

    if unknown := {*options} - RecallOptions.__optional_keys__:
        raise TypeError(f"There is no option {', '.join(sorted(unknown))}.")
    person_id, partner_id = id_of(options.get("person")) or scope.confined_to, id_of(options.get("partner"))
    if person_id is not None:
        refuse_other(scope, person_id)
    elif partner_id is not None:
        raise BadAsk("A partner was named without a person. Name both, or only the person.")
    conversation, recipe, limit = options.get("conversation"), options.get("recipe"), options.get("limit", 10)
    viewer, place = await seen_from(resources.store, scope, person_id, conversation)
    check_limit(limit)
    await _refuse_unknown_persons(resources, scope, person_id, partner_id)
    return RecallQuery(
        text=text,
        viewer=viewer,
        place=place,
        pair=pair_of(person_id, partner_id) if person_id is not None and partner_id is not None else None,
        conversation_id=conversation,
        campaign_id=options.get("campaign"),
        types=frozenset(one_of(MemoryType, each, "types").value for each in several(options.get("types", ()))),
        kinds=frozenset(one_of(PassageKind, each, "include") for each in several(options.get("include", ASKED))),
        as_of=options.get("as_of"),
        min_similarity=options.get("min_similarity"),
        limit=limit,
        recipe=SEARCH.like(
            one_of(RecipeName, recipe, "recipe") if recipe else await recipe_in(resources, scope, conversation)
        ),
    )


def statement_of(
    resources: Resources, scope: Scope, content: str, persons: tuple[str, ...], options: StatementOptions
) -> Memory:
    """The new memory of a statement, if it neither repeats nor contradicts a known one."""
    fields: dict[str, Any] = {name: value for name, value in options.items() if name not in _ABOUT_SAVING}
    if unknown := set(fields) - (set(Memory.__dataclass_fields__) - {"workspace"}):
        raise BadAsk(f"A memory has no field {', '.join(sorted(unknown))}.")
    now = resources.clock()
    given: dict[str, Any] = {
        "id": resources.new_id(),
        "importance": 5,
        "origin": Origin.USER,
        "persons": persons,
        "source_uri": source_uri_of(fields.get("conversation_id"), fields.get("source_message_ids", ())),
        "created_at": now,
        "updated_at": now,
    }
    # Without a source, it is the conversation that is named.
    told = {name: value for name, value in fields.items() if name != "source_uri" or value}
    told["type"] = one_of(MemoryType, told.get("type", MemoryType.FACT), "type")
    if told.get("durability") is None:
        from everlore.learning.saving.flow import lasting

        told["durability"] = lasting(content)
    return Memory(workspace=scope.workspace, content=content, **with_tuples(given | told))


def with_tuples(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields of a memory that have several values may be given as one text, or as a list or a set."""
    return fields | {name: several(fields[name]) for name in _SEVERAL & fields.keys()}


def several(value: Any) -> Any:
    """A tuple of the values; anything else is left to the check of the fields."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list | set | frozenset) else value


def named_persons(scope: Scope, options: StatementOptions) -> tuple[str, ...]:
    """Whose memory it is, as far as the caller says."""
    named = (id_of(options.get("person")), id_of(options.get("partner")), scope.confined_to)
    return tuple(sorted({id for id in named if id is not None}))


def id_of(person: Person | str | None) -> str | None:
    return person.id if isinstance(person, Person) else person


def one_of(kind: Any, value: Any, name: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(each.value for each in kind)
        raise BadAsk(f"{name} is {value!r}; it must be one of {known}.") from None


async def _refuse_unknown_persons(resources: Resources, scope: Scope, *ids: str | None) -> None:
    wanted = [id for id in ids if id is not None]
    found = await resources.store.get_many(scope, Person, wanted) if wanted else []
    known = {each.id for each in found if not is_hidden(scope, each)}
    for id in wanted:
        if id not in known:
            raise NotFound(f"There is no person {id!r} in this workspace. Names are found with characters.named.")
