"""Brings published data onto this disk: downloads, copies, checks."""
