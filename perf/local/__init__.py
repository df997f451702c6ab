"""What batching gains for models on this machine (``hf/``)."""
