"""Into a study from tables: items and questions that are there already, and answers that people wrote off line."""
