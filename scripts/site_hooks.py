"""Hooks of MkDocs for the documentation site (mkdocs.yml).

Pages link to files of the repository outside docs/, such as deploy/README.md. The site contains a copy of each of these
under repository/, and the links lead there. Headings get the same anchors as on GitHub. A page that would load anything
from another site is a warning, and so an error.

Start at `on_files`.
"""

import logging
import posixpath
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_COPIES = "repository/"
_LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
_LOADED = re.compile(r"<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//[^>]*>")
_LANGUAGES = {".py": "python", ".yaml": "yaml", ".conf": "nginx", ".toml": "toml", ".txt": "text"}
_log = logging.getLogger("mkdocs.hooks.site")


def on_config(config: Any) -> None:
    config.mdx_configs["toc"]["slugify"] = heading_anchor


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    pages = [f"docs/{each.src_uri}" for each in files.documentation_pages()]
    for path in linked_outside(pages, _read):
        files.append(File.generated(config, site_path(path), content=_copy_of(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    return with_site_links(markdown, repository_path(page.file.src_uri))


def on_post_page(output: str, page: Any, **_: Any) -> str:
    for tag in loaded_from_elsewhere(output):
        _log.warning("%s loads something from another site: %s", page.file.src_uri, tag)
    return output


def loaded_from_elsewhere(html: str) -> list[str]:
    """The tags that make a browser ask another site; a link that a reader may follow does not."""
    return _LOADED.findall(html)


def heading_anchor(title: str, separator: str) -> str:
    """As GitHub makes it: "Plain, doubtful, none" is `plain-doubtful-none`."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", separator)


def linked_outside(pages: Iterable[str], read: Callable[[str], str]) -> list[str]:
    """Paths of the files outside docs/ that these pages link to, or that a linked page links to."""
    found: dict[str, None] = {}
    to_read = list(pages)
    while to_read:
        page = to_read.pop()
        for target in _targets(read(page), page):
            if not target.startswith("docs/") and target not in found:
                found[target] = None
                to_read += [target] if target.endswith(".md") else []
    return list(found)


def with_site_links(markdown: str, page: str) -> str:
    """The text of a page whose links lead to files of the site instead of the repository."""
    folder = posixpath.dirname(site_path(page))

    def rewritten(link: re.Match[str]) -> str:
        begin, target, end = link.groups()
        if _is_elsewhere(target):
            return link.group()
        return f"{begin}{posixpath.relpath(site_path(_resolved(target, page)), folder or '.')}{end}"

    return _LINK.sub(rewritten, markdown)


def site_path(path: str) -> str:
    """Where a file of the repository is on the site; what is not Markdown becomes a page that shows it."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"{_COPIES}{path}" if path.endswith(".md") else f"{_COPIES}{path}.md"


def repository_path(path: str) -> str:
    """The inverse of `site_path`, for Markdown."""
    return path.removeprefix(_COPIES) if path.startswith(_COPIES) else f"docs/{path}"


def _targets(markdown: str, page: str) -> Iterable[str]:
    found = (link.group(2) for link in _LINK.finditer(markdown))
    return [_resolved(target, page) for target in found if not _is_elsewhere(target)]


def _resolved(target: str, page: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), target))


def _is_elsewhere(target: str) -> bool:
    return "://" in target or target.startswith("mailto:")


def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _copy_of(path: str) -> str:
    if path.endswith(".md"):
        return _read(path)
    if (ROOT / path).is_dir():
        names = sorted(each.name for each in (ROOT / path).iterdir() if each.suffix in _LANGUAGES)
        return "\n".join([f"# {path}\n", *(f"- {name}" for name in names)])
    language = _LANGUAGES.get(Path(path).suffix, "text")
    return f"# {path}\n\n```{language}\n{_read(path)}\n```\n"
