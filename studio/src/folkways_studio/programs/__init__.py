"""Access of programs to a study: API tokens, and webhooks that send events."""
