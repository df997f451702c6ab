"""The API for programs: what researchers do on pages, as JSON, with a token instead of a session."""

PLACE = "/api/v1"
"""Path of the API."""
