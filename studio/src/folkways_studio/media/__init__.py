"""What lies in files: pictures and recordings, and backups of a workspace."""
