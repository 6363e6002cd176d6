"""Removes secrets from the input and output of tools (C2), and private details from what guests see (C12). Pure, and
linear in the length of the text: a hostile output costs no more than a harmless one (S-8).

Secrets are recognized by their shape (keys of known services, JWTs, private key blocks, passwords in addresses) or by
their name (`password`, `api_key`, `authorization` …), in nested JSON and in texts. Everything else stays: hashes, ids
and plain words are useful for search.

Start at `redacted` and `for_guests`.
"""

import re
from collections.abc import Callable, Mapping
from ipaddress import IPv6Address
from itertools import pairwise

from everlore.capture.plain import Plain

_MARK = "[redacted: "
_MOST_VALUE = 4_096


def mark(what: str) -> str:
    return f"{_MARK}{what}]"


# ── secrets by name ──────────────────────────────────────────────────────────────────────────────

# One word for each kind of secret: by the last word of a name, the label for its value.
_SECRET_WORDS: Mapping[str, str] = {
    "password": "password",
    "passwords": "password",
    "passwd": "password",
    "pwd": "password",
    "passphrase": "password",
    "passcode": "password",
    "secret": "secret",
    "secrets": "secret",
    "token": "token",
    "jwt": "token",
    "bearer": "token",
    "apikey": "api key",
    "apikeys": "api key",
    "authorization": "authorization",
    "authentication": "authorization",
    "cookie": "cookie",
    "cookies": "cookie",
    "credential": "credentials",
    "credentials": "credentials",
}
_KEYS_OF = frozenset(
    "api access private secret auth signing encryption master service account shared ssh client tls ssl session "
    "webhook license deploy stripe openai anthropic google azure aws github gitlab slack".split()
)
_PASS_OF = frozenset(
    "db database smtp imap ftp mail email mysql pg postgres redis mongo user admin root login basic auth proxy".split()
)
# Tokens that are no credentials: of pages and of texts.
_HARMLESS_TOKENS = frozenset(
    "next previous prev page continuation sync stop eos bos pad mask special unk sep cls start end first last".split()
)
# Under these names only a long random string counts as a secret.
_SUSPICIOUS = frozenset("key keys auth tokens signature sig session sid otp pass pin".split())
# Words that may follow the decisive one: password_confirmation, token_hash, secret2.
_BEHIND = frozenset("confirmation confirm repeat again value header hash encoded base".split())
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name[-128:])]


def secret_name(name: str) -> str | None:
    """The kind of secret under this name, if it is one: `DB_PASSWORD`, `x-api-key`, `clientSecret`."""
    words = _words(name)
    while len(words) > 1 and (words[-1] in _BEHIND or words[-1].isdigit()):
        words.pop()
    if not words:
        return None
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in ("key", "keys") and before in _KEYS_OF:
        return "private key" if before in ("private", "ssh") else "api key"
    if last == "token" and before in _HARMLESS_TOKENS:
        return None
    if last == "pass" and before in _PASS_OF:
        return "password"
    # PGPASSWORD, dbpassword, accesstoken: compounds without a separator.
    if len(last) > len("password") and last.endswith(("password", "passwd")):
        return "password"
    if last in ("accesstoken", "authtoken", "refreshtoken", "sessiontoken", "idtoken"):
        return "token"
    return _SECRET_WORDS.get(last)


def _is_suspicious(name: str) -> bool:
    words = _words(name)
    return bool(words) and words[-1] in _SUSPICIOUS


