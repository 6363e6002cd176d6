"""A named value that a workspace keeps: its models, its defaults, what the owner switched on."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from everlore.domain.bounds import Id, Json

# Which models answer; each purpose may have a sealed key of its provider.
MODELS = "models"
# What a new conversation is set up with, where nobody says otherwise.
USUAL = "usual"
# Lorebooks that fire in every conversation.
LOREBOOKS = "lorebooks"
# With which model the texts of this database were indexed.
INDEX = "index"
# How the names of slots begin in which it is kept which requests were answered.
RECEIPTS = "receipts-"
_KEY = "key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    workspace: Id
    id: Id
    value: Json = field(default_factory=dict)
    updated_at: datetime


def without_keys(setting: Setting) -> Setting:
    """The setting without the keys of model providers, which never leave a workspace, sealed or not (S-2)."""
    if setting.id != MODELS:
        return setting
    return replace(setting, value={purpose: _without_key(wish) for purpose, wish in setting.value.items()})


def with_keys_of(setting: Setting, kept: Setting) -> Setting:
    """The setting with the keys that `kept` has for the same providers at the same addresses."""
    if setting.id != MODELS:
        return setting
    return replace(
        setting, value={purpose: _with_key(wish, kept.value.get(purpose)) for purpose, wish in setting.value.items()}
    )


def _without_key(wish: object) -> object:
    return {name: each for name, each in wish.items() if name != _KEY} if isinstance(wish, Mapping) else wish


def _with_key(wish: object, kept: object) -> object:
    if not isinstance(wish, Mapping) or not isinstance(kept, Mapping) or _KEY not in kept:
        return wish
    is_same = all(wish.get(name) == kept.get(name) for name in ("provider", "base_url"))
    return {**wish, _KEY: kept[_KEY]} if is_same else wish
