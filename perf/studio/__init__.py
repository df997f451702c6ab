"""Load on the studio: many people at once over real HTTP, with everything that goes wrong between a browser
and a server."""
