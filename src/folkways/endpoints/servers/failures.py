"""From what a server sent (status, headers, error body) to an EndpointFailure that says what to do."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from folkways.endpoints.base import Completion, EndpointFailure, Settings
from folkways.endpoints.clean import quotable
from folkways.endpoints.servers.address import Address
from folkways.endpoints.servers.waits import asked_wait
from folkways.errors import option

RETRYABLE = frozenset({408, 409, 425, 429})
_SETTING_WORDS = {
    "temperature": ("temperature",),
    "top_p": ("top_p", "topP"),
    "seed": ("seed", "random_seed"),
    "max_tokens": ("max_tokens", "max_completion_tokens", "maxOutputTokens", "max_output_tokens"),
    "reasoning_effort": (
        "reasoning_effort",
        "reasoning",
        "effort",
        "thinking",
        "thinking_config",
        "thinkingConfig",
        "thinking_budget",
        "thinkingBudget",
        "thinking_level",
        "thinkingLevel",
        "budget_tokens",
    ),
}
# Too long a prompt also names max_tokens, but it is this prompt's trouble and not the setting's.
_TOO_LONG = re.compile(
    r"context.?(length|window|size)|prompt is too long|input token count|too many tokens", re.IGNORECASE
)
_WITHHELD = frozenset(
    {"content_filter", "content_policy_violation", "invalid_prompt", "ResponsibleAIPolicyViolation"}
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|credit balance is too low|insufficient.?(balance|funds|credits)", re.IGNORECASE
)
_BAD_KEY = re.compile(r"API.?key (not valid|invalid)|API_KEY_INVALID|invalid.?api.?key", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ServerError:
    """The error object in a body, whatever its layout. ``message`` is raw and may hold secrets: quote it with
    ``quotable``."""

    message: str
    code: str = ""
    kind: str = ""
    param: str = ""
    status: int | None = None
    flagged: bool = False  # a moderation step named reasons (OpenRouter)
    retry_delay: str = ""  # google.rpc.RetryInfo: "27s"


def read_error(payload: Any, raw: bytes) -> ServerError:
    """Find the error in a body: ``{"error": {...}}``, ``{"error": "..."}``, ``{"detail": ...}``,
    ``{"message": ...}``, a list."""
    if isinstance(payload, list) and payload:
        payload = payload[0]
    if not isinstance(payload, dict):
        return ServerError(raw[:4096].decode("utf-8", "replace"))
    error = payload.get("error", payload)
    if isinstance(error, str):
        return ServerError(error)
    if not isinstance(error, dict):
        return ServerError(raw[:4096].decode("utf-8", "replace"))
    message = (
        error.get("message")
        or error.get("detail")
        or payload.get("detail")
        or payload.get("message")
        or error
    )
    code = error.get("code")
    metadata = error.get("metadata")
    return ServerError(
        message=message if isinstance(message, str) else str(message)[:4096],
        code=str(code or ""),
        kind=str(error.get("type") or error.get("status") or ""),
        param=str(error.get("param") or ""),
        status=code if isinstance(code, int) else None,
        flagged=isinstance(metadata, dict) and bool(metadata.get("reasons")),
        retry_delay=_retry_delay(error.get("details")),
    )


def _retry_delay(details: Any) -> str:
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict) and isinstance(detail.get("retryDelay"), str):
            return str(detail["retryDelay"])
    return ""


def refused_setting(error: ServerError, settings: Settings) -> str | None:
    """The setting of ours that the server complains about, or None. Only settings that were sent can be
    complained about."""
    if _TOO_LONG.search(error.message) or "context_length" in error.code:
        return None
    for name, words in _SETTING_WORDS.items():
        if getattr(settings, name) is None:
            continue
        pattern = rf"(?<!\w)({'|'.join(words)})(?!\w)"
        if error.param in words or re.search(pattern, error.message):
            return name
    return None


def outcome(
    address: Address, status: int, headers: Mapping[str, str], payload: Any, raw: bytes, settings: Settings
) -> Completion | EndpointFailure:
    """What a reply other than a completion means: the provider withheld an answer (a Completion), or a
    failure.

    address: of the server, for messages and for secrets to remove. status, headers: of the reply. payload:
    its body as JSON, or None; raw: its bytes. settings: of the request, one of which may be refused.
    """
    error = read_error(payload, raw)
    message = quotable(error.message, address.secrets) or "nothing"
    quoted = f'{address.name}: the server says {status}: "{message}"'
    whole = f"{error.code} {error.kind} {error.message}"
    if status in (400, 403) and (error.code in _WITHHELD or error.flagged):
        return Completion(text="", finish_reason="content_filter", refusal=message)
    if status == 402 or (status in (400, 403, 429) and _NO_CREDIT.search(whole)):
        return EndpointFailure(
            f"{quoted}\nThe account has no credit left: add some, then run again to resume",
            status=status,
            fatal=True,
        )
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(whole)):
        return EndpointFailure(f"{quoted}\n{_about_key(address)}", status=status, fatal=True)
    if status in (404, 405):
        advice = (
            f"{address.base_url} has no model {address.model!r}, or is not the server's address. "
            "Correct the name or the address."
        )
        return EndpointFailure(f"{quoted}\n{advice}", status=status, fatal=True)
    if status in (400, 422):
        return _bad_request(address, status, error, message, quoted, settings)
    if 300 <= status < 400:
        target = quotable(headers.get("Location", "nowhere"), address.secrets)
        return EndpointFailure(
            f"{address.name}: the server redirects to {target}; give that address instead",
            status=status,
            fatal=True,
        )
    wait = asked_wait(headers, error.retry_delay, time.time()) if status in (429, 503, 529) else None
    slow_down = status in (429, 529) or (status == 503 and wait is not None)
    retryable = status in RETRYABLE or status >= 500
    return EndpointFailure(
        quoted, status=status, retryable=retryable, retry_after=wait, rate_limited=slow_down
    )


def _about_key(address: Address) -> str:
    if address.key_hint:
        return address.key_hint
    if not address.key_names:
        return "The server wants a key, but this kind of endpoint sends none"
    names = " or ".join(address.key_names)
    return f"Check the key in the environment variable {names}, and that it may use {address.model!r}"


def _bad_request(
    address: Address, status: int, error: ServerError, said: str, quoted: str, settings: Settings
) -> EndpointFailure:
    setting = refused_setting(error, settings)
    if setting is None:
        return EndpointFailure(quoted, status=status)
    value = getattr(settings, setting)
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    without = option("settings", f"{setting}=none")
    message = f'{address.name} refuses the setting {setting}={shown} ("{said}"): leave it out with {without}'
    other = {"temperature": "top_p", "top_p": "temperature"}.get(setting)
    if other and getattr(settings, other) is not None:
        message += f" (models that refuse it often refuse {other} too: {option('settings', f'{other}=none')})"
    return EndpointFailure(message, status=status, fatal=True)
