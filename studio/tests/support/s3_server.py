"""As much of Amazon's S3 as the studio uses, as a process of its own: a bucket with PUT, HEAD, GET (whole or
a range, or a list of the keys) and DELETE.

Every request must be signed (AWS signature version 4, computed here from Amazon's description of it), with
the hash of its body and the time of now. ``/_control`` sets ``fault``: ``error`` (500), ``denied`` (403),
``stall`` (no answer for a minute), ``cut`` (the connection ends in the body), or none. ``/_stats`` tells what
was asked, and which keys there are.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from calendar import timegm
from typing import Any, ClassVar
from urllib.parse import parse_qs, unquote
from xml.sax.saxutils import escape

from tests.support.server_process import Handler, ServerProcess, serve

KEY, SECRET, BUCKET, REGION = "AKIATESTS", "secret/of+the/tests", "field-work", "eu-central-1"
SIGNED = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(\S+?)/(\d{8})/([\w-]+)/s3/aws4_request, ?SignedHeaders=([\w;-]+), "
    r"?Signature=(\w+)"
)
SKEW_SECONDS = 900
PAGE = 100
"""Keys of one page of a list; Amazon's have 1000."""
Refusal = tuple[int, str]


class S3Server(ServerProcess):
    """Use as a context manager."""

    module: ClassVar[str] = "studio.tests.support.s3_server"

    def variables(self, prefix: str = "") -> dict[str, str]:
        """The environment of a studio that stores its media here."""
        keys = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
        return {
            "FOLKWAYS_MEDIA": f"s3://{BUCKET}{prefix}",
            "AWS_ENDPOINT_URL": self.url,
            "AWS_REGION": REGION,
            **keys,
        }


def digest(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def refusal(method: str, path: str, headers: Any, body: bytes) -> Refusal | None:
    """Why a request is not let in; None for one that is signed rightly."""
    found = SIGNED.fullmatch(headers.get("authorization", ""))
    if found is None:
        return 403, "AccessDenied"
    key, day, region, names, signature = found.groups()
    sent, told = headers.get("x-amz-date", ""), headers.get("x-amz-content-sha256", "")
    if key != KEY:
        return 403, "InvalidAccessKeyId"
    if region != REGION:
        return 400, "AuthorizationHeaderMalformed"
    if (
        not sent.startswith(day)
        or abs(timegm(time.strptime(sent, "%Y%m%dT%H%M%SZ")) - time.time()) > SKEW_SECONDS
    ):
        return 403, "RequestTimeTooSkewed"
    if told != hashlib.sha256(body).hexdigest():
        return 400, "XAmzContentSHA256Mismatch"
    place, _, query = path.partition("?")
    pairs = "&".join(sorted(each if "=" in each else f"{each}=" for each in query.split("&") if each))
    lines = "".join(f"{name}:{' '.join(headers.get(name, '').split())}\n" for name in names.split(";"))
    asked = hashlib.sha256("\n".join((method, place, pairs, lines, names, told)).encode()).hexdigest()
    scope = f"{day}/{region}/s3/aws4_request"
    secret = digest(digest(digest(digest(f"AWS4{SECRET}".encode(), day), region), "s3"), "aws4_request")
    right = digest(secret, "\n".join(("AWS4-HMAC-SHA256", sent, scope, asked))).hex()
    return None if hmac.compare_digest(right, signature) else (403, "SignatureDoesNotMatch")


def main() -> None:
    stored: dict[str, bytes] = {}
    asked: list[dict[str, Any]] = []
    settings: dict[str, Any] = {"fault": None}

    class Answers(Handler):
        wbufsize = -1  # head and body in one piece

        def answer(self, body: bytes) -> None:
            if self.path == "/_control":
                settings.update(json.loads(body))
                asked.clear()
                return self.say(200, {})
            if self.path == "/_stats":
                return self.say(200, {"asked": asked, "keys": sorted(stored)})
            asked.append({"method": self.command, "path": self.path, "range": self.headers.get("range")})
            if settings["fault"] == "stall":
                time.sleep(60)
            if settings["fault"] in ("error", "denied"):
                return self.refuse(
                    *((500, "InternalError") if settings["fault"] == "error" else (403, "AccessDenied"))
                )
            if refused := refusal(self.command, self.path, self.headers, body):
                return self.refuse(*refused)
            place, _, query = self.path.removeprefix("/").partition("?")
            bucket, _, key = place.partition("/")
            if bucket != BUCKET:
                return self.refuse(404, "NoSuchBucket")
            if "list-type=2" in query:
                return self.list_keys(parse_qs(query))
            return self.answer_key(unquote(key), body)

        def answer_key(self, key: str, body: bytes) -> None:
            if self.command == "PUT":
                stored[key] = body
                return self.say(200, b"", ETag=f'"{hashlib.md5(body).hexdigest()}"')
            if self.command == "DELETE":
                stored.pop(key, None)
                return self.say(204, b"")
            content, status = stored.get(key), 200
            if content is None:
                return self.refuse(404, "NoSuchKey")
            more = {"ETag": f'"{hashlib.md5(content).hexdigest()}"'}
            if wanted := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("range") or ""):
                first, last = int(wanted[1]), min(int(wanted[2] or len(content)), len(content) - 1)
                if first >= len(content):
                    return self.refuse(416, "InvalidRange")
                more["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
                content, status = content[first : last + 1], 206
            return self.say(status, content, **{"Last-Modified": self.date_time_string(), **more})

        def list_keys(self, asked: dict[str, list[str]]) -> None:
            """A page of the keys that begin with the prefix, after the last one of the page before."""
            prefix, after = asked.get("prefix", [""])[0], asked.get("continuation-token", [""])[0]
            keys = [each for each in sorted(stored) if each.startswith(prefix) and each > after]
            page = keys[:PAGE]
            more = f"<NextContinuationToken>{page[-1]}</NextContinuationToken>" if len(keys) > PAGE else ""
            contents = "".join(
                f"<Contents><Key>{escape(each)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
                f"<ETag>e</ETag><Size>{len(stored[each])}</Size></Contents>"
                for each in page
            )
            cut = f"<IsTruncated>{str(bool(more)).lower()}</IsTruncated>"
            self.say(200, f"<ListBucketResult>{cut}{more}{contents}</ListBucketResult>".encode())

        def refuse(self, status: int, code: str) -> None:
            self.say(
                status, f"<Error><Code>{code}</Code><AWSAccessKeyId>{KEY}</AWSAccessKeyId></Error>".encode()
            )

        def say(self, status: int, content: Any, **headers: str) -> None:
            if settings["fault"] == "cut" and self.command == "GET" and not self.path.startswith("/_"):
                headers["Content_Length"], content = str(len(content)), content[: len(content) // 2]
                self.close_connection = True
            super().say(status, content, **headers)

    serve(Answers)


if __name__ == "__main__":
    main()
