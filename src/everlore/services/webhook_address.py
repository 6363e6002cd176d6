"""Which addresses a webhook may have, so that it cannot be used to reach what only this machine's host may.

The host is resolved once for each delivery, and the connection goes to the address that was checked: a name that
resolves to another address a moment later gains nothing. Start at `check_address` and `resolve`.
"""

import asyncio
import ipaddress
import socket
from urllib.parse import urlsplit

from everlore.errors import BadAsk

_MOST_CHARS = 1_000


def check_address(url: str) -> None:
    """Refuse what can never be a valid address of a webhook."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    is_plain = url.isprintable() and " " not in url and len(url) <= _MOST_CHARS
    if parts.scheme not in {"http", "https"} or not host or not is_plain:
        raise BadAsk("The address of a webhook looks like https://example.org/hook. Give one like that.")
    if "@" in parts.netloc or parts.fragment:
        raise BadAsk("The address of a webhook must not hold a user, a password or anything after a '#'. Take it out.")
    if _is_refused(host):
        raise BadAsk(_refusal(host))


async def resolve(url: str) -> str:
    """The IP address to connect to."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(parts.hostname or "", port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise BadAsk(f"The host {parts.hostname} is not found ({error.strerror}). Correct the address.") from None
    addresses = [str(each[4][0]) for each in found]
    for address in addresses:
        if _is_refused(address):
            raise BadAsk(_refusal(address))
    return addresses[0]


def _refusal(host: str) -> str:
    return f"{host} is no address for a webhook: it is for this network link alone, or for many hosts. Use another."


def _is_refused(host: str) -> bool:
    """Link-local addresses serve the credentials of cloud machines. Private ones are allowed: receivers of those who
    host Everlore themselves usually have one, and only the owner registers webhooks."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_link_local or address.is_multicast or address.is_unspecified or address.is_reserved
