"""The options that several verbs share, each described once."""

from typing import Annotated

import typer

Db = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL",
        help="The database: sqlite:///path/to.db, a plain path, or postgresql://…  "
        "[env: EVERLORE_DATABASE_URL; default: everlore.db in the data folder]",
        show_default=False,
    ),
]
Workspace = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        metavar="NAME",
        help="The workspace.  [env: EVERLORE_WORKSPACE; default: default]",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
Cursor = Annotated[
    str | None,
    typer.Option("--cursor", metavar="CURSOR", help="Go on after an earlier list.", show_default=False),
]

Someone = Annotated[
    str | None,
    typer.Option("--person", metavar="NAME|ID", help="Whose memory it is.", show_default=False),
]
Knower = Annotated[
    str | None,
    typer.Option("--person", metavar="NAME|ID", help="Only what this one knows.", show_default=False),
]
Partner = Annotated[
    str | None,
    typer.Option(
        "--with", metavar="NAME|ID", help="The other one of a pair that shares it; needs --person.", show_default=False
    ),
]
OfType = Annotated[
    list[str] | None,
    typer.Option("--type", metavar="TYPE", help="Only memories of this type; may be repeated.", show_default=False),
]
Include = Annotated[
    str,
    typer.Option(
        "--include", metavar="KINDS", help="What to look through: memories,messages,summaries,events,entities."
    ),
]
OfRecipe = Annotated[
    str | None,
    typer.Option(
        "--recipe",
        metavar="NAME",
        help="How much age and weight count: companion, roleplay, agent or campaign.",
        show_default=False,
    ),
]
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of", metavar="TIME", help="As it was known then: 2024-05-31 or 2024-05-31T20:00Z.", show_default=False
    ),
]
