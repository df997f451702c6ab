"""The workspace: one database with every question a user asked, every reply, and what was made of them."""
