-- Background work, in the same database as the data (C5).

-- Fresh numbers for passages and jobs. A number is never used twice, so a cache cannot mistake one row
-- for another.
CREATE TABLE counters (
    name TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
);
INSERT INTO counters (name, value) VALUES ('passages', 0), ('jobs', 0);

CREATE TABLE jobs (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    lane TEXT NOT NULL,
    key TEXT,
    subject TEXT NOT NULL,
    priority INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    run_at REAL NOT NULL,
    lease TEXT NOT NULL,
    lease_until REAL,
    error TEXT NOT NULL,
    seq INTEGER NOT NULL,
    created_at REAL NOT NULL,
    finished_at REAL,
    PRIMARY KEY (workspace, id)
);
CREATE INDEX jobs_order ON jobs (workspace, seq, id);
CREATE UNIQUE INDEX jobs_key ON jobs (workspace, kind, key) WHERE key IS NOT NULL;
CREATE INDEX jobs_free ON jobs (workspace, state, priority, seq);
CREATE INDEX jobs_lane ON jobs (workspace, lane, seq) WHERE lane <> '';
CREATE INDEX jobs_subject ON jobs (workspace, subject) WHERE subject <> '';

CREATE TABLE queues (
    workspace TEXT NOT NULL PRIMARY KEY,
    paused INTEGER NOT NULL DEFAULT 0,
    tokens REAL,
    filled_at REAL
);
