"""The queue of requests: what is asked by whom, claimed before it is sent."""
