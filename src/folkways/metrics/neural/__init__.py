"""Similarity of texts by the vectors of a language model: sentence embeddings and BERTScore, of models in a
folder on this disk.

Nothing here opens a socket. torch and transformers are imported when vectors are computed that are not stored
yet, and not before.
"""
