"""The routes of the API, by subject; a new one is a function here, and is in the OpenAPI document by itself."""
