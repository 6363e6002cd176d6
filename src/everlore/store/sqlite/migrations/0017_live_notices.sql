-- What one process tells the others that work on this database: live events for their sockets, and requests to stop a
-- reply. Rows are kept for some seconds only. `live_listeners` says which processes have sockets open.

CREATE TABLE live_notices (
    workspace TEXT NOT NULL,
    origin TEXT NOT NULL,
    number INTEGER NOT NULL,
    conversation_id TEXT,
    body TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (workspace, origin, number)
) WITHOUT ROWID;

CREATE TABLE live_listeners (
    workspace TEXT NOT NULL,
    process TEXT NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (workspace, process)
) WITHOUT ROWID;
