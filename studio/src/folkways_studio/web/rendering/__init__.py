"""How pages look: templates, languages and static files."""
