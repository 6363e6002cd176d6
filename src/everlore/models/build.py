"""Makes the embedder and the tokenizer from the settings.

Missing packages are reported at start-up rather than at the first message. Files are read and servers are called only
later, when there is something to embed or to count.
"""

from pathlib import Path

import platformdirs

from everlore.errors import Misconfigured
from everlore.models.embedder import Embedder
from everlore.models.tokenizer import CountedOnce, Tokenizer
from everlore.settings import EmbeddingSettings, TokenizerSettings

# Imports are inside the functions, so that only the chosen provider is loaded.


def build_embedder(settings: EmbeddingSettings, models: Path | None = None) -> Embedder | None:
    """None for provider `none`: full text only. `models`: the folder of installed models, if not the usual one."""
    match settings.provider:
        case "wordllama":
            from everlore.models.wordllama import WordLlamaEmbedder

            return WordLlamaEmbedder()
        case "minilm":
            from everlore.models.minilm import minilm_in
            from everlore.models.onnx_embedder import OnnxEmbedder

            return OnnxEmbedder(minilm_in(minilm_folder(settings, models)), threads=settings.threads)
        case "onnx":
            from everlore.models.onnx_embedder import OnnxEmbedder, onnx_folder

            return OnnxEmbedder(onnx_folder(settings.folder), threads=settings.threads)
        case "openai":
            from everlore.models.openai_embedder import OpenAIEmbedder

            return OpenAIEmbedder(settings)
        case "hashing":
            from everlore.models.hashing import HashingEmbedder

            return HashingEmbedder()
        case "none":
            return None


def minilm_folder(settings: EmbeddingSettings, models: Path | None = None) -> Path:
    """The folder where it is, or would be installed. A folder configured for `onnx` holds another model."""
    if settings.folder is not None and settings.provider != "onnx":
        return settings.folder.expanduser()
    return (models or Path(platformdirs.user_data_dir("everlore")) / "models") / "minilm"


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
