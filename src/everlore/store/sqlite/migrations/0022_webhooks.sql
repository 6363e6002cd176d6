-- Addresses that are told what happens in a workspace. A workspace has a few, and all of them are read with each change.

CREATE TABLE webhooks (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    secret TEXT NOT NULL,
    failures INTEGER NOT NULL,
    disabled TEXT NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    PRIMARY KEY (workspace, id)
);
CREATE INDEX webhooks_order ON webhooks (workspace, created_at, id);
