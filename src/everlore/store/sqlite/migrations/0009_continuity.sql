-- Keys to a workspace, the audit log, what was too long to stand in an event, inner dialogues, and how much there is of
-- what.

ALTER TABLE conversations ADD COLUMN inner_of_id TEXT;
CREATE INDEX conversations_inner_of_id ON conversations (workspace, inner_of_id, updated_at, id) WHERE inner_of_id IS NOT NULL;

CREATE TABLE attachments (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at REAL NOT NULL,
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
    per_minute INTEGER,
    created_at REAL NOT NULL,
    expires_at REAL,
    last_used_at REAL,
    revoked_at REAL,
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
    at REAL NOT NULL,
    actor TEXT NOT NULL,
    role TEXT NOT NULL,
    verb TEXT NOT NULL,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (workspace, id)
) WITHOUT ROWID;
CREATE INDEX deeds_ref ON deeds (workspace, ref, at, id, kind);
CREATE INDEX deeds_order ON deeds (workspace, at, id, kind, verb, actor, role);
CREATE TRIGGER deeds_unchanged BEFORE UPDATE ON deeds BEGIN
    SELECT RAISE(ABORT, 'The audit log is only ever added to');
END;
CREATE TRIGGER deeds_kept BEFORE DELETE ON deeds BEGIN
    SELECT RAISE(ABORT, 'The audit log is only ever added to');
END;

-- How many there are of each kind and type, counted as they come and go (C9), so that nobody need look: of all, under
-- an hour that never was, and of those that came in one hour (since 1970). The hour is first in the key: what there is
-- in all stands together, and so does what came since.
-- A time before 1970 is of the hour that it is in, as any other: a cast alone would round it up.
CREATE TABLE tallies (
    workspace TEXT NOT NULL,
    hour INTEGER NOT NULL,
    kind TEXT NOT NULL,
    type TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (workspace, hour, kind, type)
) WITHOUT ROWID;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT workspace, -1000000000, 'memory', type, COUNT(*) FROM memories GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT workspace, CAST(created_at / 3600 AS INTEGER)
    - (created_at / 3600 < CAST(created_at / 3600 AS INTEGER)), 'memory', type, COUNT(*)
FROM memories GROUP BY 1, 2, 4;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT workspace, -1000000000, 'status', status, COUNT(*) FROM memories GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT workspace, -1000000000, 'event', type, COUNT(*) FROM events GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT workspace, CAST(at / 3600 AS INTEGER)
    - (at / 3600 < CAST(at / 3600 AS INTEGER)), 'event', type, COUNT(*)
FROM events GROUP BY 1, 2, 4;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT workspace, -1000000000, 'message', author, COUNT(*) FROM messages GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT workspace, CAST(created_at / 3600 AS INTEGER)
    - (created_at / 3600 < CAST(created_at / 3600 AS INTEGER)), 'message', author, COUNT(*)
FROM messages GROUP BY 1, 2, 4;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT workspace, -1000000000, 'conversation', '', COUNT(*) FROM conversations GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT workspace, -1000000000, 'summary', '', COUNT(*) FROM summaries GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT workspace, CAST(created_at / 3600 AS INTEGER)
    - (created_at / 3600 < CAST(created_at / 3600 AS INTEGER)), 'summary', '', COUNT(*)
FROM summaries GROUP BY 1, 2, 4;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT workspace, -1000000000, 'miss', '', COUNT(*) FROM misses GROUP BY 1, 4;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT workspace, CAST(created_at / 3600 AS INTEGER)
    - (created_at / 3600 < CAST(created_at / 3600 AS INTEGER)), 'miss', '', COUNT(*)
FROM misses GROUP BY 1, 2, 4;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT workspace, -1000000000, 'passage', '', COUNT(*) FROM passages WHERE until IS NULL GROUP BY 1;
INSERT INTO tallies (workspace, hour, kind, type, n)
SELECT vectors.workspace, -1000000000, 'vector', vectors.model, COUNT(*)
FROM vectors JOIN passages ON passages.workspace = vectors.workspace AND passages.row = vectors.row
WHERE passages.until IS NULL GROUP BY 1, 4;

