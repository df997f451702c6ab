"""The studio as a client of an OpenID Connect provider: authorization code flow with PKCE, state and nonce.

authlib writes the requests and checks the claims of ID tokens, joserfc their signatures. This module limits
what they may fetch: only addresses in the provider's own document, over TLS, without redirects, bounded in
time and size.

OpenID Connect Core 1.0, sections 3.1 and 5.3; Discovery 1.0, section 4; RFC 7636; RFC 9207.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import orjson

from folkways_studio.errors import BusyError, NotAllowedError
from folkways_studio.people.single_sign_on import SingleSignOn, is_one_address, is_safe, secret_of

if TYPE_CHECKING:
    from authlib.oauth2.client import OAuth2Client
    from joserfc.jwk import KeySet

LOG = logging.getLogger("folkways_studio")
ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
)
"""Signatures that only the provider can make: no shared secret, and never unsigned."""

SCOPE = "openid email profile"
TIMEOUT_SECONDS = 10.0
MOST_BYTES = 512 * 1024
LEEWAY_SECONDS = 60
KNOWN_SECONDS = 600.0
"""How long the provider's document is cached. Its keys are fetched for every sign-in, because providers
change them at any time."""

AT_ONCE = 8
"""Concurrent sign-ins that wait for the provider, so that a slow one blocks nothing else."""

MALFORMED = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What unexpected JSON raises, here and in the libraries."""

DOCUMENT = "/.well-known/openid-configuration"
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


