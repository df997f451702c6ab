"""Anything in Python that answers, as a model: functions, objects, pipelines, clients, replies in a dict or a
frame."""
