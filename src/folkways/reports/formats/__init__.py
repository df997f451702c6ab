"""What is written: the HTML page, Markdown, LaTeX, CSV and the terminal."""
