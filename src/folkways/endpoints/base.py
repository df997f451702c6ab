"""What an endpoint is: a model that can be asked. The engine speaks to every model through this interface and
no other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar, Protocol

from folkways.errors import FolkwaysError

LOGLIK = "loglik"

LOGPROB = "logprob"
"""A way to read a model that folkways uses itself and nobody sets: how likely a text is, in place of what is
said."""

TEMPLATE = " template="
"""What in the reported name of a transformers model comes before the hash of its chat template."""

NO_THINKING = "off"
"""The reasoning effort of a model that is asked not to think; ``none`` says nothing of it and leaves that to
the provider."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Sampling settings of a request. None means: leave it out and let the provider decide.

    temperature 0 to 2; top_p 0 to 1; max_tokens counts output tokens. reasoning_effort is the provider's word
    ("low", "high"), a whole number of tokens to think with at most ("2000"), or NO_THINKING.
    read: LOGLIK where the likeliest of the options is the reply (endpoints/likelihood.py), and no text is
        generated; LOGPROB where the log-probability of the one text among the options is.
    """

    temperature: float | None = 0.0
    top_p: float | None = 1.0
    seed: int | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    read: str | None = None

    @property
    def thinking_budget(self) -> int | None:
        """The tokens to think with at most, where ``reasoning_effort`` names them; None where it is a word or
        not set."""
        effort = str(self.reasoning_effort or "")
        return int(effort) if effort.isascii() and effort.isdigit() and len(effort) < 10 else None


@dataclass(frozen=True, slots=True)
class Request:
    """One question to an endpoint. ``key`` is the identity under which the response is stored."""

    key: str
    user: str
    system: str | None
    settings: Settings
    sample: int = 0
    choices: tuple[str, ...] | None = None
    task: str = ""
    item: str = ""
    language: str = ""
    variant: str = ""
    prompt_hash: str = ""
    settings_id: int = 0


@dataclass(slots=True, eq=False)
class Confirmation:
    """Whether replies are surely the answers to their requests: None as long as that is open. One for several
    replies."""

    clean: bool | None = None


@dataclass(slots=True)
class Completion:
    """What an endpoint said. ``text`` is untrusted. Token counts are the provider's own; None where it
    reports none."""

    text: str
    finish_reason: str | None = None  # "stop", "length", "content_filter", ... as reported
    refusal: str | None = None  # set where the provider itself says that it withheld the answer
    model: str | None = None  # the model name that the provider reports
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    # what the model thought before the text, where the endpoint tells it apart; untrusted
    thoughts: str | None = None
    # None: it is surely the answer
    confirmation: Confirmation | None = field(default=None, compare=False, repr=False)


@dataclass(eq=False, repr=False)
class EndpointFailure(Exception):  # noqa: N818 - the word of the interface: not every failure is an error
    """A request that brought no usable reply.

    retryable: worth another try (408, 409, 429, 5xx, a lost connection, a broken body).
    fatal: no request to this endpoint can succeed (no key, unknown model, a setting it refuses): the run
        stops asking it.
    retry_after: seconds that the server asked to wait, where it did.
    rate_limited: the server asked us to slow down (429, or 503 with Retry-After).
    timed_out: no reply came in time.
    unreachable: why no connection could be made, in a few words: nothing was sent. Empty where there was one.
    """

    message: str
    _: KW_ONLY
    status: int | None = None
    retryable: bool = False
    fatal: bool = False
    retry_after: float | None = None
    rate_limited: bool = False
    timed_out: bool = False
    unreachable: str = ""


class NotServedError(FolkwaysError):
    """What runs a model (a server, an engine) did not start: other models of a run can be asked all the
    same."""


class Endpoint(Protocol):
    """A model that can be asked.

    name: as the user wrote it, without secrets ("openai/gpt-4o-mini", "http://localhost:8000/v1#llama").
    identity: what goes into the hash of a request; two endpoints with the same identity are the same model.
        Never a secret.
    item_addressed: True where the answer depends on the item and not only on the text (replay): the item
        joins the hash.
    local: True where asking costs nothing and needs no network (baselines, replay).
    default_concurrency: how many requests at once at most, unless the user says.

    It may have attributes more. ``first_concurrency``, looked at once it is open: how many to begin with,
    where nobody knows how many its server works on at the same time; more are then tried by and by.
    ``timeout``: seconds after which it gives up. ``about``, once it is open: how the model runs, on one line,
    for people. ``reads_likelihoods``: whether it knows Settings.read. ``reads_long_texts``: whether it knows
    LOGPROB. ``runs_here``: whether the model itself is loaded by this process, on its GPU if there is one.
    ``vocabulary``: how many tokens it knows, where that is known before it is loaded. ``check()``: raises
    FolkwaysError for what is lacking here, such as a package, before anything is stored or loaded.
    ``batches``: how its provider takes requests in batches (folkways.endpoints.batches); None where it does
    not. ``waits``, while it is opened: what for, in a few words; ``notes``: messages about it for people,
    each shown once. ``heeds``: the names of the sampling settings that it receives; all of them where it
    has no such attribute. ``served``: what each of its completions says as ``model``, where that says more
    than the name: replies of another are noticed. ``look``, a coroutine without arguments, where a Completion
    may have a ``confirmation``: settles those that can be settled now, and returns the seconds until more of
    them can be; None where all are.
    """

    name: str
    identity: str
    item_addressed: bool
    local: bool
    default_concurrency: int

    async def open(self, concurrency: int) -> None:
        """Get ready (open the connection pool, load the model). Raises FolkwaysError with the remedy if that
        cannot work."""

    async def close(self) -> None:
        """Release what ``open`` took. Safe to call twice."""

    async def complete(self, request: Request) -> Completion:
        """Ask. Raises EndpointFailure; must be cancellable."""


class NamedEndpoint:
    """What our own endpoints have in common."""

    name: str
    item_addressed = False

    def __repr__(self) -> str:
        """Class and name: never the key."""
        return f"{type(self).__name__}({self.name!r})"


@dataclass(frozen=True)
class EndpointOptions:
    """What the user may say about an endpoint beyond its name.

    timeout: seconds for one request, connection to last byte.
    max_body: bytes of a reply that are read at most; more is a failure, not a crash.
    headers: extra HTTP headers; never stored.
    base_url: overrides the provider's address.
    key_env: environment variable of the key, in place of the usual ones.
    """

    timeout: float = 120.0
    max_body: int = 8 * 1024 * 1024
    headers: Mapping[str, str] = field(default_factory=dict)
    base_url: str | None = None
    key_env: str | None = None
    seed: int = 0

    DEFAULT_CONCURRENCY: ClassVar[int] = 32
    MOST_OF_OWN_SERVER: ClassVar[int] = 512
    """Requests at once: of a provider, and at most of a server of somebody's own, whose number is found
    out."""


@dataclass(frozen=True)
class EndpointKind:
    """A way to name a model, and how to open it. Its entry point in the group ``folkways.endpoints`` is what
    names begin with.

    forms: each way to write a name -> what it means, for help and errors: ``{"baseline/first": "always the
        first choice"}``.
    open: makes the endpoint of a whole name and connects to nothing. Its last argument is False where this
        process will ask nothing; a missing key or package is then accepted.
    """

    forms: Mapping[str, str]
    open: Callable[[str, EndpointOptions, bool], Endpoint]
