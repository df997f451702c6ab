"""The studio's part of a workspace: its tables, their triggers and history, the audit trail, backups."""
