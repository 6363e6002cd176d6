-- The search index over memories, messages, summaries, events and entities.

-- What search looks through. `terms` are stems and scope tokens, separated by spaces.
CREATE TABLE passages (
    row INTEGER NOT NULL PRIMARY KEY,
    workspace TEXT NOT NULL,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    terms TEXT NOT NULL,
    length INTEGER NOT NULL,
    pair TEXT,
    persons TEXT NOT NULL,
    conversation_id TEXT,
    campaign_id TEXT,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    visibility TEXT NOT NULL,
    at REAL NOT NULL,
    valid_from REAL,
    valid_to REAL,
    since REAL NOT NULL,
    until REAL,
    UNIQUE (workspace, row)
);
CREATE INDEX passages_ref ON passages (workspace, kind, ref);

-- No positions and no columns: every term, a scope token included, is a word of its own.
CREATE VIRTUAL TABLE passages_text USING fts5 (
    terms, content = 'passages', content_rowid = 'row', tokenize = 'ascii', detail = none, columnsize = 0
);

CREATE TABLE vectors (
    workspace TEXT NOT NULL,
    row INTEGER NOT NULL,
    model TEXT NOT NULL,
    vec BLOB NOT NULL,
    PRIMARY KEY (workspace, row, model),
    FOREIGN KEY (workspace, row) REFERENCES passages (workspace, row) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;

-- Which rows of the index changed, in order: what a cached index reads to catch up. A passage that was
-- added needs no entry: its row is higher than any before.
CREATE TABLE index_changes (
    number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    workspace TEXT NOT NULL,
    row INTEGER NOT NULL
);
CREATE INDEX index_changes_workspace ON index_changes (workspace, number, row);

CREATE TRIGGER passages_removed AFTER DELETE ON passages BEGIN
    INSERT INTO passages_text (passages_text, rowid, terms) VALUES ('delete', old.row, old.terms);
    INSERT INTO index_changes (workspace, row) VALUES (old.workspace, old.row);
END;
CREATE TRIGGER passages_changed AFTER UPDATE ON passages BEGIN
    INSERT INTO index_changes (workspace, row) VALUES (new.workspace, new.row);
END;
CREATE TRIGGER passages_reworded AFTER UPDATE OF terms ON passages BEGIN
    INSERT INTO passages_text (passages_text, rowid, terms) VALUES ('delete', old.row, old.terms);
    INSERT INTO passages_text (rowid, terms) VALUES (new.row, new.terms);
END;
CREATE TRIGGER vectors_added AFTER INSERT ON vectors BEGIN
    INSERT INTO index_changes (workspace, row) VALUES (new.workspace, new.row);
END;
CREATE TRIGGER vectors_changed AFTER UPDATE ON vectors BEGIN
    INSERT INTO index_changes (workspace, row) VALUES (new.workspace, new.row);
END;
CREATE TRIGGER vectors_removed AFTER DELETE ON vectors BEGIN
    INSERT INTO index_changes (workspace, row) VALUES (old.workspace, old.row);
END;
