"""How free answers are judged: by matching the answers that people gave, or by a model."""
