-- Background work, in the same database as the data (C5).

CREATE SEQUENCE jobs_numbers;

CREATE TABLE jobs (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    lane TEXT NOT NULL,
    key TEXT,
    subject TEXT NOT NULL,
    priority BIGINT NOT NULL,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    max_attempts BIGINT NOT NULL,
    run_at DOUBLE PRECISION NOT NULL,
    lease TEXT NOT NULL,
    lease_until DOUBLE PRECISION,
    error TEXT NOT NULL,
    seq BIGINT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    finished_at DOUBLE PRECISION,
    PRIMARY KEY (workspace, id)
);
CREATE INDEX jobs_order ON jobs (workspace, seq, id);
CREATE UNIQUE INDEX jobs_key ON jobs (workspace, kind, key) WHERE key IS NOT NULL;
CREATE INDEX jobs_free ON jobs (workspace, state, priority, seq);
CREATE INDEX jobs_lane ON jobs (workspace, lane, seq) WHERE lane <> '';
CREATE INDEX jobs_subject ON jobs (workspace, subject) WHERE subject <> '';

CREATE TABLE queues (
    workspace TEXT NOT NULL PRIMARY KEY,
    paused BIGINT NOT NULL DEFAULT 0,
    tokens DOUBLE PRECISION,
    filled_at DOUBLE PRECISION
);
