"""What a workspace costs per request, and what that comes to at ten million requests and a thousand
workers."""
