-- Whether the requests of a token may name the person who speaks.

ALTER TABLE tokens ADD COLUMN people TEXT NOT NULL DEFAULT '';
