"""The web application. ``app.create_app`` makes it, ``serving.serve`` runs it, ``settings`` configures it."""
