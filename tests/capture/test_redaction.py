"""Secrets are kept out of what is stored, guests are not shown what is not theirs, and the rest stays as it is (C2,
C12)."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.capture.plain import plain, to_json
from everlore.capture.redaction import for_guests, looks_random, redacted, redacted_text, secret_name
from tests.growth import outgrows_its_text
from tests.soak import look

# Put together here, so that no file of the repository looks as if it held a key.
CHANCE = "4fA8kQ2mZ7xW1cV9bN3rT6yU"
HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
OPENAI = "sk-" + "proj-" + CHANCE * 2
GITHUB = "ghp" + "_" + CHANCE + "ABCDEF123456"
SLACK = "xoxb" + "-123456789012-123456789012-" + CHANCE
AWS = "AKIA" + "IOSFODNN7EXAMPLE"
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + CHANCE
OURS = "everlore" + "_aGVyZQ.01hx3f9k2m." + CHANCE
KEY_BLOCK = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\nabc/def+\n-----END RSA " + "PRIVATE KEY-----"

# ── by shape ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("secret", "what"),
    [
        (OPENAI, "api key"),
        (GITHUB, "token"),
        ("github_pat" + "_" + CHANCE, "token"),
        (SLACK, "token"),
        (AWS, "api key"),
        (JWT, "token"),
        (OURS, "token"),
        (KEY_BLOCK, "private key"),
        ("AIza" + (CHANCE * 2)[:35], "api key"),
        ("sk" + "_live_" + CHANCE, "api key"),
        ("glpat" + "-" + CHANCE, "token"),
        ("hf" + "_" + CHANCE + CHANCE, "api key"),
    ],
)
def test_a_secret_of_a_known_shape_leaves_a_mark_in_its_place(secret: str, what: str) -> None:
    """C2."""
    assert redacted_text(f"It said {secret}, and went on.") == f"It said [redacted: {what}], and went on."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Authorization: Bearer abc.def-ghi_123456", "Authorization: [redacted: authorization]"),
        ("authorization: Basic dXNlcjpwYXNzd29yZA==", "authorization: [redacted: authorization]"),
        ("curl -H 'X-Auth: Bearer 0123456789abcdef'", "curl -H 'X-Auth: Bearer [redacted: token]'"),
        ("postgresql://ann:pa:ss@db.test/lore", "postgresql://ann:[redacted: password]@db.test/lore"),
        ("https://ann:hunter2@host.test:80/x", "https://ann:[redacted: password]@host.test:80/x"),
        ("password=hunter2&user=ann", "password=[redacted: password]&user=ann"),
        ("DB_PASSWORD = 'hunter two'", "DB_PASSWORD = '[redacted: password]'"),
        ("PGPASSWORD=hunter2 psql", "PGPASSWORD=[redacted: password] psql"),
        ("export OPENAI_API_KEY=whatever", "export OPENAI_API_KEY=[redacted: api key]"),
        ('{"user": "ann", "api_key": "whatever"}', '{"user": "ann", "api_key": "[redacted: api key]"}'),
        ('{\\"password\\": \\"hunter2\\"}', '{\\"password\\": \\"[redacted: password]\\"}'),
        ("password: swordfish", "password: [redacted: password]"),
        ("user: ann\npassword: swordfish\nhost: x", "user: ann\npassword: [redacted: password]\nhost: x"),
        ("My password: hunter2 is old", "My password: [redacted: password] is old"),
        ("Cookie: id=1; session=abc\nHost: x", "Cookie: [redacted: cookie]\nHost: x"),
        ("mysql --password hunter2 --host x", "mysql --password [redacted: password] --host x"),
        ("mysql --password=hunter2", "mysql --password=[redacted: password]"),
        ("curl -u ann:hunter2 http://x", "curl -u ann:[redacted: password] http://x"),
        ("a=b;token=whatever;c=d", "a=b;token=[redacted: token];c=d"),
        ("<password>hunter2</password>", "<password>[redacted: password]</password>"),
        ("API key: abcdef1234567890 works", "API key: [redacted: api key] works"),
        ("sshpass -p hunter2 ssh x", "sshpass -p [redacted: password] ssh x"),
        ("SMTP_PASS=hunter2", "SMTP_PASS=[redacted: password]"),
        ("STRIPE_KEY=whatever", "STRIPE_KEY=[redacted: api key]"),
        (f"https://x.test/a?sv=2020&sig={CHANCE}", "https://x.test/a?sv=2020&sig=[redacted: secret]"),
        (
            "client-key-data: LS0tLS1CRUdJTi" + "BSU0EgUFJJVkFURSBLRVktLS0tLQo=",
            "client-key-data: [redacted: private key]",
        ),
        ('secret="no end in sight', 'secret="[redacted: secret]'),
    ],
)
def test_a_secret_in_a_text_is_found_by_its_name(text: str, expected: str) -> None:
    """C2."""
    assert redacted_text(text) == expected


def test_a_key_block_without_an_end_takes_the_rest_with_it() -> None:
    """C2: half of a key is too much."""
    assert redacted_text(f"so: {KEY_BLOCK[:60]}") == "so: [redacted: private key]"


# ── in nested values ─────────────────────────────────────────────────────────────────────────────


def test_secrets_are_found_however_deep_they_are_nested() -> None:
    """C2."""
    value: Any = {
        "url": "https://api.test",
        "headers": {"Authorization": "Bearer x", "Accept": "text/html"},
        "users": [{"name": "Ann", "password": "hunter2", "pin_code": 1}],
        "clientSecret": "s",
        "cookies": {"session": "abc"},
        "note": f"use {GITHUB}",
        "auth": {"key": CHANCE},
    }

    assert redacted(value) == {
        "url": "https://api.test",
        "headers": {"Authorization": "[redacted: authorization]", "Accept": "text/html"},
        "users": [{"name": "Ann", "password": "[redacted: password]", "pin_code": 1}],
        "clientSecret": "[redacted: secret]",
        "cookies": {"session": "[redacted: cookie]"},
        "note": "use [redacted: token]",
        "auth": {"key": "[redacted: secret]"},
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["mysql", "--password", "hunter2", "-h", "x"], ["mysql", "--password", "[redacted: password]", "-h", "x"]),
        ([["Authorization", "Bearer x"]], [["Authorization", "[redacted: authorization]"]]),
        ([{"name": "API_KEY", "value": "x"}], [{"name": "API_KEY", "value": "[redacted: api key]"}]),
        ({"password": 1234}, {"password": "[redacted: password]"}),
        ({"token": None, "has_token": True, "password": ""}, {"token": None, "has_token": True, "password": ""}),
        ({GITHUB: 1, f"{GITHUB}9": 2}, {"[redacted: token]": 1, "[redacted: token] 2": 2}),
        ({"session": HEX}, {"session": "[redacted: secret]"}),
        ({"keys": [CHANCE, "a"]}, {"keys": ["[redacted: secret]", "a"]}),
    ],
)
def test_the_shapes_that_tools_have_are_known(value: Any, expected: Any) -> None:
    """C2: command lines, headers as pairs, variables as records."""
    assert redacted(value) == expected


# ── what must not be redacted ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "The password: it must be long, and nobody may know it.",
        "She forgot her password, and asked for a new token of his love.",
        "Secrets of the old house: the cellar, the attic.",
        "bearer certificates and basic instructions",
        "The key to the city is 1,200 years old.",
        "On 2025-11-06T12:34:56.789Z it used 512 tokens: 300 in, 212 out.",
        "max_tokens=4096, token_count: 12, prompt_tokens=300, token: 512",
        f"{HEX}  src/app.py\nd41d8cd98f00b204e9800998ecf8427e  README.md",
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "id 123e4567-e89b-12d3-a456-426614174000 was not found",
        "sk-learn-contrib-lightning-and-friends is a package",
        "https://example.com:8080/path?page=2&next_page_token=abc@x",
        "password=null, api_key: none, authorization required",
        "def keyboard(layout: str) -> monkey: turnkey = donkey",
        "/home/ann/notes/2024-05-31.md, 42 lines",
        "Mix 2 eggs: 1 cookie: chocolate chip, please.",
        "assert token == other, 'tests pass: 12, all_pass: 3'",
        "<passage>the key to it</passage> session: 5, sig=short",
    ],
)
def test_plain_words_dates_ids_and_hashes_stay(text: str) -> None:
    """C2: what is kept must be worth finding again."""
    assert redacted_text(text) == text


@pytest.mark.parametrize(
    "value",
    [
        {"id": "123e4567-e89b-12d3-a456-426614174000", "sha256": HEX, "etag": CHANCE},
        {"key": "user-settings", "keys": ["a", "b"], "key_id": "123e4567-e89b-12d3-a456-426614174000"},
        {"key": "123e4567-e89b-12d3-a456-426614174000"},
        {"tokens": ["the", "cat"], "max_tokens": 512, "token": 5, "next_token": CHANCE},
        {"files": [{"path": "src/app.py", "hash": HEX}], "monkey": "banana", "author": "Ann"},
    ],
)
def test_values_that_open_nothing_stay(value: Any) -> None:
    """C2."""
    assert redacted(value) == value


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("password", "password"),
        ("userPassword", "password"),
        ("new_password2", "password"),
        ("password_confirmation", "password"),
        ("X-Api-Key", "api key"),
        ("APIKey", "api key"),
        ("aws_secret_access_key", "api key"),
        ("sshPrivateKey", "private key"),
        ("refresh_token", "token"),
        ("set-cookie", "cookie"),
        ("primary_key", None),
        ("token_count", None),
        ("passage", None),
        ("compass", None),
        ("secretary", None),
        ("page_token", None),
        ("", None),
    ],
)
def test_a_name_says_what_its_value_is(name: str, what: str | None) -> None:
    assert secret_name(name) == what


@pytest.mark.parametrize(
    ("text", "random"),
    [(HEX, True), (CHANCE, True), ("internationalization2024", False), ("hunter2", False), ("a b 1 " * 9, False)],
)
def test_chance_is_told_from_words(text: str, random: bool) -> None:
    assert looks_random(text) is random


# ── always ───────────────────────────────────────────────────────────────────────────────────────


_PIECES = [*"abK9 =:\"'\\-_./@{}[]\n", "password", "token", "Bearer ", "eyJ", "cookie: ", "://", "--secret ", "hunter2"]


@settings(max_examples=look(150, 1_000), deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=40).map("".join))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redacted_text(text)

    assert redacted_text(once) == once


@given(st.text(min_size=1, max_size=40), st.sampled_from(["password", "api_key", "Authorization", "cookie", "secret"]))
def test_nothing_under_the_name_of_a_secret_survives(value: str, name: str) -> None:
    """C2: whatever it is, in JSON."""
    shown = to_json(redacted({"outer": [{name: f"<<{plain(value)}>>"}]}))

    assert "<<" not in shown


@pytest.mark.parametrize(
    "piece",
    [
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "-eyJ",
        "eyJaaaaaa.",
        'password="',
        'password="\\"',
        "password=",
        "--password ",
        "cookie: ",
        "://a:",
        "a@",
        "sk-",
        "bearer a",
        "/a",
        "a/",
        "a.b/",
        "~/",
        "1.",
        "1:",
        "+1 ",
        "C:\\",
        "a-",
        "xoxb-",
        "=",
        "\\",
        "{",
        "everlore_a.",
        "AKIA",
        "<password>",
        "<password>a</",
        "api api ",
        "sig=",
        "0" * 9 + ":AA",
    ],
)
@pytest.mark.parametrize("clean", [redacted_text, for_guests])
def test_a_hostile_text_costs_no_more_than_its_length(piece: str, clean: Any) -> None:
    """S-8."""
    assert not outgrows_its_text(clean, piece, 100_000)


# ── for guests ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in /home/ann/notes.md it says", "in [redacted: path] it says"),
        ("/" + "Users/ann/Desktop and ~/work", "[redacted: path] and [redacted: path]"),
        ("C:\\Users\\ann\\notes.md", "[redacted: path]"),
        ("wrote src/everlore/app.py today", "wrote [redacted: path] today"),
        ("Error in /etc/nginx/nginx.conf:", "Error in [redacted: path]:"),
        ("write to ann.b+c@mail.example.org.", "write to [redacted: e-mail]."),
        ("from 192.168.0.17 to ::1 and 2001:db8::8a2e:370:7334", None),
        ("call +49 171 1234567 or (555) 123-4567 or 030/1234567", None),
        (f"with {CHANCE} in hand", "with [redacted: token] in hand"),
        ("id 123e4567-e89b-12d3-a456-426614174000", "id [redacted: token]"),
        (f"password=x {GITHUB}", "password=[redacted: password] [redacted: token]"),
    ],
)
def test_guests_are_not_shown_paths_tokens_mail_addresses_or_phone_numbers(text: str, expected: str | None) -> None:
    """C12."""
    shown = for_guests(text)

    if expected is not None:
        assert shown == expected
    else:
        assert not any(each.isdigit() for each in shown)


@pytest.mark.parametrize(
    "text",
    [
        "We met on 2025-11-06 at 12:34:56, and/or on 11/06/2025.",
        "See https://example.com/a/b.html for 1,234,567 reasons.",
        "He scored 3:2 and 10:15; version 1.2.3 is out, 1990-2000.",
        "The meeting is on 2025-11-06 12:30 in room 12345678.",
        "The well-known-and-much-loved-story-of-the-year",
        "Type /help, or 5/6 of it, 100 km/h.",
    ],
)
def test_guests_are_shown_plain_words_dates_times_and_links(text: str) -> None:
    """C12."""
    assert for_guests(text) == text


def test_what_is_redacted_is_still_json() -> None:
    value = {"a": [1, 2.5, None, True, {"password": "x", "text": 'He said "token=abc"'}]}

    assert json.loads(to_json(redacted(plain(value))))["a"][4]["password"] == "[redacted: password]"
