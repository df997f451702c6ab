"""How pages look: templates, languages, messages, charts and files that are sent as they are."""
