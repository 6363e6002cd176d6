-- The search index over memories, messages, summaries, events and entities.

CREATE EXTENSION IF NOT EXISTS vector;
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE SEQUENCE passages_numbers;

-- What search looks through.
CREATE TABLE passages (
    row BIGINT NOT NULL,
    workspace TEXT NOT NULL,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    terms TEXT[] NOT NULL,
    length BIGINT NOT NULL,
    pair TEXT,
    persons TEXT[] NOT NULL,
    conversation_id TEXT,
    campaign_id TEXT,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    visibility TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    valid_from DOUBLE PRECISION,
    valid_to DOUBLE PRECISION,
    since DOUBLE PRECISION NOT NULL,
    until DOUBLE PRECISION,
    PRIMARY KEY (workspace, row)
);
CREATE INDEX passages_ref ON passages (workspace, kind, ref);
CREATE INDEX passages_pair ON passages (workspace, pair) WHERE pair IS NOT NULL;
CREATE INDEX passages_conversation ON passages (workspace, conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX passages_campaign ON passages (workspace, campaign_id) WHERE campaign_id IS NOT NULL;
CREATE INDEX passages_persons ON passages USING gin (workspace, persons);
-- A term holds its workspace already.
CREATE INDEX passages_terms ON passages USING gin (terms);

-- Counting what a search may look at reads this index alone.
CREATE INDEX passages_present ON passages (workspace, kind, status) WHERE until IS NULL;

-- Narrow, so that an exact scan reads little else than vectors, and with its own copy of what most searches
-- filter by, so that the scan needs no join. Exact on purpose: an approximate index over all workspaces
-- loses most of what a scope holds.
CREATE TABLE vectors (
    workspace TEXT NOT NULL,
    row BIGINT NOT NULL,
    model TEXT NOT NULL,
    kind TEXT NOT NULL,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    valid_from DOUBLE PRECISION,
    valid_to DOUBLE PRECISION,
    since DOUBLE PRECISION NOT NULL,
    until DOUBLE PRECISION,
    vec halfvec NOT NULL,
    PRIMARY KEY (workspace, row, model),
    FOREIGN KEY (workspace, row) REFERENCES passages (workspace, row) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
ALTER TABLE vectors ALTER COLUMN vec SET STORAGE MAIN;
CREATE INDEX vectors_present ON vectors (workspace, model, kind, status) WHERE until IS NULL;

CREATE FUNCTION follow_passage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE vectors SET until = new.until WHERE workspace = new.workspace AND row = new.row;
    RETURN NULL;
END
$$;
-- Of what is copied, only this ever changes: a passage is closed, never rewritten.
CREATE TRIGGER passages_closed AFTER UPDATE OF until ON passages
    FOR EACH ROW EXECUTE FUNCTION follow_passage();
