"""Why a provider ended a reply: a word that says it withheld the answer makes a refusal, one that says it
failed makes no answer.

A reply that ended by any other word is what the model said, unless an error comes with the word. Words are
in lower case here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Endings:
    """Words of one provider. withheld: it says that it kept the answer back. failed: it broke off, and may do
    better next time."""

    withheld: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


OF_PROVIDERS = {
    "openai": Endings(withheld=_words("content_filter")),
    "openrouter": Endings(withheld=_words("content_filter"), failed=_words("error")),
    "deepseek": Endings(withheld=_words("content_filter"), failed=_words("insufficient_system_resource")),
    "mistral": Endings(failed=_words("error")),
    "zhipu": Endings(withheld=_words("sensitive"), failed=_words("network_error")),
    "cohere": Endings(withheld=_words("error_toxic"), failed=_words("error error_limit timeout")),
    "vllm": Endings(failed=_words("abort error")),
    "sglang": Endings(failed=_words("abort")),
    "ollama": Endings(failed=_words("load unload")),
    "anthropic": Endings(withheld=_words("refusal")),
    "google": Endings(
        withheld=_words("safety recitation language blocklist prohibited_content spii"),
        failed=_words("finish_reason_unspecified other malformed_response"),
    ),
}
"""As they document it: ``finish_reason`` of chat completions, ``stop_reason`` of Anthropic, ``finishReason``
of Google."""

ANTHROPIC, GOOGLE = OF_PROVIDERS["anthropic"], OF_PROVIDERS["google"]

_ALIKE = [endings for name, endings in OF_PROVIDERS.items() if name not in ("anthropic", "google")]

CHAT_COMPLETIONS = Endings(
    frozenset().union(*(endings.withheld for endings in _ALIKE)),
    frozenset().union(*(endings.failed for endings in _ALIKE)),
)
"""All who speak OpenAI's protocol: a gateway passes on the words of the server it asks, and no word means
two things."""

WITHHELD = CHAT_COMPLETIONS.withheld | ANTHROPIC.withheld | GOOGLE.withheld
"""The words of all who say that they kept an answer back, for replies of which nobody says whose they are."""
