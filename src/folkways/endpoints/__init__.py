"""Endpoints: models that answer requests, all through one interface."""
