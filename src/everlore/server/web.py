"""Serves the files of the web application: one page, and what it loads.

`scripts/web.sh` builds them into `web_dist`. They are looked up on each request, so that a new build is served without
a restart.
"""

import gzip
from functools import lru_cache
from pathlib import Path

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

import everlore

WEB_DIST = Path(everlore.__file__).with_name("web_dist")

# Scripts, styles and data come from this server only, whatever a model or a card writes (S-4).
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# Not guessed: the system's table of types may be wrong, and browsers run no script of another type.
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
# The files that make the page an installable app; nothing else of the folder is served.
_APP_FILES = {
    "manifest.webmanifest": "application/manifest+json",
    "icon-192.png": "image/png",
    "icon-512.png": "image/png",
    "icon-maskable-512.png": "image/png",
}
_A_DAY = "public, max-age=86400"
# Text compresses to a third; fonts are compressed already.
_PACKED = frozenset({".css", ".js", ".svg"})
# The names carry a hash of the content.
_FOREVER = "public, max-age=31536000, immutable"
_NOT_BUILT = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Everlore</title></head>
<body>
<h1>The web application is not built</h1>
<p>The server runs, and so does its API. To build the pages, run <code>make run</code> in the folder of the source, or
install a released package, which has them inside.</p>
<p><a href="/api/health">Health of this server</a> · <a href="/openapi.json">Description of the API</a></p>
</body>
</html>
"""


def serve_web(app: FastAPI, folder: Path = WEB_DIST) -> None:
    def page() -> Response:
        return _page(folder / "index.html")

    def docs() -> Response:
        return _page(folder / "docs.html")

    def asset(name: str, request: Request) -> Response:
        path = folder / "assets" / name
        if path.suffix not in _TYPES or not path.is_file():
            raise HTTPException(404)
        headers = {"Cache-Control": _FOREVER, "Vary": "Accept-Encoding"}
        if path.suffix in _PACKED and "gzip" in request.headers.get("Accept-Encoding", ""):
            packed = _packed(path, path.stat().st_mtime_ns)
            return Response(packed, media_type=_TYPES[path.suffix], headers=headers | {"Content-Encoding": "gzip"})
        return FileResponse(path, media_type=_TYPES[path.suffix], headers=headers)

    def app_file(request: Request) -> Response:
        name = request.url.path.removeprefix("/")
        path = folder / name
        if not path.is_file():
            raise HTTPException(404)
        return FileResponse(path, media_type=_APP_FILES[name], headers={"Cache-Control": _A_DAY})

    for name in _APP_FILES:
        app.get(f"/{name}", include_in_schema=False)(app_file)
    app.get("/", include_in_schema=False)(page)
    app.get("/docs", include_in_schema=False)(docs)
    app.get("/assets/{name}", include_in_schema=False)(asset)


@lru_cache(maxsize=256)
def _packed(path: Path, changed_ns: int) -> bytes:  # noqa: ARG001 - a changed file is packed again
    return gzip.compress(path.read_bytes(), mtime=0)


def _page(path: Path) -> Response:
    if not path.is_file():
        return HTMLResponse(_NOT_BUILT, status_code=503)
    return HTMLResponse(path.read_text(encoding="utf-8"), headers={"Content-Security-Policy": POLICY})
