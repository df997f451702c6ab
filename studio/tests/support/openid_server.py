"""An OpenID Connect provider as a process of its own: it asks nobody anything and lets one person in, the one
it is told of.

    with OpenIdServer() as provider:
        provider.control(claims={"email": "me@example.org"}, fault="nonce")

It is as strict as a real one: codes work once, for the client that asked, with its secret, its address and
its proof (PKCE). ``fault`` makes it answer wrongly (FAULTS); ``/_stats`` lists what it was asked. Tokens are
signed with PyJWT, which the studio does not read them with.
"""

from __future__ import annotations

import base64
import json
import secrets
import time
from hashlib import sha256
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.support.server_process import Handler, ServerProcess, serve

CLIENT, SECRET = "studio-of-the-tests", "secret-of-the-tests"
PERSON = {"sub": "person-1", "email": "me@example.org", "email_verified": True, "name": "Mina Lee"}

CLAIMS: dict[str, dict[str, Any]] = {
    "nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "audience": {"aud": "another-client"},
    "audiences": {"aud": ["another-client", CLIENT]},  # and no word on which of them it was made for
    "issuer": {"iss": "https://another.example.org"},
    "expired": {"exp": int(time.time()) - 3600},
    "no end": {"exp": None},
    "no audience": {"aud": None},
    "empty audience": {"aud": ""},
    "no audiences": {"aud": []},
    "no subject": {"sub": None},
    "empty subject": {"sub": ""},
    "unverified": {"email_verified": False},
    "unverified in words": {"email_verified": "false"},
    "unsaid": {"email_verified": None},
    "no address": {"email": None},
}
"""Fault -> claims of an ID token that is well signed and must not be believed."""

DOCUMENTS: dict[str, dict[str, Any]] = {
    "document of another": {"issuer": "https://another.example.org"},
    "in the clear": {"token_endpoint": "http://login.example.org/token"},
    "no keys": {"jwks_uri": None},
}
ANSWERS: dict[str, tuple[str, bytes]] = {
    "deep": ("/token", b'{"id_token": ' + b"[" * 100_000),
    "no JSON": ("/token", b"<html>"),
    "a list": ("/.well-known/openid-configuration", b"[]"),
    "keys of another shape": ("/jwks", b'{"keys": "none"}'),
    "an error": ("/token", b'{"error": "temporarily_unavailable", "error_description": {"a": 1}}'),
}
"""Fault -> at which address which bytes come instead."""

SIGNATURES = ("alg none", "shared secret", "stranger's key", "tampered")
BROWSER = ("access_denied", "server_error", "no code", "issuer of the answer")
OTHER_KEYS: tuple[Any, ...] = (
    {"kty": "unheard of", "kid": "two"},
    {"kty": "EC", "crv": "P-1024", "x": "AQ", "y": "AQ", "kid": "three"},
    {"kty": "OKP", "crv": "X448", "x": "AQ", "kid": "four"},
    {"kty": "RSA", "n": "AQ", "e": "AQAB", "use": "wrap", "kid": "five"},
    {"kty": "RSA", "kid": "six"},
    {"kid": "seven"},
    "no key",
    None,
)
"""That a client does not understand, and leaves aside (RFC 7517, section 5)."""
FAULTS = (*CLAIMS, *DOCUMENTS, *ANSWERS, *SIGNATURES, *BROWSER, "elsewhere", "huge", "slow")


class OpenIdServer(ServerProcess):
    """The provider."""

    module: ClassVar[str] = "studio.tests.support.openid_server"


