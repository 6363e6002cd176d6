"""Every setting of Everlore, typed, in one place.

`wiring.py` reads the environment once (`EVERLORE_…`, nested with two underscores, as in
`EVERLORE_QUEUE__WORKERS=2`) and hands each part its own slice. The settings page of the docs is made
from these classes.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class StoreSettings(BaseModel, frozen=True):
    busy_timeout_s: float = Field(15, gt=0, description="How long writers wait for another process, also a silent one.")
    readers: int = Field(4, gt=0, description="Read connections (SQLite) or the size of the pool (PostgreSQL).")
    cache_mb: int = Field(1024, gt=0, description="Most memory for cached search indexes (SQLite).")
    connect_timeout_s: float = Field(10, gt=0, description="How long to wait for PostgreSQL.")


class EmbeddingSettings(BaseModel, frozen=True):
    provider: Literal["wordllama", "minilm", "onnx", "openai", "hashing", "none"] = Field(
        "wordllama",
        description="Who turns text into vectors: `wordllama` (offline, in the package), `minilm` (better and slower, "
        "after `everlore models install minilm`), `onnx` (any ONNX model on this machine), `openai` (any compatible "
        "endpoint), `hashing` (deterministic, for tests), `none` (full text only).",
    )
    folder: Path | None = Field(
        None,
        description="Folder of the model: for `onnx` one with model.onnx and tokenizer.json; for `minilm` where it is "
        "installed (unset: models/minilm in the data folder).",
    )
    threads: int = Field(1, gt=0, description="Cores for `minilm` and `onnx`; replies need some, too.")
    hub: str = Field(
        "https://huggingface.co", description="Where `everlore models install` fetches from: Hugging Face or a mirror."
    )
    model: str = Field("text-embedding-3-small", description="Model name, for `openai`.")
    base_url: str = Field("https://api.openai.com/v1", description="Endpoint, for `openai`.")
    api_key: SecretStr | None = Field(None, description="Key, for `openai`; many local servers need none.")
    dims: int | None = Field(None, gt=0, description="Dimensions to ask for; the model's own if unset.")
    timeout_s: float = Field(60, gt=0, description="Most time for one call to an endpoint.")
    batch: int = Field(64, gt=0, le=2048, description="Texts per call to an endpoint.")


class ChatSettings(BaseModel, frozen=True):
    provider: Literal["auto", "openai", "ollama", "local", "voice"] = Field(
        "auto",
        description="Who answers: `openai` (any compatible endpoint), `ollama` (its own API), `local` (a GGUF file "
        "on this machine), `voice` (built in, no model at all), or `auto`: a model server that answers on this "
        "machine, else the usual variables (`OPENAI_API_KEY` …), else the built-in voice.",
    )
    model: str = Field("", description="Model name, or the path of a GGUF file; empty: the first that is offered.")
    base_url: str = Field("", description="Endpoint; empty: the provider's usual one.")
    api_key: SecretStr | None = Field(None, description="Key; many local servers need none.")
    first_piece_timeout_s: float = Field(120, gt=0, description="Most time until a reply begins.")
    next_piece_timeout_s: float = Field(60, gt=0, description="Most silence within a reply.")
    whole_timeout_s: float = Field(900, gt=0, description="Most time for a whole reply or a background answer.")
    retries: int = Field(2, ge=0, le=10, description="Tries after the first, while no word has come (429, 5xx, down).")
    backoff_s: float = Field(0.5, gt=0, description="Wait before the first retry; it doubles each time.")


class TaskModelSettings(BaseModel, frozen=True):
    """A model for one purpose beside the chat; if unset, the chat model."""

    provider: Literal["", "openai", "ollama", "local", "voice"] = Field("", description="Provider; empty: as chat.")
    model: str = Field("", description="Model; empty: as chat.")
    base_url: str = Field("", description="Endpoint; empty: the provider's usual one.")
    api_key: SecretStr | None = Field(None, description="Key.")


TrustWish = Literal["auto", "plain", "careful", "strict"]


class ExtractionSettings(TaskModelSettings, frozen=True):
    trust: TrustWish = Field(
        "auto",
        description="How far the model is believed when it reads messages: `auto` (as measured: it is probed once), "
        "`plain` (its evidence is enough), `careful` (what rules cannot confirm is put to it once more), `strict` "
        "(only what rules confirm).",
    )


class TokenizerSettings(BaseModel, frozen=True):
    name: str = Field(
        "o200k_base", description="`o200k_base`, `cl100k_base`, or `bytes` for families without a vocabulary."
    )


class SearchSettings(BaseModel, frozen=True):
    pool: int = Field(60, gt=0, description="Candidates each arm brings before they are united.")
    vector_weight: float = Field(0.5, ge=0, le=1, description="Share of the vector score; full text has the rest.")


class SavingSettings(BaseModel, frozen=True):
    """From which similarity two statements count as the same (M8)."""

    facts: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Cosine from which on two facts say the same; unset: as measured for the embedding model, 0.85 for "
        "one that was not.",
    )
    segments: float | None = Field(
        None, gt=0, le=1, description="The same for memories of segments and analyses; unset: as measured, or 0.92."
    )
    words: float | None = Field(
        None, gt=0, le=1, description="Share of words in common, where there is no vector; unset: 0.85."
    )
    related: float | None = Field(
        None, gt=0, le=1, description="Cosine from which on two memories are linked; unset: as measured, or 0.75."
    )


class GossipSettings(BaseModel, frozen=True):
    seed: str | None = Field(
        None, max_length=200, description="Makes the rolls of involuntary gossip repeatable; unset: they are not."
    )


class QueueSettings(BaseModel, frozen=True):
    workers: int = Field(1, ge=0, description="Workers inside the server or the library; 0 for none.")
    batch: int = Field(8, gt=0, description="Jobs claimed at a time.")
    lease_s: float = Field(30, gt=0, le=1_800, description="A worker silent for this long loses its jobs to another.")
    poll_s: float = Field(0.2, gt=0, le=0.4, description="How often an idle worker looks for work.")
    rate_per_s: float | None = Field(None, gt=0, description="Most jobs started per second and workspace.")
    backoff_s: float = Field(2, gt=0, description="Wait before the first retry; it doubles each time.")
    backoff_max_s: float = Field(600, gt=0, le=1_800, description="Longest wait before a retry.")
    drain_s: float = Field(20, ge=0, description="Time for running jobs to finish on SIGTERM.")
    quiet_s: float = Field(0.5, ge=0, description="Learning waits until no reply was written for so long.")
    patience_s: float = Field(15, ge=0, description="Without such a pause for so long, learning goes on all the same.")
    keep_keys_days: float = Field(7, ge=0, description="How long the key of a finished job is remembered.")


# Names of this machine for itself: nobody else can reach a server that listens on them.
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


# A scheme, a host, and an optional port, as browsers send the origin of a page.
Origin = Annotated[str, Field(pattern=r"^https?://[^/\s*]+$")]


class ServerSettings(BaseModel, frozen=True):
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8420, ge=0, le=65535, description="Port; 0 for any free one.")
    tokens: bool = Field(False, description="Ask for a token, also on this machine; elsewhere it is always asked for.")
    names: tuple[str, ...] = Field(
        (),
        description='Names the server is reached under besides this machine\'s own, as JSON: `["lore.example.org"]`.',
    )
    origins: tuple[Origin, ...] = Field(
        (),
        description='Sites whose pages may use `/v1` from a browser, as JSON: `["https://chat.example.org"]`. Without '
        "tokens they act for the owner.",
    )
    anonymous: bool = Field(False, description="Show the public side of the characters to callers without a token.")
    per_minute: int = Field(600, ge=1, description="Requests a minute for each token that has no limit of its own.")
    connections_per_address: int = Field(
        256, ge=1, description="Connections at once from one address; raise it where all come through one proxy."
    )
    header_timeout_s: float = Field(10, gt=0, description="Most time for the head of a request to arrive.")
    body_timeout_s: float = Field(30, gt=0, description="Most silence within the body of a request.")
    people: Literal["many", "one"] = Field(
        "many",
        description="Whether `user` in requests to `/v1`, and the header below, name people of their own (`many`) or "
        "all that comes with an owner's key is the owner's (`one`); a token can say it for itself.",
    )
    user_header: str = Field(
        "X-OpenWebUI-User-Id",
        description="Header that names the person who speaks, where a key may speak for many; it goes before `user`.",
    )
    user_name_header: str = Field("X-OpenWebUI-User-Name", description="Header with what that person is called.")

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host.strip("[]").lower() in LOOPBACK

    @property
    def needs_token(self) -> bool:
        return self.tokens or not self.is_local


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="EVERLORE_", env_nested_delimiter="__", frozen=True)

    database_url: str | None = Field(None, description="`sqlite:///path/to.db`, a plain path, or `postgresql://…`.")
    data_dir: Path | None = Field(None, description="Where `everlore.db` lives when no database is named.")
    workspace: str = Field("default", min_length=1, description="The tenant used when none is named.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level logged.")
    store: StoreSettings = Field(default_factory=StoreSettings)
    secret_key: SecretStr | None = Field(
        None, description="Encrypts provider keys at rest; unset: a key file is made in the data folder."
    )
    token: SecretStr | None = Field(None, description="Whom `everlore mcp` acts for: the bearer of this token.")
    embedding: EmbeddingSettings = Field(default_factory=EmbeddingSettings)
    chat: ChatSettings = Field(default_factory=ChatSettings)
    analysis: TaskModelSettings = Field(default_factory=TaskModelSettings)
    extraction: ExtractionSettings = Field(default_factory=ExtractionSettings)
    tokenizer: TokenizerSettings = Field(default_factory=TokenizerSettings)
    search: SearchSettings = Field(default_factory=SearchSettings)
    saving: SavingSettings = Field(default_factory=SavingSettings)
    gossip: GossipSettings = Field(default_factory=GossipSettings)
    queue: QueueSettings = Field(default_factory=QueueSettings)
    server: ServerSettings = Field(default_factory=ServerSettings)