_LOOKED_AT = 512
_DIGIT, _SPACE = re.compile("[0-9]"), re.compile(r"\s")
_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_KINDS = str.maketrans("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "a" * 26 + "A" * 26 + "0" * 10)


def looks_random(text: str, *, least: int = 16) -> bool:
    """Whether it is a random string: long, without spaces, with digits, and frequent changes of character class."""
    head = text[:_LOOKED_AT]
    if len(head) < least or not _DIGIT.search(head) or _SPACE.search(head):
        return False
    kinds = head.translate(_KINDS)
    changes = sum(one != other for one, other in pairwise(kinds))
    return changes >= len(kinds) / 8


# ── secrets by shape ─────────────────────────────────────────────────────────────────────────────

# Starts where no letter precedes. Each position is tried once: quantifiers are possessive or bounded.
_B = r"(?<![A-Za-z0-9_-])"
_SHAPES: tuple[tuple[re.Pattern[str], str, bool], ...] = (
    (re.compile(_B + r"eyJ[A-Za-z0-9_-]{6,}+\.[A-Za-z0-9_-]{6,}+(?:\.[A-Za-z0-9_-]*+)?"), "token", False),
    (re.compile(_B + r"everlore_[A-Za-z0-9_-]++(?:\.[A-Za-z0-9_-]++){2}"), "token", False),
    (re.compile(_B + r"(?:gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_[A-Za-z0-9_]{20,}+)"), "token", False),
    (re.compile(_B + r"glpat-[A-Za-z0-9_-]{16,}+"), "token", False),
    (re.compile(_B + r"(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}+"), "token", True),
    (re.compile(r"hooks\.slack\.com/services/[A-Za-z0-9/]{20,}+"), "token", False),
    (re.compile(_B + r"(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}(?![A-Za-z0-9])"), "api key", False),
    (re.compile(_B + r"sk-[A-Za-z0-9_-]{20,}+"), "api key", True),
    (re.compile(_B + r"(?:[srp]k_(?:live|test)_|whsec_)[A-Za-z0-9]{10,}+"), "api key", False),
    (re.compile(_B + r"AIza[A-Za-z0-9_-]{35}"), "api key", False),
    (re.compile(_B + r"ya29\.[A-Za-z0-9_-]{20,}+"), "token", False),
    (re.compile(_B + r"(?:npm_|hf_|dop_v1_|gsk_|xai-|r8_)[A-Za-z0-9]{20,}+"), "api key", True),
    (re.compile(_B + r"pypi-[A-Za-z0-9_-]{40,}+"), "token", False),
    (re.compile(_B + r"SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+"), "api key", False),
    # The same in base64, as in a kubeconfig: "-----BEGIN".
    (re.compile(_B + r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,}+={0,2}"), "private key", False),
    (re.compile(_B + r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"), "token", False),
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)([ \t]{1,4})([A-Za-z0-9._~+/-]{12,}+={0,2})")
_IN_ADDRESS = re.compile(r"(://[^\s:/@?#\[\]]{0,128}:)([^\s/\"'<>]{1,256})(?=@)")
_CURL_USER = re.compile(r"((?:^|(?<=\s))(?:-u|--user)[ =][\"']?[^\s:\"']{1,64}:)([^\s\"']{1,256})")
_SSHPASS = re.compile(r"(\bsshpass[ ]{1,4}-p[ ]{0,4}[\"']?)([^\s\"']{1,256})")
_ELEMENT = re.compile(r"(<([A-Za-z0-9_.:-]{2,64})>)([^<\n]{1,512})(?=</)")
_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# Without one of these words the text has no name of a secret.
_HINT = re.compile(r"(?i)pass|pwd|secret|token|jwt|bearer|key|auth|cookie|credential|sig|session|sid|otp")
# A name and its separator; quotes may be escaped, as in JSON within JSON.
_NAMED = re.compile(
    r"(?<![A-Za-z0-9_.-])(?:(--[A-Za-z][A-Za-z0-9_-]{1,63}+)[ \t]{1,3}(?=[^\s-])|"
    r"((?:(?:[Aa]pi|API|[Aa]ccess|[Ss]ecret|[Pp]rivate) )?[A-Za-z0-9_.-]{2,64}+)"
    r"(?:\\{0,3}[\"'`])?[ \t]{0,3}(=>|:=|=(?!=)|:)[ \t]{0,3})"
)
_QUOTED = re.compile(r"\\{0,3}([\"'`])")
_PLAIN_VALUE = re.compile(r"[^\s,;&\"'`<>(){}\[\]]{1,4096}")
# Contains no separator, so no text is scanned again for a second name.
_CHANCE_VALUE = re.compile(r"\\{0,3}[\"'`]?([A-Za-z0-9+/%_.~-]{20,512}+)")
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token|digest|apikey)[ \t]{1,4}")
_REST_OF_LINE = re.compile(r"[ \t]*(?:[,;}\])#&\"'`\\]|$|\r?\n)", re.MULTILINE)
_NO_VALUE = frozenset("null none true false undefined nil yes no required optional string str".split())


def redacted_text(text: str) -> str:
    """Replaces each secret by a mark. Applying it twice changes nothing."""
    if len(text) < 6:
        return text
    text = _without_key_blocks(text)
    text = _without_named(text) if _HINT.search(text) else text
    text = _IN_ADDRESS.sub(_keep_first("password"), text)
    text = _CURL_USER.sub(_keep_first("password"), text) if "-u" in text else text
    text = _SSHPASS.sub(_keep_first("password"), text) if "sshpass" in text else text
    text = _ELEMENT.sub(_element, text) if "</" in text else text
    text = _BEARER.sub(_bearer, text)
    for shape, what, only_random in _SHAPES:
        text = shape.sub(_marked(what, only_random=only_random), text)
    return text


def _marked(what: str, *, only_random: bool) -> Callable[[re.Match[str]], str]:
    def replaced(match: re.Match[str]) -> str:
        return match[0] if only_random and not _has_random_part(match[0]) else mark(what)

    return replaced


def _has_random_part(text: str) -> bool:
    """Matches `sk-proj-4fA8…`, but not `sk-learn-contrib-lightning`."""
    return any(looks_random(part, least=10) for part in re.split("[-_]", text)) or looks_random(text, least=20)


def _keep_first(what: str) -> Callable[[re.Match[str]], str]:
    return lambda match: match[0] if match[2].startswith(_MARK) else f"{match[1]}{mark(what)}"


def _bearer(match: re.Match[str]) -> str:
    """A token is no plain word: "bearer certificates" and "basic instructions" stay."""
    value = match[3]
    is_word = value.isalpha() and value in (value.lower(), value.capitalize(), value.upper())
    is_words = all(part.isalpha() and part in (part.lower(), part.capitalize()) for part in re.split("[-./]", value))
    return match[0] if is_word or is_words else f"{match[1]}{match[2]}{mark('token')}"


def _element(match: re.Match[str]) -> str:
    """Redacts `<password>hunter2</password>`."""
    what = secret_name(match[2])
    is_plain = what is None or match[3].startswith(_MARK) or not match[3].strip()
    return match[0] if is_plain else f"{match[1]}{mark(what or '')}"


def _without_key_blocks(text: str) -> str:
    """By hand: a lazy pattern would scan to the end of the text for each block without an end."""
    parts: list[str] = []
    at = 0
    while (begin := _KEY_BEGIN.search(text, at)) is not None:
        parts += [text[at : begin.start()], mark("private key")]
        end = _KEY_END.search(text, begin.end())
        at = end.end() if end else len(text)
    return "".join((*parts, text[at:])) if parts else text


def _without_named(text: str) -> str:
    """Redacts `password=hunter2`, `"api_key": "…"`, `Authorization: Bearer …`, `--token …`. The values of harmless
    names are searched for further names; redacted text is not searched again."""
    parts: list[str] = []
    done = 0
    at = 0
    while (match := _NAMED.search(text, at)) is not None:
        at = match.end()
        name = match[1] or match[2]
        what = secret_name(name)
        value = _chance_at(text, match, name) if what is None else _value_at(text, match, what)
        if value is not None:
            start, end = value
            parts += [text[done:start], mark(what or "secret")]
            done = at = end
    return "".join((*parts, text[done:])) if parts else text


def _value_at(text: str, named: re.Match[str], what: str) -> tuple[int, int] | None:
    """The range of the value after a name, if there is one."""
    start = named.end()
    if text.startswith(_MARK, start):
        return None
    if quote := _QUOTED.match(text, start):
        return _quoted(text, quote)
    scheme = _SCHEME.match(text, start)
    value = _PLAIN_VALUE.match(text, scheme.end() if scheme else start)
    if value is None or text.startswith(_MARK, value.start()) or _is_none(value[0], what):
        return None
    if named[3] == ":" and scheme is None and not _stands_alone(text, value):
        return None
    return start, _cookies_end(text, value.start()) if what == "cookie" else value.end()


def _chance_at(text: str, named: re.Match[str], name: str) -> tuple[int, int] | None:
    """The range of a random string after a suspicious name."""
    value = _CHANCE_VALUE.match(text, named.end()) if _is_suspicious(name) else None
    return value.span(1) if value is not None and _is_chance(value[1]) else None


def _is_none(value: str, what: str) -> bool:
    """Words that only say whether there is a secret, and counts of tokens."""
    return value.lower() in _NO_VALUE or (what == "token" and value.isdigit())


def _quoted(text: str, quote: re.Match[str]) -> tuple[int, int] | None:
    begin, closing = quote.end(), quote[0]
    if text.startswith(_MARK, begin):
        return None
    end = text.find(closing, begin, begin + _MOST_VALUE)
    while end > begin and len(closing) == 1 and text[end - 1] == "\\":
        end = text.find(closing, end + 1, begin + _MOST_VALUE)
    if end < 0:
        # No end found: take everything up to the end of the line.
        line = text.find("\n", begin, begin + _MOST_VALUE)
        end = line if line >= 0 else min(begin + _MOST_VALUE, len(text))
    return (begin, end) if text[begin:end].strip() else None


def _cookies_end(text: str, start: int) -> int:
    """A cookie header is one value, including semicolons, up to the end of its line."""
    most = min(start + _MOST_VALUE, len(text))
    return min(end if (end := text.find(each, start, most)) >= 0 else most for each in ("\n", '"', "'"))


def _stands_alone(text: str, value: re.Match[str]) -> bool:
    """`password: swordfish` is a setting; "The password: it must be long" is prose."""
    if any(not each.isalpha() and each not in ".-'’" for each in value[0].rstrip(".!?")):
        return True
    return _REST_OF_LINE.match(text, value.end()) is not None


# ── in nested values ─────────────────────────────────────────────────────────────────────────────


def redacted(value: Plain) -> Plain:
    """Replaces each secret by a mark, at any depth."""
    match value:
        case str():
            return redacted_text(value)
        case list():
            return _redacted_list(value)
        case dict():
            return redacted_dict(value)
    return value


def redacted_dict(value: Mapping[str, Plain]) -> dict[str, Plain]:
    found: dict[str, Plain] = {}
    for key, each in value.items():
        found[_free(redacted_text(key), found)] = _under(key, each)
    # {"name": "API_KEY", "value": "…"}, as in lists of variables and headers.
    for name in ("name", "key", "header"):
        named = value.get(name)
        if isinstance(named, str) and "value" in value and (what := secret_name(named)) is not None:
            found["value"] = _hidden(value["value"], what)
    return found


def _free(key: str, taken: Mapping[str, Plain]) -> str:
    """Keeps two redacted keys distinct."""
    if not key.startswith(_MARK) or key not in taken:
        return key
    return next(name for number in range(2, len(taken) + 3) if (name := f"{key} {number}") not in taken)


def _under(name: str, value: Plain) -> Plain:
    what = secret_name(name)
    if what is not None:
        return _hidden(value, what)
    if _is_suspicious(name):
        return [_suspected(each) for each in value] if isinstance(value, list) else _suspected(value)
    return redacted(value)


def _suspected(value: Plain) -> Plain:
    return mark("secret") if isinstance(value, str) and _is_chance(value) else redacted(value)


def _is_chance(value: str) -> bool:
    return looks_random(value, least=20) and not _UUID.fullmatch(value)


def _hidden(value: Plain, what: str) -> Plain:
    """Hides every text and number. True, false and null only tell whether there is a value, and stay."""
    match value:
        case None | bool():
            return value
        case str():
            return value if not value.strip() or value.startswith(_MARK) else mark(what)
        case list():
            return [_hidden(each, what) for each in value]
        case dict():
            return {redacted_text(key): _hidden(each, what) for key, each in value.items()}
    # Numbers under "token" are counts; a numeric password is a secret.
    return value if what == "token" else mark(what)


def _redacted_list(values: list[Plain]) -> Plain:
    """Also redacts the item after a flag (`--password`, `hunter2`), and pairs of name and value."""
    found: list[Plain] = []
    hides: str | None = None
    for place, each in enumerate(values):
        found.append(_hidden(each, hides) if hides is not None and isinstance(each, str) else redacted(each))
        hides = _flag(each, is_pair=place == 0 and len(values) == 2)
    return found


def _flag(value: Plain, *, is_pair: bool) -> str | None:
    if not isinstance(value, str) or not (is_pair or value.startswith("-")) or "=" in value or " " in value:
        return None
    return secret_name(value)


# ── for guests ───────────────────────────────────────────────────────────────────────────────────

_PATHS = (
    re.compile(r"(?<![\w.~/\\:-])(?:file://)?~?/[\w.@+~-]{1,255}+(?:/[\w.@+~-]{0,255}+){1,64}"),
    re.compile(r"(?<![\w./\\:-])~[\w.-]{0,64}+/[\w.@+~/-]{0,1024}+"),
    re.compile(r"(?<!\w)[A-Za-z]:\\[^\s\"'<>|?*]{1,1024}"),
    re.compile(r"(?<![\w\\])\\\\[\w.-]{1,255}\\[^\s\"'<>|?*]{1,1024}"),
    re.compile(
        r"(?<![\w./\\:@-])\.{0,2}/?[\w-][\w.-]{0,255}(?:/[\w.-]{1,255}){0,32}/[\w.-]{0,250}\.[A-Za-z]\w{0,7}(?!\w)"
    ),
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}+@[\w-]{1,63}+(?:\.[\w-]{1,63}+){1,8}")
_IP4 = re.compile(r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\w|\.\d)")
_IP6 = re.compile(r"(?<![\w:])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:])")
_PHONE = re.compile(r"(?<![\w.+/:-])[+(]?\d[\d ()./-]{5,18}\d(?!\w)")
_LONG = re.compile(r"(?<![\w-])[A-Za-z0-9_-]{20,}+")
_AMERICAN = re.compile(r"\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}")


def for_guests(text: str) -> str:
    """Removes private details: paths, long tokens, e-mail, IP and phone numbers (C12, C4)."""
    text = redacted_text(text)
    text = _EMAIL.sub(mark("e-mail"), text)
    for path in _PATHS:
        text = path.sub(mark("path"), text)
    text = _IP4.sub(mark("address"), text)
    text = _IP6.sub(lambda match: mark("address") if _is_ip6(match[0]) else match[0], text)
    text = _PHONE.sub(lambda match: mark("phone number") if _is_phone(match[0]) else match[0], text)
    return _LONG.sub(lambda match: mark("token") if _is_id(match[0]) else match[0], text)


def _is_ip6(text: str) -> bool:
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return text.strip(":") != ""


def _is_phone(text: str) -> bool:
    """International, American, or with the leading zero of a trunk call; never a date, a range or a count."""
    digits = sum(each.isdigit() for each in text)
    if not 7 <= digits <= 15:
        return False
    if text.startswith("+"):
        return True
    if _AMERICAN.fullmatch(text.strip()):
        return True
    return text.startswith(("0", "(0")) and digits >= 9 and any(each in " /-()" for each in text)


def _is_id(text: str) -> bool:
    return bool(_UUID.fullmatch(text)) or any(looks_random(part) for part in re.split("[-_]", text))
