"""A fleet over PostgreSQL: its schema, who belongs to it, what hosts publish."""
