"""What Python code may give back for a reply, and what its exceptions become."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from folkways.endpoints.base import Completion, EndpointFailure
from folkways.endpoints.clean import storable
from folkways.endpoints.python.completions import completion_of, failure_of
from folkways.endpoints.servers.endings import CHAT_COMPLETIONS

CHOICE = {"message": {"content": "A"}, "finish_reason": "length"}
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "completion_tokens_details": {"reasoning_tokens": 1}}
TEXTS = {
    "text": "A",
    "completion": Completion("A"),
    "list of one": ["A"],
    "pipeline": [{"generated_text": "A"}],
    "pipeline of a chat": [
        {"generated_text": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]}
    ],
    "message": {"role": "assistant", "content": "A"},
    "ours": {"response": "A"},
    "chat completion": {"choices": [CHOICE], "usage": USAGE},
    "object with content": SimpleNamespace(content="A"),
    "object with completion": SimpleNamespace(completion="A"),
    "parts": {"choices": [{"message": {"content": [{"type": "reasoning"}, {"type": "text", "text": "A"}]}}]},
}


@pytest.mark.parametrize("value", TEXTS.values(), ids=TEXTS)
def test_texts(value):
    assert completion_of(value, "m").text == "A"


WITHHELD = "the provider's content filter withheld the answer"


def chat(message: object = CHOICE["message"], **more: object) -> dict[str, object]:
    finish = {name: more.pop(name) for name in ("finish_reason", "stop_reason") if name in more}
    return {"choices": [{"message": message, **finish}], **more}


@pytest.mark.parametrize(
    ("value", "completion"),
    [
        ("A", Completion("A", "stop", model="m")),
        ({"response": "A", "text": "B"}, Completion("A", "stop", model="m")),
        (SimpleNamespace(completion="A", content="B"), Completion("A", "stop", model="m")),
        (SimpleNamespace(completion=7, text="C"), Completion("C", "stop", model="m")),
        (chat(), Completion("A", model="m")),
        (chat(model="served"), Completion("A", model="served")),
        (chat(model=""), Completion("A", model="m")),
        (chat(finish_reason="length", usage=USAGE), Completion("A", "length", model="m", input_tokens=3, output_tokens=2, reasoning_tokens=1)),
        (chat(usage={"input_tokens": 3, "output_tokens": 2, "reasoning_tokens": 1}), Completion("A", model="m", input_tokens=3, output_tokens=2, reasoning_tokens=1)),
        (chat(usage={"prompt_tokens": 3, "input_tokens": 4}), Completion("A", model="m", input_tokens=3)),
        (chat(usage=None), Completion("A", model="m")),
        (chat(finish_reason=None, stop_reason="stop"), Completion("A", "stop", model="m")),
        (chat(stop_reason="max_tokens"), Completion("A", "length", model="m")),
        (chat(stop_reason="model_length"), Completion("A", "length", model="m")),
        (chat({"content": "A", "reasoning_content": "hm"}), Completion("A", model="m", thoughts="hm")),
        (chat({"content": "A", "reasoning_content": ""}), Completion("A", model="m")),
        (chat({"content": "A", "reasoning": "hm"}), Completion("A", model="m", thoughts="hm")),
        (chat({"content": [{"thinking": "hm"}, {"text": "A"}]}), Completion("A", model="m", thoughts="hm")),
        (chat({"content": None, "reasoning": "hm"}, finish_reason="length"), Completion("", "length", model="m", thoughts="hm")),
        (chat({"content": [{"text": "A"}, {"text": None}, "B", {"text": "C"}]}), Completion("ABC", model="m")),
        (chat({"content": None, "refusal": "No\0."}), Completion("", model="m", refusal="No\ufffd.")),
        (chat({"content": "A", "refusal": ""}), Completion("A", model="m")),
        (chat({"content": None}, finish_reason="content_filter"), Completion("", "content_filter", model="m", refusal=WITHHELD)),
        (chat({"content": None, "refusal": "No."}, finish_reason="content_filter"), Completion("", "content_filter", model="m", refusal="No.")),
    ],
)  # fmt: skip
def test_what_a_reply_of_python_says(value, completion):
    assert completion_of(value, "m") == completion


@pytest.mark.parametrize("value", [chat({"content": None}), chat(None), {"choices": ["A"]}, {"text": []}, {"text": ["A"]}, {"text": [{"content": 7}]}])  # fmt: skip
def test_a_reply_of_a_known_form_without_a_text_is_a_failed_request(value):
    with pytest.raises(
        EndpointFailure, match=r"it returned dict \{'.*; a model returns the text of its reply"
    ):
        completion_of(value, "m")


@pytest.mark.parametrize("word", sorted(CHAT_COMPLETIONS.failed))
def test_a_reply_that_the_provider_broke_off_is_asked_for_again(word):
    with pytest.raises(
        EndpointFailure, match=f"m: the provider failed .* ended it with {word.upper()}"
    ) as failure:
        completion_of(chat(finish_reason=word.upper()), "m")
    assert failure.value.retryable


@pytest.mark.parametrize("error", [{"message": "over\nloaded", "code": 502}, "over loaded"])
@pytest.mark.parametrize(
    "around", [dict, lambda error: {"choices": [error | CHOICE]}, lambda error: error | chat()]
)
def test_an_error_in_place_of_a_reply_or_in_its_middle_is_asked_for_again(error, around):
    with pytest.raises(EndpointFailure, match="m: the provider failed: over loaded") as failure:
        completion_of(around({"error": error}), "m")
    assert failure.value.retryable


ODD = [
    None,
    True,
    7,
    -7,
    10**30,
    float("nan"),
    "x\0\ud800",
    b"A",
    [],
    [7],
    [None, {"text": 7}],
    {},
    {"text": 7},
    {"a": b"b"},
]


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize(
    "field",
    ["usage", "usage.prompt_tokens", "usage.input_tokens", "usage.completion_tokens", "usage.completion_tokens_details", "usage.completion_tokens_details.reasoning_tokens", "model", "error", "choices", "choices.0", "choices.0.message", "choices.0.finish_reason", "choices.0.stop_reason", "choices.0.error", "choices.0.message.content", "choices.0.message.refusal", "choices.0.message.reasoning", "choices.0.message.reasoning_content"],
)  # fmt: skip
def test_whatever_a_field_holds_a_reply_can_be_stored_or_its_request_failed(field, odd):
    reply = {"model": "m", "usage": USAGE, "choices": [{**CHOICE, "message": dict(CHOICE["message"])}]}
    reply["usage"] = {**USAGE, "completion_tokens_details": dict(USAGE["completion_tokens_details"])}
    *path, name = (int(part) if part.isdigit() else part for part in field.split("."))
    part = reply
    for step in path:
        part = part[step]
    part[name] = odd
    try:
        completion = completion_of(reply, "m")
    except EndpointFailure:
        return
    counts = (completion.input_tokens, completion.output_tokens, completion.reasoning_tokens)
    assert all(count is None or (type(count) is int and 0 <= count < 2**53) for count in counts)
    texts = (
        completion.text,
        completion.finish_reason,
        completion.refusal,
        completion.model,
        completion.thoughts,
    )
    assert all(text is None or text == storable(text) for text in texts)


def test_unstorable_characters_are_replaced():
    assert completion_of("a\0\ud800b", "m").text == "a\ufffd\ufffdb"


@pytest.mark.parametrize(
    "value", [None, 3, True, [], ["A", "B"], {}, {"choices": []}, StopIteration, b"A"], ids=repr
)
def test_no_text_is_a_failed_request_and_not_an_answer(value):
    with pytest.raises(
        EndpointFailure, match=r"it returned .*a model returns the text of its reply"
    ) as failure:
        completion_of(value, "m")
    assert not failure.value.retryable


class StatusError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status_code = status


class ReadTimeoutError(Exception):
    """As libraries name theirs."""


class APIConnectionError(Exception):
    """As OpenAI's library names its own."""


