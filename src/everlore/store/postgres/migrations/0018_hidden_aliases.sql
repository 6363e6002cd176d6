-- Names of an entity that players must not know.

ALTER TABLE entities ADD COLUMN hidden_aliases TEXT NOT NULL DEFAULT '[]';
