"""Login with a browser: a token, entered once, is stored as a cookie that no script can read.

So pictures, downloads and the live socket are authorised too. Browsers send the cookie to this server only, and only
from its own pages (`SameSite=Strict`); requests of other pages are refused by their Origin as well (S-4).
"""

from typing import Annotated

from fastapi import Request, Response
from pydantic import BaseModel, ConfigDict, Field

from everlore.domain.token import read
from everlore.server.login import COOKIE, UNKNOWN, Door, address_of, unauthorised
from everlore.server.routing import Router, at_most

router = Router(prefix="/api/session", tags=["tokens"])
_DAYS_S = 30 * 24 * 3_600


class LogIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    token: Annotated[str, Field(min_length=1, max_length=1_000)]


class LoggedIn(BaseModel):
    workspace: str
    role: str


# Callers without a token may use this; a small body is enough.
@router.post("", openapi_extra=at_most(10_000))
async def log_in(request: Request, response: Response, given: LogIn) -> LoggedIn:
    """Stores this token in a browser cookie, for thirty days at most."""
    door: Door = request.app.state.door
    token = given.token.strip()
    if read(token) is None:
        # Even if no token is required: a cookie with an invalid one would be useless.
        raise unauthorised(UNKNOWN)
    scope = await door.scope_of(token, None, address=address_of(request))
    response.set_cookie(
        COOKIE,
        token,
        max_age=_DAYS_S,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return LoggedIn(workspace=scope.workspace, role=scope.role.value)


@router.delete("", status_code=204)
async def log_out(response: Response) -> None:
    """Deletes the cookie. The token stays valid until it is revoked."""
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