class WithResponseError(Exception):
    def __init__(self, status: object) -> None:
        super().__init__()
        self.response = SimpleNamespace(status_code=status)


@pytest.mark.parametrize(
    ("error", "retryable", "fatal", "rate_limited", "timed_out"),
    [
        (ValueError("x"), False, False, False, False),
        (TimeoutError(), True, False, False, True),
        (ReadTimeoutError(), True, False, False, True),
        (APIConnectionError(), True, False, False, False),
        (ConnectionResetError("gone"), True, False, False, False),
        (WithResponseError(529), True, False, True, False),
        (WithResponseError("529"), False, False, False, False),
        *((StatusError(status), True, False, False, False) for status in (408, 409, 425, 500, 503)),
        *((StatusError(status), False, False, False, False) for status in (400, 402, 422, 499)),
        *((StatusError(status), False, True, False, False) for status in (401, 403, 404)),
        (StatusError(429), True, False, True, False),
    ],
    ids=repr,
)
def test_which_exceptions_are_worth_another_try(error, retryable, fatal, rate_limited, timed_out):
    failure = failure_of(error, "python/ask")
    assert (failure.retryable, failure.fatal) == (retryable, fatal)
    assert (failure.rate_limited, failure.timed_out) == (rate_limited, timed_out)
    assert failure.message == f"python/ask raised {type(error).__name__}: {str(error) or 'without a message'}"
    status = getattr(error, "status_code", None) or getattr(
        getattr(error, "response", None), "status_code", None
    )
    assert failure.status == (status if isinstance(status, int) else None)
    assert failure_of(failure, "other") is failure


def test_the_message_is_one_safe_line():
    assert "\x1b" not in failure_of(ValueError("a\x1b[31m\nb" * 200), "m").message
    assert len(failure_of(ValueError("b" * 9999), "m").message) < 400
