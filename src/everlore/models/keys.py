"""Encrypts the API keys of model providers, so that the database alone does not reveal them (V5).

The encryption key is never in the database: it comes from the passphrase in the settings, or from a file in the data
folder that is created at the first use, readable by its owner only. Several processes that start at once agree on one
file.

Start at `Seal`. Its first use reads a file or stretches a passphrase, which takes about 50 ms.
"""

import os
import tempfile
from base64 import urlsafe_b64encode
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from pydantic import SecretStr

from everlore.errors import Misconfigured
from everlore.private_files import make_private_folder

KEY_FILE = "secret.key"
# A constant: several processes, and a restored backup, must derive the same key.
_SALT = b"everlore: provider keys"


class Seal:
    def __init__(self, secret_key: SecretStr | None, folder: Path) -> None:
        """Uses the passphrase, or else the key file in `folder`."""
        self._passphrase = secret_key
        self._file = folder / KEY_FILE

    def seal(self, text: str) -> str:
        if self._passphrase is None and not self._file.exists():
            _make_key_file(self._file)
        return self._fernet.encrypt(text.encode()).decode()

    def unseal(self, token: str) -> str:
        try:
            return self._fernet.decrypt(token.encode()).decode()
        except InvalidToken:
            raise Misconfigured(
                f"A stored key cannot be opened with {self._where()}: it was sealed with another secret. "
                "Bring that one back, or enter the key of the model provider again."
            ) from None

    @cached_property
    def _fernet(self) -> Fernet:
        if self._passphrase is not None:
            return Fernet(_stretched(self._passphrase.get_secret_value()))
        try:
            return Fernet(self._file.read_bytes().strip())
        except ValueError:
            raise Misconfigured(
                f"{self._file} is not a key file of Everlore, or is damaged. Restore it from a backup, or remove it "
                "and enter the keys of the model providers again."
            ) from None
        except OSError as error:
            raise Misconfigured(
                f"{self._file} cannot be read ({error.strerror}), and without it no stored key can be opened. Restore "
                "it, set EVERLORE_SECRET_KEY if a passphrase was used, or enter the keys of the providers again."
            ) from None

    def _where(self) -> str:
        return "EVERLORE_SECRET_KEY" if self._passphrase is not None else str(self._file)


def _stretched(passphrase: str) -> bytes:
    if not passphrase:
        raise Misconfigured("EVERLORE_SECRET_KEY is empty. Unset it, or set it to a long passphrase.")
    return urlsafe_b64encode(Scrypt(salt=_SALT, length=32, n=2**14, r=8, p=1).derive(passphrase.encode()))


def _make_key_file(path: Path) -> None:
    """Creates the file atomically and never replaces one: a second process uses the file of the first."""
    try:
        make_private_folder(path.parent)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # mode 0600
        try:
            with os.fdopen(handle, "wb") as draft:
                draft.write(Fernet.generate_key() + b"\n")
                draft.flush()
                os.fsync(handle)
            with suppress(FileExistsError):
                os.link(name, path)
        finally:
            Path(name).unlink()
    except OSError as error:
        raise Misconfigured(
            f"The key file {path} cannot be made ({error.strerror}). Make its folder writable, or set "
            "EVERLORE_SECRET_KEY to a long passphrase instead."
        ) from None
