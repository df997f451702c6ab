"""Clients of studies: in a workspace of this machine, or on a server through its API."""
