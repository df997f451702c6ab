"""``vllm-offline/NAME``: vLLM's own engine on this machine, without a server."""