@dataclass(frozen=True, slots=True)
class PendingSignIn:
    """A sign-in in progress, known only to the browser that began it. state and nonce come back; verifier
    proves who began."""

    state: str
    nonce: str
    verifier: str

    @classmethod
    def new(cls) -> PendingSignIn:
        return cls(*(secrets.token_urlsafe(32) for _ in range(3)))


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the provider says somebody is. issuer and subject never change; the provider has verified email."""

    issuer: str
    subject: str
    email: str
    name: str


def domain_of(address: str) -> str | None:
    """The domain of an e-mail address, in lower case; None if the address lacks one of its halves, or has
    two ``@``, a space or an invisible character."""
    local, _, domain = address.partition("@")
    good = local and domain and "@" not in domain and " " not in address and address.isprintable()
    return domain.casefold() if good else None


class _UnusableAnswerError(Exception):
    """The provider's reply cannot be used; the message is for the server's log."""


class OpenIdProvider:
    """One provider. FolkwaysError if the client's secret is not set."""

    def __init__(self, described: SingleSignOn) -> None:
        secret_of(described)
        self.described = described
        self._places = BoundedSemaphore(AT_ONCE)
        self._known: tuple[float, Mapping[str, Any]] | None = None

    def begin(self, begun: PendingSignIn, back: str) -> str:
        """The provider's address at which somebody signs in. back: our address, to which it sends them.

        NotAllowedError, with a message for the person, if the provider cannot be reached or its reply cannot
        be used.
        """
        with self._asking():
            document = self._document()
            address, _ = self._client(document, back).create_authorization_url(
                document["authorization_endpoint"],
                state=begun.state,
                nonce=begun.nonce,
                code_verifier=begun.verifier,
            )
            return str(address)

    def finish(self, begun: PendingSignIn, back: str, answer: Mapping[str, str]) -> Identity:
        """The identity that the provider sent back. answer: the parameters it sent, with the state already
        checked.

        NotAllowedError as in ``begin`` (from _UnusableAnswerError), and for somebody whom the provider
        refused or who may not sign in here.
        """
        described = self.described
        if answer.get("error") == "access_denied":
            raise NotAllowedError("%(name)s did not let you in, or you cancelled", name=described.name)
        with self._asking():
            if answer.get("iss", described.issuer) != described.issuer:
                raise _UnusableAnswerError(f"the answer is of another issuer: {answer['iss'][:200]!r}")
            if "error" in answer or not answer.get("code"):
                parts = (answer.get("error", ""), answer.get("error_description", ""))
                raise _UnusableAnswerError(f"it sent no code, but the error {' '.join(parts)[:500]!r}")
            claims = self._claims(begun, back, answer["code"])
        return self._identity(claims)

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Turn errors into messages for the person and entries in the log."""
        from authlib.common.errors import AuthlibBaseError
        from joserfc.errors import JoseError

        from folkways.sdk.http import NoReplyError, ReplyTooLargeError

        if not self._places.acquire(blocking=False):
            raise BusyError("many people are signing in at this moment; try again in a moment")
        try:
            yield
        except NoReplyError as error:
            LOG.warning("%s cannot be asked: %s", self.described.issuer, error.reason)
            raise NotAllowedError(
                "%(name)s does not answer; try again in a moment", name=self.described.name
            ) from None
        except (_UnusableAnswerError, ReplyTooLargeError, AuthlibBaseError, JoseError, *MALFORMED) as error:
            LOG.warning("what %s answered cannot be used: %r", self.described.issuer, str(error)[:500])
            raise NotAllowedError(
                "what %(name)s answered cannot be used; tell whoever runs this server",
                name=self.described.name,
            ) from None
        finally:
            self._places.release()

    def _document(self) -> Mapping[str, Any]:
        """The provider's configuration."""
        if self._known is None or time.monotonic() - self._known[0] > KNOWN_SECONDS:
            document = self._json(self.described.issuer.rstrip("/") + DOCUMENT)
            if document.get("issuer") != self.described.issuer:
                raise _UnusableAnswerError(f"its document is of another issuer: {document.get('issuer')!r}")
            for name in (*ENDPOINTS, *(["userinfo_endpoint"] if "userinfo_endpoint" in document else [])):
                if not is_safe(document.get(name)):
                    raise _UnusableAnswerError(f"{name} {document.get(name)!r} is no address with https://")
            self._known = (time.monotonic(), document)
        return self._known[1]

    def _client(self, document: Mapping[str, Any], back: str) -> OAuth2Client:
        from authlib.oauth2.client import OAuth2Client

        secret = secret_of(self.described)
        ways = document.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        way = "client_secret_basic" if "client_secret_basic" in ways else "client_secret_post"
        return OAuth2Client(
            _TokenSession(self),
            self.described.client_id,
            secret,
            token_endpoint_auth_method=way if secret else "none",
            scope=SCOPE,
            redirect_uri=back,
            code_challenge_method="S256",
        )

    def _claims(self, begun: PendingSignIn, back: str, code: str) -> Mapping[str, Any]:
        """What the provider says about the person: in the ID token and, if needed claims are missing there,
        from its userinfo endpoint."""
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.jws import JWSRegistry

        document = self._document()
        tokens = self._client(document, back).fetch_token(
            document["token_endpoint"], code=code, code_verifier=begun.verifier
        )
        if not isinstance(tokens.get("id_token"), str):
            raise _UnusableAnswerError("there is no ID token in its answer")
        keys = _usable_keys(self._json(document["jwks_uri"])["keys"])
        # some providers add headers of their own
        registry = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
        token = jwt.decode(tokens["id_token"], keys, registry=registry)
        client = self.described.client_id
        claims = CodeIDToken(
            token.claims,
            token.header,
            {
                "iss": {"value": self.described.issuer},
                "aud": {"value": client},
                "sub": {"allow_blank": False},
            },
            {"nonce": begun.nonce, "client_id": client},
        )
        claims.validate(leeway=LEEWAY_SECONDS)
        if {"email", *self.described.claims} <= claims.keys() or "userinfo_endpoint" not in document:
            return dict(claims)
        more = self._json(
            document["userinfo_endpoint"], headers={"Authorization": f"Bearer {tokens['access_token']}"}
        )
        if more.get("sub") != claims["sub"]:
            raise _UnusableAnswerError("its two answers are about different people")
        # email_verified is only valid for the address in the same reply.
        mail = claims if "email" in claims else more
        return {**more, **claims, "email": mail.get("email"), "email_verified": mail.get("email_verified")}

    def _identity(self, claims: Mapping[str, Any]) -> Identity:
        described = self.described
        email, subject, name = (str(claims.get(key) or "") for key in ("email", "sub", "name"))
        domain = domain_of(email)
        if claims.get("email_verified") is not True or domain is None:
            raise NotAllowedError(
                "%(name)s does not say that your e-mail address has been verified", name=described.name
            )
        allowed = not described.domains or domain in described.domains
        for claim, wanted in described.claims.items():
            value = claims.get(claim)
            allowed = allowed and (wanted in value if isinstance(value, list) else value == wanted)
        usable = is_one_address(email) and len(email) <= 256
        if not allowed or not usable or not subject.isprintable() or len(subject) > 255:
            raise NotAllowedError("your account at %(name)s may not sign in here", name=described.name)
        return Identity(described.issuer, subject, email, name if name.isprintable() else "")

    def _json(self, address: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The JSON object at an address."""
        status, content = self.ask("GET", address, headers)
        if status != 200:
            raise _UnusableAnswerError(f"{address} answered {status}")
        document = orjson.loads(content)
        if not isinstance(document, dict):
            raise _UnusableAnswerError(f"{address} did not answer with a JSON object")
        return document

    def ask(
        self, method: str, address: str, headers: Mapping[str, str] | None = None, body: str | None = None
    ) -> tuple[int, bytes]:
        """Status and content of a reply from ``address``. method, headers, body: the request. TimeoutError if
        it is late; _UnusableAnswerError if it is too large."""
        from folkways.sdk.http import ask_once

        reply = ask_once(
            method,
            address,
            headers={"Accept": "application/json", **(headers or {})},
            body=body.encode() if body is not None else None,
            most_bytes=MOST_BYTES,
            seconds=TIMEOUT_SECONDS,
        )
        return reply.status, reply.content


def _usable_keys(keys: list[Any]) -> KeySet:
    """A provider's keys without those that are not understood here, as RFC 7517, section 5, wants it: of
    other kinds and curves, or lacking something."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from joserfc.errors import JoseError
    from joserfc.jwk import JWKRegistry, KeySet

    usable = []
    for each in keys:
        with suppress(JoseError, UnsupportedAlgorithm, *MALFORMED):
            usable.append(JWKRegistry.import_key(each))
    return KeySet(usable)


class _TokenSession:
    """The session with which authlib requests the token."""

    def __init__(self, provider: OpenIdProvider) -> None:
        self.provider = provider

    def post(
        self, url: str, *, data: Mapping[str, str], headers: Mapping[str, str], auth: Any
    ) -> _TokenReply:
        address, sent, body = auth.prepare("POST", url, dict(headers), urlencode(data))
        return _TokenReply(*self.provider.ask("POST", address, sent, body))


@dataclass(frozen=True, slots=True)
class _TokenReply:
    status_code: int
    content: bytes

    def json(self) -> Any:
        return orjson.loads(self.content)

    def raise_for_status(self) -> None:
        raise _UnusableAnswerError(f"its token endpoint answered {self.status_code} without a JSON object")
