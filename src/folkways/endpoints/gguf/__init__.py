"""``gguf/PATH``: models in GGUF files, run by an embedded llama.cpp."""
