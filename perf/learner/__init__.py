"""How close the engine comes to the best number of requests at once, server by server."""
