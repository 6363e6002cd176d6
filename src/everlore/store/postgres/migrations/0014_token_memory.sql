-- What of memory the requests of a token use where they do not say so.

ALTER TABLE tokens ADD COLUMN memory TEXT NOT NULL DEFAULT '';
