"""Endpoints: models that can be asked, all behind one interface."""
