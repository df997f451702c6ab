"""The items of a study: brought, found, repeated, discussed, redacted; and those of known answer."""
