"""What nobody wants to find in a memory: passwords, numbers of cards and accounts, keys (S-2). Pure.

In: a statement, and the message that it came from. Out: whether it gives a secret away, or a part of one. That somebody
has a password, or has forgotten it, is no secret.

Start at `holds_secret`.
"""

import re

# What a secret is called, in the languages that we know most of.
_NAME = (
    r"passwords?|passcodes?|passphrases?|passwd|pwd|pin|pins|pin code|cvv|cvc|cvv2|ssn|social security number|"
    r"(?:credit |debit |bank )?card number|account number|routing number|sort code|iban|api[ -]?keys?|"
    r"(?:access|bearer|auth|api) token|private key|secret key|seed phrase|recovery (?:code|phrase)|security code|"
    r"credentials|log[- ]?in|passwort|kennwort|pin-?nummer|contraseña|clave|mot de passe|senha|wachtwoord|hasło|"
    r"lösenord|sozialversicherungsnummer|kontonummer|kartennummer"
)
_NAMED = re.compile(rf"\b(?:{_NAME})\b", re.IGNORECASE)
# Behind its name stands the value: "is swordfish", ": 1234".
_GIVEN = re.compile(
    rf"\b(?:{_NAME})\b['’]?s?(?: (?:for|to|of|on) [^,.;:]{{1,40}}?)?(?:\s(?:is|was|ist|es|est|é|è)|\s?[:=])\s",
    re.IGNORECASE,
)
_NOT_GIVEN = re.compile(
    r"\s(?:is|was|ist|es|est|é|è)\s(?:not |still |too |very |always |now )*(?:weak|strong|secure|long|short|lost|"
    r"forgotten|expired|wrong|compromised|stolen|saved|unknown|hard|easy|old|new|different|the same|secret)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(r"(?<!\w)(?=[^\s]*\d)[^\s,;()]{3,}")
_SENTENCE_END = re.compile(r"[.!?]\s|\n")
# Cards have 13 to 19 digits, in groups or not; so have the numbers of accounts.
_LONG_NUMBER = re.compile(r"(?<!\d)\d(?:[ -]?\d){11,18}(?!\d)")
_SSN = re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")
_KEY = re.compile(r"(?<![\w-])(?:sk|pk|rk|ghp|gho|xox[a-z]|glpat|AKIA|eyJ|hf|npm)[-_A-Za-z0-9.]{12,}")


def holds_secret(statement: str, message: str = "") -> bool:
    if _LONG_NUMBER.search(statement) or _SSN.search(statement) or _KEY.search(statement):
        return True
    named = _NAMED.search(statement)
    if named is not None and _VALUE.search(statement):
        return True
    if _GIVEN.search(statement) is not None and _NOT_GIVEN.search(statement) is None:
        return True
    return any(value in statement for value in _values_in(message))


def _values_in(message: str) -> set[str]:
    """Secrets that were told, and the last digits of long numbers."""
    values = {found.group().strip(".!?'\"") for named in _NAMED.finditer(message) for found in _near(message, named)}
    for number in (*_LONG_NUMBER.finditer(message), *_SSN.finditer(message)):
        values.add(number.group())
        values.add(re.sub(r"\D", "", number.group())[-4:])
    values |= {found.group() for found in _KEY.finditer(message)}
    return {value for value in values if len(value) >= 4}


def _near(message: str, named: re.Match[str]) -> list[re.Match[str]]:
    """Within the same sentence, and not far behind the name."""
    end = _SENTENCE_END.search(message, named.end())
    last = min(named.end() + 60, end.start() if end else len(message))
    return [*_VALUE.finditer(message, named.end(), last)][:2]
