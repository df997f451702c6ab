"""The studio's tables: their schema, access to rows, audit trail, backups and deletion."""
