-- Keys to a workspace, the audit log, what was too long to stand in an event, inner dialogues, and how much there is of
-- what.

ALTER TABLE conversations ADD COLUMN inner_of_id TEXT;
ALTER TABLE conversations ADD FOREIGN KEY (workspace, inner_of_id) REFERENCES conversations (workspace, id) DEFERRABLE INITIALLY DEFERRED;
CREATE INDEX conversations_inner_of_id ON conversations (workspace, inner_of_id, updated_at, id) WHERE inner_of_id IS NOT NULL;

CREATE TABLE attachments (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, event_id) REFERENCES events (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX attachments_event_id ON attachments (workspace, event_id, created_at, id, name);
CREATE INDEX attachments_order ON attachments (workspace, created_at, id, name);

CREATE TABLE tokens (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    user_id TEXT,
    digest TEXT NOT NULL,
    per_minute BIGINT,
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION,
    last_used_at DOUBLE PRECISION,
    revoked_at DOUBLE PRECISION,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, user_id) REFERENCES persons (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX tokens_user_id ON tokens (workspace, user_id, created_at, id, role) WHERE user_id IS NOT NULL;
CREATE INDEX tokens_order ON tokens (workspace, created_at, id, role);

-- Only ever added to. It names what was deleted, so nothing here leads anywhere by a key. A line is written with every
-- change: besides what a record went through, there is but one index, in which what is not asked for is passed over.
CREATE TABLE deeds (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    actor TEXT NOT NULL,
    role TEXT NOT NULL,
    verb TEXT NOT NULL,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (workspace, id)
);
CREATE INDEX deeds_ref ON deeds (workspace, ref, at, id, kind);
CREATE INDEX deeds_order ON deeds (workspace, at, id, kind, verb, actor, role);
CREATE FUNCTION refuse_to_rewrite() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The audit log is only ever added to' USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE TRIGGER deeds_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON deeds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite();

-- A vector that came while its passage was being closed was left behind as one of the present.
UPDATE vectors SET until = passages.until FROM passages
WHERE passages.workspace = vectors.workspace AND passages.row = vectors.row
AND vectors.until IS NULL AND passages.until IS NOT NULL;

-- What nearly every recall filters by, too: without a copy of it each vector would have to look up its passage.
ALTER TABLE vectors ADD COLUMN visibility TEXT NOT NULL DEFAULT '';
ALTER TABLE vectors ADD COLUMN is_spoiler BIGINT NOT NULL DEFAULT 0;
UPDATE vectors SET visibility = passages.visibility, is_spoiler = passages.is_spoiler FROM passages
WHERE passages.workspace = vectors.workspace AND passages.row = vectors.row;
-- Now, not at the end: an index cannot be made while anything is left to be checked.
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
DROP INDEX vectors_present;
CREATE INDEX vectors_present ON vectors (workspace, model, kind, status) INCLUDE (visibility, is_spoiler)
    WHERE until IS NULL;
-- What is in scope is counted without reading it.
DROP INDEX passages_present;
CREATE INDEX passages_present ON passages (workspace, kind, status) INCLUDE (visibility, is_spoiler)
    WHERE until IS NULL;

-- How many there are of each kind and type, counted as they come and go (C9), so that nobody need look: of all, under
-- an hour that never was, and of those that came in one hour (since 1970). The hour is first in the key: what there is
-- in all stands together, and so does what came since.
--
-- Whoever writes counts in a shard that nobody else writes to meanwhile: were there one row for all, every writer of a
-- workspace would wait for the one before.
CREATE TABLE tallies (
    workspace TEXT NOT NULL,
    hour BIGINT NOT NULL,
    kind TEXT NOT NULL,
    type TEXT NOT NULL,
    shard BIGINT NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (workspace, hour, kind, type, shard)
) WITH (fillfactor = 50);
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, -1000000000, 'memory', type, 0, COUNT(*) FROM memories GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, floor(created_at / 3600), 'memory', type, 0, COUNT(*) FROM memories GROUP BY 1, 2, 4;
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, -1000000000, 'status', status, 0, COUNT(*) FROM memories GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, -1000000000, 'event', type, 0, COUNT(*) FROM events GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, floor(at / 3600), 'event', type, 0, COUNT(*) FROM events GROUP BY 1, 2, 4;
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, -1000000000, 'message', author, 0, COUNT(*) FROM messages GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, floor(created_at / 3600), 'message', author, 0, COUNT(*) FROM messages GROUP BY 1, 2, 4;
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, -1000000000, 'conversation', '', 0, COUNT(*) FROM conversations GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, -1000000000, 'summary', '', 0, COUNT(*) FROM summaries GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, floor(created_at / 3600), 'summary', '', 0, COUNT(*) FROM summaries GROUP BY 1, 2, 4;
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, -1000000000, 'miss', '', 0, COUNT(*) FROM misses GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, floor(created_at / 3600), 'miss', '', 0, COUNT(*) FROM misses GROUP BY 1, 2, 4;
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, -1000000000, 'passage', '', 0, COUNT(*) FROM passages WHERE until IS NULL GROUP BY 1;
INSERT INTO tallies (workspace, hour, kind, type, shard, n)
SELECT workspace, -1000000000, 'vector', model, 0, COUNT(*) FROM vectors WHERE until IS NULL GROUP BY 1, 4;

-- The first shard that no other transaction has; it stays ours until the end of this one.
CREATE FUNCTION free_shard(of_workspace TEXT) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    free INTEGER := 0;
BEGIN
    WHILE NOT pg_try_advisory_xact_lock(hashtext(of_workspace), free) LOOP
        free := free + 1;
    END LOOP;
    RETURN free;
END
$$;

-- One more, or less: in all, and in the hour of `at`, where one is given.
CREATE FUNCTION tally(of_workspace TEXT, of_kind TEXT, of_type TEXT, at DOUBLE PRECISION, more BIGINT) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, shard, n)
    SELECT of_workspace, each, of_kind, of_type, free_shard(of_workspace), more
    FROM unnest(ARRAY[-1000000000, floor(at / 3600)]) AS each WHERE each IS NOT NULL
    ON CONFLICT (workspace, hour, kind, type, shard) DO UPDATE SET n = tallies.n + excluded.n;
END
$$;

-- What comes and goes is counted by the statement, and what becomes another by the row: most changes make no difference
-- here, and PostgreSQL sees that by itself.

CREATE FUNCTION tally_memories() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, shard, n)
    SELECT workspace, hour, kind, type, free_shard(workspace), COUNT(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
    FROM (
        SELECT workspace, -1000000000 AS hour, 'memory' AS kind, type FROM changed
        UNION ALL SELECT workspace, floor(created_at / 3600), 'memory', type FROM changed
        UNION ALL SELECT workspace, -1000000000, 'status', status FROM changed
    ) AS counted
    GROUP BY workspace, hour, kind, type
    ON CONFLICT (workspace, hour, kind, type, shard) DO UPDATE SET n = tallies.n + excluded.n;
    RETURN NULL;
END
$$;
CREATE TRIGGER memories_tally_added AFTER INSERT ON memories REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();
CREATE TRIGGER memories_tally_removed AFTER DELETE ON memories REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();
CREATE FUNCTION tally_memories_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tally(old.workspace, 'memory', old.type, old.created_at, -1);
    PERFORM tally(new.workspace, 'memory', new.type, new.created_at, 1);
    PERFORM tally(old.workspace, 'status', old.status, NULL, -1);
    PERFORM tally(new.workspace, 'status', new.status, NULL, 1);
    RETURN NULL;
END
$$;
CREATE TRIGGER memories_tally_moved AFTER UPDATE ON memories FOR EACH ROW
    WHEN (old.type <> new.type OR old.created_at <> new.created_at OR old.status <> new.status)
    EXECUTE FUNCTION tally_memories_moved();

CREATE FUNCTION tally_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, shard, n)
    SELECT workspace, hour, kind, type, free_shard(workspace), COUNT(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
    FROM (
        SELECT workspace, -1000000000 AS hour, 'event' AS kind, type FROM changed
        UNION ALL SELECT workspace, floor(at / 3600), 'event', type FROM changed
    ) AS counted
    GROUP BY workspace, hour, kind, type
    ON CONFLICT (workspace, hour, kind, type, shard) DO UPDATE SET n = tallies.n + excluded.n;
    RETURN NULL;
END
$$;
CREATE TRIGGER events_tally_added AFTER INSERT ON events REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_events();
CREATE TRIGGER events_tally_removed AFTER DELETE ON events REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_events();
CREATE FUNCTION tally_events_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tally(old.workspace, 'event', old.type, old.at, -1);
    PERFORM tally(new.workspace, 'event', new.type, new.at, 1);
    RETURN NULL;
END
$$;
CREATE TRIGGER events_tally_moved AFTER UPDATE ON events FOR EACH ROW
    WHEN (old.type <> new.type OR old.at <> new.at)
    EXECUTE FUNCTION tally_events_moved();

CREATE FUNCTION tally_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, shard, n)
    SELECT workspace, hour, kind, type, free_shard(workspace), COUNT(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
    FROM (
        SELECT workspace, -1000000000 AS hour, 'message' AS kind, author AS type FROM changed
        UNION ALL SELECT workspace, floor(created_at / 3600), 'message', author FROM changed
    ) AS counted
    GROUP BY workspace, hour, kind, type
    ON CONFLICT (workspace, hour, kind, type, shard) DO UPDATE SET n = tallies.n + excluded.n;
    RETURN NULL;
END
$$;
CREATE TRIGGER messages_tally_added AFTER INSERT ON messages REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_messages();
CREATE TRIGGER messages_tally_removed AFTER DELETE ON messages REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_messages();
CREATE FUNCTION tally_messages_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tally(old.workspace, 'message', old.author, old.created_at, -1);
    PERFORM tally(new.workspace, 'message', new.author, new.created_at, 1);
    RETURN NULL;
END
$$;
CREATE TRIGGER messages_tally_moved AFTER UPDATE ON messages FOR EACH ROW
    WHEN (old.author <> new.author OR old.created_at <> new.created_at)
    EXECUTE FUNCTION tally_messages_moved();

CREATE FUNCTION tally_conversations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, shard, n)
    SELECT workspace, hour, kind, type, free_shard(workspace), COUNT(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
    FROM (
        SELECT workspace, -1000000000 AS hour, 'conversation' AS kind, '' AS type FROM changed
    ) AS counted
    GROUP BY workspace, hour, kind, type
    ON CONFLICT (workspace, hour, kind, type, shard) DO UPDATE SET n = tallies.n + excluded.n;
    RETURN NULL;
END
$$;
CREATE TRIGGER conversations_tally_added AFTER INSERT ON conversations REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_conversations();
CREATE TRIGGER conversations_tally_removed AFTER DELETE ON conversations REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_conversations();

CREATE FUNCTION tally_summaries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, shard, n)
    SELECT workspace, hour, kind, type, free_shard(workspace), COUNT(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
    FROM (
        SELECT workspace, -1000000000 AS hour, 'summary' AS kind, '' AS type FROM changed
        UNION ALL SELECT workspace, floor(created_at / 3600), 'summary', '' FROM changed
    ) AS counted
    GROUP BY workspace, hour, kind, type
    ON CONFLICT (workspace, hour, kind, type, shard) DO UPDATE SET n = tallies.n + excluded.n;
    RETURN NULL;
END
$$;
CREATE TRIGGER summaries_tally_added AFTER INSERT ON summaries REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_summaries();
CREATE TRIGGER summaries_tally_removed AFTER DELETE ON summaries REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_summaries();
CREATE FUNCTION tally_summaries_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tally(old.workspace, 'summary', '', old.created_at, -1);
    PERFORM tally(new.workspace, 'summary', '', new.created_at, 1);
    RETURN NULL;
END
$$;
CREATE TRIGGER summaries_tally_moved AFTER UPDATE ON summaries FOR EACH ROW
    WHEN (old.created_at <> new.created_at)
    EXECUTE FUNCTION tally_summaries_moved();

CREATE FUNCTION tally_misses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, shard, n)
    SELECT workspace, hour, kind, type, free_shard(workspace), COUNT(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
    FROM (
        SELECT workspace, -1000000000 AS hour, 'miss' AS kind, '' AS type FROM changed
        UNION ALL SELECT workspace, floor(created_at / 3600), 'miss', '' FROM changed
    ) AS counted
    GROUP BY workspace, hour, kind, type
    ON CONFLICT (workspace, hour, kind, type, shard) DO UPDATE SET n = tallies.n + excluded.n;
    RETURN NULL;
END
$$;
CREATE TRIGGER misses_tally_added AFTER INSERT ON misses REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_misses();
CREATE TRIGGER misses_tally_removed AFTER DELETE ON misses REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_misses();
CREATE FUNCTION tally_misses_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tally(old.workspace, 'miss', '', old.created_at, -1);
    PERFORM tally(new.workspace, 'miss', '', new.created_at, 1);
    RETURN NULL;
END
$$;
CREATE TRIGGER misses_tally_moved AFTER UPDATE ON misses FOR EACH ROW
    WHEN (old.created_at <> new.created_at)
    EXECUTE FUNCTION tally_misses_moved();

CREATE FUNCTION tally_passages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, shard, n)
    SELECT workspace, hour, kind, type, free_shard(workspace), COUNT(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
    FROM (
        SELECT workspace, -1000000000 AS hour, 'passage' AS kind, '' AS type FROM changed WHERE until IS NULL
    ) AS counted
    GROUP BY workspace, hour, kind, type
    ON CONFLICT (workspace, hour, kind, type, shard) DO UPDATE SET n = tallies.n + excluded.n;
    RETURN NULL;
END
$$;
CREATE TRIGGER passages_tally_added AFTER INSERT ON passages REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_passages();
CREATE TRIGGER passages_tally_removed AFTER DELETE ON passages REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_passages();
CREATE FUNCTION tally_passages_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tally(new.workspace, 'passage', '', NULL, CASE WHEN new.until IS NULL THEN 1 ELSE -1 END);
    RETURN NULL;
END
$$;
CREATE TRIGGER passages_tally_moved AFTER UPDATE ON passages FOR EACH ROW
    WHEN ((old.until IS NULL) <> (new.until IS NULL))
    EXECUTE FUNCTION tally_passages_moved();

CREATE FUNCTION tally_vectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, shard, n)
    SELECT workspace, hour, kind, type, free_shard(workspace), COUNT(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
    FROM (
        SELECT workspace, -1000000000 AS hour, 'vector' AS kind, model AS type FROM changed WHERE until IS NULL
    ) AS counted
    GROUP BY workspace, hour, kind, type
    ON CONFLICT (workspace, hour, kind, type, shard) DO UPDATE SET n = tallies.n + excluded.n;
    RETURN NULL;
END
$$;
CREATE TRIGGER vectors_tally_added AFTER INSERT ON vectors REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_vectors();
CREATE TRIGGER vectors_tally_removed AFTER DELETE ON vectors REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_vectors();
CREATE FUNCTION tally_vectors_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tally(new.workspace, 'vector', new.model, NULL, CASE WHEN new.until IS NULL THEN 1 ELSE -1 END);
    RETURN NULL;
END
$$;
CREATE TRIGGER vectors_tally_moved AFTER UPDATE ON vectors FOR EACH ROW
    WHEN ((old.until IS NULL) <> (new.until IS NULL))
    EXECUTE FUNCTION tally_vectors_moved();

-- What is offered whatever was said, in the order in which it is offered.
CREATE INDEX memories_due ON memories (workspace, importance DESC, created_at DESC, id DESC)
WHERE status = 'active' AND valid_to IS NULL AND (durability = 'identity' OR importance >= 8);
