-- When none of a token's requests counts against its limit any more: all servers on the database count together.

ALTER TABLE tokens ADD COLUMN allowance_full_at DOUBLE PRECISION;