CREATE TRIGGER memories_tally_added AFTER INSERT ON memories BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (new.workspace, -1000000000, 'memory', new.type, 1),
        (new.workspace, CAST(new.created_at / 3600 AS INTEGER)
            - (new.created_at / 3600 < CAST(new.created_at / 3600 AS INTEGER)), 'memory', new.type, 1),
        (new.workspace, -1000000000, 'status', new.status, 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER memories_tally_removed AFTER DELETE ON memories BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (old.workspace, -1000000000, 'memory', old.type, -1),
        (old.workspace, CAST(old.created_at / 3600 AS INTEGER)
            - (old.created_at / 3600 < CAST(old.created_at / 3600 AS INTEGER)), 'memory', old.type, -1),
        (old.workspace, -1000000000, 'status', old.status, -1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER memories_tally_retyped AFTER UPDATE OF type, created_at ON memories
WHEN old.type <> new.type OR old.created_at <> new.created_at BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (old.workspace, -1000000000, 'memory', old.type, -1),
        (old.workspace, CAST(old.created_at / 3600 AS INTEGER)
            - (old.created_at / 3600 < CAST(old.created_at / 3600 AS INTEGER)), 'memory', old.type, -1),
        (new.workspace, -1000000000, 'memory', new.type, 1),
        (new.workspace, CAST(new.created_at / 3600 AS INTEGER)
            - (new.created_at / 3600 < CAST(new.created_at / 3600 AS INTEGER)), 'memory', new.type, 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER memories_tally_restated AFTER UPDATE OF status ON memories
WHEN old.status <> new.status BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (old.workspace, -1000000000, 'status', old.status, -1),
        (new.workspace, -1000000000, 'status', new.status, 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;

CREATE TRIGGER events_tally_added AFTER INSERT ON events BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (new.workspace, -1000000000, 'event', new.type, 1),
        (new.workspace, CAST(new.at / 3600 AS INTEGER)
            - (new.at / 3600 < CAST(new.at / 3600 AS INTEGER)), 'event', new.type, 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER events_tally_removed AFTER DELETE ON events BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (old.workspace, -1000000000, 'event', old.type, -1),
        (old.workspace, CAST(old.at / 3600 AS INTEGER)
            - (old.at / 3600 < CAST(old.at / 3600 AS INTEGER)), 'event', old.type, -1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER events_tally_retyped AFTER UPDATE OF type, at ON events
WHEN old.type <> new.type OR old.at <> new.at BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (old.workspace, -1000000000, 'event', old.type, -1),
        (old.workspace, CAST(old.at / 3600 AS INTEGER)
            - (old.at / 3600 < CAST(old.at / 3600 AS INTEGER)), 'event', old.type, -1),
        (new.workspace, -1000000000, 'event', new.type, 1),
        (new.workspace, CAST(new.at / 3600 AS INTEGER)
            - (new.at / 3600 < CAST(new.at / 3600 AS INTEGER)), 'event', new.type, 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;

CREATE TRIGGER messages_tally_added AFTER INSERT ON messages BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (new.workspace, -1000000000, 'message', new.author, 1),
        (new.workspace, CAST(new.created_at / 3600 AS INTEGER)
            - (new.created_at / 3600 < CAST(new.created_at / 3600 AS INTEGER)), 'message', new.author, 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER messages_tally_removed AFTER DELETE ON messages BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (old.workspace, -1000000000, 'message', old.author, -1),
        (old.workspace, CAST(old.created_at / 3600 AS INTEGER)
            - (old.created_at / 3600 < CAST(old.created_at / 3600 AS INTEGER)), 'message', old.author, -1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER messages_tally_retyped AFTER UPDATE OF author, created_at ON messages
WHEN old.author <> new.author OR old.created_at <> new.created_at BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (old.workspace, -1000000000, 'message', old.author, -1),
        (old.workspace, CAST(old.created_at / 3600 AS INTEGER)
            - (old.created_at / 3600 < CAST(old.created_at / 3600 AS INTEGER)), 'message', old.author, -1),
        (new.workspace, -1000000000, 'message', new.author, 1),
        (new.workspace, CAST(new.created_at / 3600 AS INTEGER)
            - (new.created_at / 3600 < CAST(new.created_at / 3600 AS INTEGER)), 'message', new.author, 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;

CREATE TRIGGER conversations_tally_added AFTER INSERT ON conversations BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (new.workspace, -1000000000, 'conversation', '', 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER conversations_tally_removed AFTER DELETE ON conversations BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (old.workspace, -1000000000, 'conversation', '', -1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;

CREATE TRIGGER summaries_tally_added AFTER INSERT ON summaries BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (new.workspace, -1000000000, 'summary', '', 1),
        (new.workspace, CAST(new.created_at / 3600 AS INTEGER)
            - (new.created_at / 3600 < CAST(new.created_at / 3600 AS INTEGER)), 'summary', '', 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER summaries_tally_removed AFTER DELETE ON summaries BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (old.workspace, -1000000000, 'summary', '', -1),
        (old.workspace, CAST(old.created_at / 3600 AS INTEGER)
            - (old.created_at / 3600 < CAST(old.created_at / 3600 AS INTEGER)), 'summary', '', -1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER summaries_tally_retyped AFTER UPDATE OF created_at ON summaries
WHEN old.created_at <> new.created_at BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (old.workspace, -1000000000, 'summary', '', -1),
        (old.workspace, CAST(old.created_at / 3600 AS INTEGER)
            - (old.created_at / 3600 < CAST(old.created_at / 3600 AS INTEGER)), 'summary', '', -1),
        (new.workspace, -1000000000, 'summary', '', 1),
        (new.workspace, CAST(new.created_at / 3600 AS INTEGER)
            - (new.created_at / 3600 < CAST(new.created_at / 3600 AS INTEGER)), 'summary', '', 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;

CREATE TRIGGER misses_tally_added AFTER INSERT ON misses BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (new.workspace, -1000000000, 'miss', '', 1),
        (new.workspace, CAST(new.created_at / 3600 AS INTEGER)
            - (new.created_at / 3600 < CAST(new.created_at / 3600 AS INTEGER)), 'miss', '', 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER misses_tally_removed AFTER DELETE ON misses BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (old.workspace, -1000000000, 'miss', '', -1),
        (old.workspace, CAST(old.created_at / 3600 AS INTEGER)
            - (old.created_at / 3600 < CAST(old.created_at / 3600 AS INTEGER)), 'miss', '', -1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER misses_tally_retyped AFTER UPDATE OF created_at ON misses
WHEN old.created_at <> new.created_at BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n)
    VALUES
        (old.workspace, -1000000000, 'miss', '', -1),
        (old.workspace, CAST(old.created_at / 3600 AS INTEGER)
            - (old.created_at / 3600 < CAST(old.created_at / 3600 AS INTEGER)), 'miss', '', -1),
        (new.workspace, -1000000000, 'miss', '', 1),
        (new.workspace, CAST(new.created_at / 3600 AS INTEGER)
            - (new.created_at / 3600 < CAST(new.created_at / 3600 AS INTEGER)), 'miss', '', 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;

-- What stands for the present. A vector counts as long as its passage does: one that is deleted takes its vectors
-- along, and they cannot ask it any more. One that is closed is never opened again.
CREATE TRIGGER passages_tally_added AFTER INSERT ON passages WHEN new.until IS NULL BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n) VALUES (new.workspace, -1000000000, 'passage', '', 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER passages_tally_removed BEFORE DELETE ON passages WHEN old.until IS NULL BEGIN
    UPDATE tallies SET n = n - 1 WHERE workspace = old.workspace AND hour = -1000000000
    AND kind = 'passage' AND type = '';
    UPDATE tallies SET n = n - 1 WHERE workspace = old.workspace AND hour = -1000000000
    AND kind = 'vector' AND type IN (SELECT model FROM vectors WHERE workspace = old.workspace AND row = old.row);
END;
CREATE TRIGGER passages_tally_closed AFTER UPDATE OF until ON passages
WHEN old.until IS NULL AND new.until IS NOT NULL BEGIN
    UPDATE tallies SET n = n - 1 WHERE workspace = old.workspace AND hour = -1000000000
    AND kind = 'passage' AND type = '';
    UPDATE tallies SET n = n - 1 WHERE workspace = old.workspace AND hour = -1000000000
    AND kind = 'vector' AND type IN (SELECT model FROM vectors WHERE workspace = old.workspace AND row = old.row);
END;
CREATE TRIGGER vectors_tally_added AFTER INSERT ON vectors
WHEN (SELECT until IS NULL FROM passages WHERE row = new.row AND workspace = new.workspace) BEGIN
    INSERT INTO tallies (workspace, hour, kind, type, n) VALUES (new.workspace, -1000000000, 'vector', new.model, 1)
    ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER vectors_tally_removed AFTER DELETE ON vectors
WHEN (SELECT until IS NULL FROM passages WHERE row = old.row AND workspace = old.workspace) BEGIN
    UPDATE tallies SET n = n - 1 WHERE workspace = old.workspace AND hour = -1000000000
    AND kind = 'vector' AND type = old.model;
END;

-- What is offered whatever was said, in the order in which it is offered.
CREATE INDEX memories_due ON memories (workspace, importance DESC, created_at DESC, id DESC)
WHERE status = 'active' AND valid_to IS NULL AND (durability = 'identity' OR importance >= 8);
