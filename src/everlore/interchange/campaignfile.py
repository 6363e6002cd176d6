"""One campaign as a lossless file: JSON Lines, or the same lines as one JSON document (G10, G12, M13). Pure.

A header, a line for each record as in the file of a whole workspace, and an end with the counts and a checksum. It
contains no date and no place: the same campaign always gives the same bytes. Start at `write_campaign` and
`read_campaign`.
"""

import gzip
import io
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from everlore.domain.campaign import Campaign
from everlore.errors import BadAsk
from everlore.interchange.lines import (
    NAMES,
    LineTally,
    end_line,
    kind_of,
    name_of,
    parse,
    read_end,
    read_line,
    record_line,
)
from everlore.store.export_order import CARRIED
from everlore.store.port import ImportRecord

FORMAT = 1
MOST_BYTES = 500_000_000
Format = Literal["jsonl", "json"]
_NAME = "campaign"
_MAGIC = b"\x1f\x8b"
_AGAIN = "Export or copy it again."
_ORDER = {kind: at for at, kind in enumerate(CARRIED)}


@dataclass(frozen=True, slots=True)
class CampaignFile:
    """The records of a file, in order, with their line numbers."""

    campaign: Campaign
    brings: tuple[ImportRecord, ...]
    lines: tuple[int, ...]


def write_campaign(campaign_id: str, brings: Sequence[ImportRecord], *, format: Format = "jsonl") -> bytes:
    ordered = sorted(brings, key=lambda each: (_ORDER[type(each.record)], each.record.id))
    tally = LineTally()
    lines = []
    for bring in ordered:
        line = record_line(bring)
        tally.add(name_of(type(bring.record)), line)
        lines.append(line)
    counts = {name: number for name, number in tally.counts.items() if number}
    header = json.dumps(_header(campaign_id, counts), separators=(",", ":")).encode() + b"\n"
    end = end_line(counts, tally.checksum)
    if format == "jsonl":
        return b"".join([header, *lines, end])
    return b'{"header":%b,"records":[\n%b\n],\n"end":%b}\n' % (
        header.strip(),
        b",\n".join(line.strip() for line in lines),
        end.strip(),
    )


def _header(campaign_id: str, counts: dict[str, int]) -> dict[str, Any]:
    return {"everlore": _NAME, "format": FORMAT, "id": campaign_id, "counts": counts}


def read_campaign(data: bytes, workspace: str, *, replace: bool = False) -> CampaignFile:
    """The whole file, or an error that names the line."""
    raw = _unpacked(data)
    rows = list(_rows(raw))
    header = _parsed(1, rows[0]) if rows else {}
    if header.get("everlore") != _NAME:
        raise BadAsk("This is no exported campaign: it does not begin as one. Choose a file that `export` wrote.")
    if header.get("format") != FORMAT:
        raise BadAsk(
            f"The file has format {header.get('format')!r}, and this Everlore reads {FORMAT}. "
            "A newer Everlore may have written it: import it with that one."
        )
    tally = LineTally()
    brings: list[ImportRecord] = []
    for number, row in enumerate(rows[1:], 2):
        value = _parsed(number, row)
        end = _at(number, read_end, value)
        if end is not None:
            _check_end(tally, header, end, is_last=number == len(rows))
            return _file(header, brings)
        tally.add(_at(number, kind_of, value), row)
        brings.append(_at(number, lambda value: read_line(value, workspace, replace=replace), value))
    raise BadAsk(f"The file stops before its last line: a part of it is missing. {_AGAIN}")


def _file(header: dict[str, Any], brings: Sequence[ImportRecord]) -> CampaignFile:
    campaigns = [each.record for each in brings if isinstance(each.record, Campaign)]
    found = next((each for each in campaigns if each.id == header.get("id")), None)
    if found is None:
        raise BadAsk(f"The campaign that the file is of is not in it. {_AGAIN}")
    return CampaignFile(found, tuple(brings), tuple(range(2, len(brings) + 2)))


def _rows(raw: bytes) -> Iterator[bytes]:
    """The lines, also of a file that is one JSON document."""
    if not raw.lstrip().startswith(b'{"header"'):
        yield from (line for line in raw.splitlines(keepends=True) if line.strip())
        return
    try:
        document = json.loads(raw)
        header, records, end = document["header"], document["records"], document["end"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadAsk(f"The file is not the JSON of a campaign: it is cut off or changed. {_AGAIN}") from None
    if not isinstance(records, list):
        raise BadAsk(f"The records of the file are not a list. {_AGAIN}")
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    for each in (header, *records, end):
        yield encode(each).encode("utf-8", "surrogatepass") + b"\n"


def _unpacked(data: bytes) -> bytes:
    if not data.startswith(_MAGIC):
        raw = data
    else:
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                raw = packed.read(MOST_BYTES + 1)
        except (EOFError, OSError, zlib.error) as error:
            raise BadAsk(f"The file cannot be unpacked ({error}): it is cut off or damaged. {_AGAIN}") from None
    if len(raw) > MOST_BYTES:
        raise BadAsk(f"The file has more than {MOST_BYTES:,} bytes. Carry the whole workspace instead.")
    return raw


def _parsed(number: int, row: bytes) -> dict[str, Any]:
    found: dict[str, Any] = _at(number, parse, row)
    return found


def _at(number: int, read: Any, value: Any) -> Any:
    """Adds the line number to errors."""
    try:
        return read(value)
    except BadAsk as error:
        raise BadAsk(f"Line {number:,} of the campaign's file: {error}") from None


def _check_end(tally: LineTally, header: dict[str, Any], end: tuple[Any, str], *, is_last: bool) -> None:
    counts, checksum = end
    every = dict.fromkeys(NAMES, 0)
    told = header.get("counts")
    if not isinstance(told, dict) or not (tally.counts == {**every, **counts} == {**every, **told}):
        raise BadAsk(f"The file counts other lines than it has: some are missing, or too many. {_AGAIN}")
    if checksum != tally.checksum:
        raise BadAsk(f"The checksum is not that of the file: a line was changed or damaged. {_AGAIN}")
    if not is_last:
        raise BadAsk(f"Something comes after the end of the campaign. {_AGAIN}")
