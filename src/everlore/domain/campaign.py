"""A tabletop campaign, its chapters and sessions, and the entities of its world (G1, G4, G6)."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from everlore.domain.bounds import Between, Id, Json, Line, Name, Prose, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    workspace: Id
    id: Id
    name: Name
    premise: Prose = ""
    gm_id: Id | None = None
    player_ids: tuple[Id, ...] = ()
    extra: Json = field(default_factory=dict)
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    workspace: Id
    id: Id
    campaign_id: Id
    number: Annotated[int, Between(1, 10**6)]
    name: Name
    goals: tuple[str, ...] = ()
    extra: Json = field(default_factory=dict)
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    workspace: Id
    id: Id
    campaign_id: Id
    chapter_id: Id | None = None
    number: Annotated[int, Between(1, 10**6)]
    name: Line = ""
    extra: Json = field(default_factory=dict)
    started_at: datetime
    ended_at: datetime | None = None
    created_at: datetime
    updated_at: datetime


class EntityKind(StrEnum):
    NPC = "npc"
    LOCATION = "location"
    ITEM = "item"
    FACTION = "faction"
    CREATURE = "creature"
    EVENT = "event"
    PERSON = "person"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    workspace: Id
    id: Id
    kind: EntityKind = EntityKind.OTHER
    name: Name
    aliases: tuple[str, ...] = ()
    # Other names that players must not know; `aliases` contains none of them.
    hidden_aliases: tuple[str, ...] = ()
    description: Prose = ""
    attributes: Json = field(default_factory=dict)
    campaign_id: Id | None = None
    person_id: Id | None = None
    is_spoiler: bool = False
    gm_edited: bool = False
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship:
    """A directed relationship of two entities; deleted with either of them, and with its source message."""

    workspace: Id
    id: Id
    campaign_id: Id | None = None
    source_id: Id
    target_id: Id
    type: Line
    evidence: Prose = ""
    message_id: Id | None = None
    confidence: Share = 1.0
    is_spoiler: bool = False
    gm_edited: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    created_at: datetime
