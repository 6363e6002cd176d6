"""The numbered SQL files of a dialect, in order, each with its checksum.

A database remembers which of them it has run. An unknown one means that a newer Everlore made the database; a different
checksum means that the file was changed after it ran. Both stop the start, because guessing could lose data.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from everlore.errors import Misconfigured


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return sha256(self.sql.encode()).hexdigest()


@cache
def migrations(package: str) -> tuple[Migration, ...]:
    """The migrations in the folder `migrations` of a dialect's package."""
    found = [
        Migration(int(file.name[:4]), file.name.removesuffix(".sql"), file.read_text(encoding="utf-8"))
        for file in files(package).joinpath("migrations").iterdir()
        if file.name.endswith(".sql")
    ]
    return tuple(sorted(found, key=lambda each: each.version))


def pending(known: tuple[Migration, ...], applied: Mapping[int, str], where: str) -> list[Migration]:
    """The migrations that a database still needs; `applied` maps version to checksum."""
    newest = known[-1].version
    if applied and max(applied) > newest:
        raise Misconfigured(
            f"{where} has schema {max(applied)}, and this Everlore knows schemas up to {newest}: a newer version "
            "made it. Upgrade Everlore, or open another database. Nothing was changed."
        )
    for migration in known:
        if applied.get(migration.version, migration.checksum) != migration.checksum:
            raise Misconfigured(
                f"{where} was migrated by another form of {migration.name}. It was made by a build that was never "
                "released; export it with that build, and import it into a new database. Nothing was changed."
            )
    return [migration for migration in known if migration.version not in applied]
