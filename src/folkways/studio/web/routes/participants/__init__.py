"""Pages of participants: coming in, and their work."""
