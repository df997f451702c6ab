"""What people do: slots, drafts, judgements, and what becomes of an item."""
