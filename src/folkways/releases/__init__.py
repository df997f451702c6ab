"""Releases: find, fetch, verify, read and check published data; licences and citations."""
