"""The store for many processes: PostgreSQL with pgvector, exact search inside the scope."""
