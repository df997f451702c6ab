"""Accounts, sessions, invitations, participants and their personal details."""
