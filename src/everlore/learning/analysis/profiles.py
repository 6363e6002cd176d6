"""How much of a conversation a character takes to heart (W2): its memory profile, also called immersion level.

A profile is a set of kinds of memory. The question to the model lists those and no others, and what it answers of
another kind is refused. Start at `profile_of`.
"""

from enum import StrEnum

from everlore.domain.memory import MemoryType


class Profile(StrEnum):
    MINIMAL = "minimal"
    BALANCED = "balanced"
    FULL = "full"
    UNBOUNDED = "unbounded"


DEFAULT = Profile.BALANCED
# Each profile takes one kind more than the one before it.
_KINDS = (
    (MemoryType.FACT, "what is so: names, homes, work, tastes, what somebody stated"),
    (MemoryType.PROJECT, "what somebody is working on, plans or wants to reach"),
    (MemoryType.EXPERIENCE, "what the persons did or went through together in this conversation"),
    (MemoryType.STORY, "what somebody told of their past, if it means something to them"),
    (MemoryType.RELATIONSHIP, "how trust, closeness or distance between the persons has changed"),
)
_HOW_MANY = {Profile.MINIMAL: 2, Profile.BALANCED: 3, Profile.FULL: 4, Profile.UNBOUNDED: 5}


def profile_of(*wanted: str) -> Profile:
    """The first of these that is a profile: what the conversation says, then what the character says."""
    names = (name.strip().lower() for name in wanted)
    return next((Profile(name) for name in names if name in set(Profile)), DEFAULT)


def types_of(profile: Profile) -> tuple[MemoryType, ...]:
    return tuple(kind for kind, _ in _KINDS[: _HOW_MANY[profile]])


def described(profile: Profile) -> str:
    """The kinds with what each means, as the question lists them."""
    return "\n".join(f"  {kind.value.lower()}: {meaning}" for kind, meaning in _KINDS[: _HOW_MANY[profile]])
