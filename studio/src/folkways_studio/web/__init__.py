"""The studio in the browser. ``app.create_app`` makes the ASGI application, ``serving.serve`` runs it,
``settings`` say how."""
