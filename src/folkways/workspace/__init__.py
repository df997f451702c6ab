"""The workspace: one database with everything a user has asked and been told."""
