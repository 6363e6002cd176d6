"""Makes the embedder and the tokenizer that the settings ask for.

A package that is missing is said here, at start-up, and not at the first message. Files are read and
servers are called only later, when there is something to embed or to count.
"""

from everlore.errors import Misconfigured
from everlore.models.embedder import Embedder
from everlore.models.tokenizer import CountedOnce, Tokenizer
from everlore.settings import EmbeddingSettings, TokenizerSettings

# Classes are imported where they are chosen: nobody should wait for a provider they do not use.


def build_embedder(settings: EmbeddingSettings) -> Embedder | None:
    """None for provider `none`: full text only."""
    match settings.provider:
        case "wordllama":
            from everlore.models.wordllama import WordLlamaEmbedder

            return WordLlamaEmbedder()
        case "openai":
            from everlore.models.openai_embedder import OpenAIEmbedder

            return OpenAIEmbedder(settings)
        case "hashing":
            from everlore.models.hashing import HashingEmbedder

            return HashingEmbedder()
        case "none":
            return None


def build_tokenizer(settings: TokenizerSettings) -> Tokenizer:
    from everlore.models.tiktoken_tokenizer import VOCABULARIES, TiktokenTokenizer

    if settings.name in VOCABULARIES:
        return CountedOnce(TiktokenTokenizer(settings.name))
    if settings.name == "bytes":
        from everlore.models.bytes_tokenizer import BytesTokenizer

        return BytesTokenizer()
    raise Misconfigured(
        f"There is no tokenizer {settings.name!r}. Available: {', '.join(VOCABULARIES)}, bytes. "
        "Set EVERLORE_TOKENIZER__NAME to one of them; `bytes` suits every model."
    )
