"""The API for programs: what researchers do on pages, as JSON, with a token in place of a session."""

PLACE = "/api/v1"
"""Where the studio mounts the API."""
