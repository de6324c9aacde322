"""Where a request comes from, also when proxies stand in between."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from bottega.table.settings import networks

Address = IPv4Address | IPv6Address
SITE = 64  # bits of an IPv6 address that a provider gives to one home


def read(text: str) -> Address | None:
    """The address that a text names, perhaps with a port; nothing if there is none in it."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


@lru_cache(4096)
def home_of(host: str) -> str:
    """What counts as one address: with IPv6, all that one home has."""
    found = read(host)
    if isinstance(found, IPv6Address):
        return str(IPv6Network((int(found), SITE), strict=False))
    return str(found or host)


def host_of(scope: Scope) -> str:
    """The address of whoever asks, as far as it is known."""
    host, _ = scope.get("client") or ("", 0)
    return str(host)


class Proxies:
    """The web servers before this one, whose word is taken for where a request comes from."""

    def __init__(self, said: str) -> None:
        self._networks = networks(said)

    def has(self, host: str) -> bool:
        found = read(host)
        return found is not None and any(found in network for network in self._networks)

    def origin(self, host: str, forwarded: str) -> str:
        """The last address on the way here that is not one of ours; what stands before it in the
        header may be made up."""
        for told in reversed(forwarded.split(",")):
            before = read(told)
            if before is None or not self.has(host):
                break
            host = str(before)
        return host


class Origin:
    """Outside everything else: puts the visitor's address and scheme in the place of a proxy's."""

    def __init__(self, app: ASGIApp, proxies: Proxies) -> None:
        self.app = app
        self.proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = host_of(scope)
        if scope["type"] == "http" and self.proxies.has(host):
            scope = {**scope, **self._told(host, Headers(scope=scope))}
        await self.app(scope, receive, send)

    def _told(self, proxy: str, headers: Headers) -> dict[str, object]:
        """What a proxy says of the request that it passes on."""
        forwarded = ",".join(headers.getlist("x-forwarded-for"))
        told: dict[str, object] = {"client": (self.proxies.origin(proxy, forwarded), 0)}
        scheme = headers.get("x-forwarded-proto", "").strip().lower()
        return told | ({"scheme": scheme} if scheme in ("http", "https") else {})