class Provider:
    """What the process knows."""

    def __init__(self) -> None:
        self.key, self.stranger = (
            rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2)
        )
        self.settings: dict[str, Any] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []

    @property
    def fault(self) -> str:
        return str(self.settings.get("fault", ""))

    @property
    def person(self) -> dict[str, Any]:
        return {**PERSON, **self.settings.get("claims", {})}

    def document(self) -> dict[str, Any]:
        places = {
            name: f"{Handler.url}/{path}"
            for name, path in (
                *(("authorization_endpoint", "authorize?theme=plain"), ("token_endpoint", "token")),
                *(("jwks_uri", "jwks"), ("userinfo_endpoint", "userinfo")),
            )
        }
        return {"issuer": Handler.url, **places, **DOCUMENTS.get(self.fault, {})}

    def keys(self) -> dict[str, Any]:
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [*OTHER_KEYS, {**key, "kid": "one", "use": "sig"}]}

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser goes next."""
        wanted = {"client_id": CLIENT, "response_type": "code", "code_challenge_method": "S256"}
        assert wanted.items() <= asked.items() and "openid" in asked["scope"].split(), asked
        answer = {"state": asked["state"]}
        if self.fault in ("access_denied", "server_error"):
            answer |= {"error": self.fault, "error_description": "<b>no</b>"}
        elif self.fault != "no code":
            code = secrets.token_urlsafe(16)
            self.codes[code] = asked
            answer |= {
                "code": code,
                "iss": "https://another.example.org" if self.fault == "issuer of the answer" else Handler.url,
            }
        return f"{asked['redirect_uri']}?{urlencode(answer)}"

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        expected = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if authorization != expected:
            return 401, {"error": "invalid_client"}
        asked = self.codes.pop(form.get("code", ""), None)
        challenge = (
            base64.urlsafe_b64encode(sha256(form.get("code_verifier", "").encode()).digest())
            .rstrip(b"=")
            .decode()
        )
        if (
            asked is None
            or form.get("redirect_uri") != asked["redirect_uri"]
            or challenge != asked["code_challenge"]
        ):
            return 400, {"error": "invalid_grant"}
        more = {"more": "x" * 2**21} if self.fault == "huge" else {}
        return 200, {
            "access_token": "access",
            "token_type": "Bearer",
            "id_token": self.id_token(asked["nonce"]),
            **more,
        }

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        said = {
            "iss": Handler.url,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            **self.person,
            **CLAIMS.get(self.fault, {}),
        }
        left_out = self.settings.get("left_out", ())
        claims = {name: value for name, value in said.items() if value is not None and name not in left_out}
        if self.fault == "alg none":
            return jwt.encode(claims, "", algorithm="none", headers={"kid": "one"})
        if self.fault == "shared secret":
            return jwt.encode(claims, SECRET * 2, algorithm="HS256", headers={"kid": "one"})
        key = self.stranger if self.fault == "stranger's key" else self.key
        token = jwt.encode(claims, key, algorithm="RS256", headers={"kid": "one"})
        if self.fault == "tampered":
            head, body, sign = token.split(".")
            more = {**claims, "email": "boss@example.org"}
            body = base64.urlsafe_b64encode(json.dumps(more).encode()).rstrip(b"=").decode()
            return f"{head}.{body}.{sign}"
        return token


def main() -> None:
    provider = Provider()

    class Answers(Handler):
        protocol_version = "HTTP/1.0"

        def answer(self, body: bytes) -> None:
            parts = urlsplit(self.path)
            if not parts.path.startswith("/_"):
                provider.asked.append(parts.path)
            if self.command == "POST":
                self.answer_form(body.decode())
            elif parts.path == "/_stats":
                self.say(200, {"asked": provider.asked})
            elif parts.path == "/authorize":
                self.go(provider.authorize(dict(parse_qsl(parts.query))))
            elif parts.path == "/userinfo" and self.headers["authorization"] == "Bearer access":
                self.say(200, {**provider.person, **provider.settings.get("userinfo", {})})
            else:
                known = {"/.well-known/openid-configuration": provider.document, "/jwks": provider.keys}
                self.say(200, known[parts.path]()) if parts.path in known else self.say(404, {})

        def answer_form(self, body: str) -> None:
            if self.path == "/_control":
                provider.settings = json.loads(body)
                provider.asked.clear()
                self.say(200, {})
            elif provider.fault == "elsewhere":
                self.go(f"{Handler.url}/elsewhere")
            else:
                self.say(*provider.token(dict(parse_qsl(body)), self.headers["authorization"] or ""))

        def go(self, place: str) -> None:
            self.send_response(302)
            self.send_header("Location", place)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def say(self, status: int, document: Any) -> None:
            place, content = ANSWERS.get(provider.fault, ("", b""))
            if self.path != place:
                content = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            if (
                provider.fault == "slow" and self.path == "/token"
            ):  # a byte at a time: no single wait is a long one
                for byte in content:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    time.sleep(0.1)
            self.wfile.write(content)

        def handle(self) -> None:
            """Whoever hangs up is not complained about."""
            try:
                super().handle()
            except OSError:
                self.close_connection = True

    serve(Answers)


if __name__ == "__main__":
    main()
