"""Output formats: the HTML page, Markdown, LaTeX, CSV, notebook and terminal."""
