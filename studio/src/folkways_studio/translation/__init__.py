"""Translations of the interface: their files, and how people check them."""
