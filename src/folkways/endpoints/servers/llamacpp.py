"""llama.cpp's own server: OpenAI's chat completions, and the likelihood of a text."""

from __future__ import annotations

from folkways.endpoints.servers.openai import OpenAIEndpoint


class LlamaCppEndpoint(OpenAIEndpoint):
    """A server of llama.cpp."""
