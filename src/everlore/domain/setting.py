"""A named value of a workspace: its models, its defaults, the owner's options."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from everlore.domain.bounds import Id, Json

# The chat models; each purpose may have an encrypted key of its provider.
MODELS = "models"
# The defaults for new conversations.
USUAL = "usual"
# Lorebooks that apply in every conversation.
LOREBOOKS = "lorebooks"
# The model with which this database was indexed.
INDEX = "index"
# The prefix of the slots that record which requests were answered.
RECEIPTS = "receipts-"
_KEY = "key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    workspace: Id
    id: Id
    value: Json = field(default_factory=dict)
    updated_at: datetime


def without_keys(setting: Setting) -> Setting:
    """The setting without the keys of model providers, which never leave a workspace, encrypted or not (S-2)."""
    if setting.id != MODELS:
        return setting
    return replace(setting, value={purpose: _without_key(wish) for purpose, wish in setting.value.items()})


def with_keys_of(setting: Setting, kept: Setting) -> Setting:
    """The setting with the keys of `kept` for the same providers at the same addresses."""
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
