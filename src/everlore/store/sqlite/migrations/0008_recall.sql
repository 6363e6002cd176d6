-- Who was told what by whom, what slipped out, and what was asked for in vain. What was told is known: the index by
-- listener has all that a search needs of it.

CREATE TABLE tellings (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    teller_id TEXT NOT NULL,
    listener_id TEXT NOT NULL,
    conversation_id TEXT,
    message_id TEXT,
    degree INTEGER NOT NULL,
    certainty REAL NOT NULL,
    told_at REAL NOT NULL,
    created_at REAL NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, memory_id) REFERENCES memories (workspace, id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (workspace, teller_id) REFERENCES persons (workspace, id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (workspace, listener_id) REFERENCES persons (workspace, id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (workspace, conversation_id) REFERENCES conversations (workspace, id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (workspace, message_id) REFERENCES messages (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX tellings_memory_id ON tellings (workspace, memory_id, told_at, id);
CREATE INDEX tellings_teller_id ON tellings (workspace, teller_id, told_at, id);
CREATE INDEX tellings_listener_id ON tellings (workspace, listener_id, told_at, id, memory_id);
CREATE INDEX tellings_conversation_id ON tellings (workspace, conversation_id, told_at, id) WHERE conversation_id IS NOT NULL;
CREATE INDEX tellings_message_id ON tellings (workspace, message_id, told_at, id) WHERE message_id IS NOT NULL;
CREATE INDEX tellings_order ON tellings (workspace, told_at, id);

CREATE TABLE rolls (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    person_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    seed TEXT NOT NULL,
    difficulty INTEGER NOT NULL,
    rolled INTEGER NOT NULL,
    memory_id TEXT,
    created_at REAL NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, conversation_id) REFERENCES conversations (workspace, id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (workspace, person_id) REFERENCES persons (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX rolls_conversation_id ON rolls (workspace, conversation_id, created_at, id, seq);
CREATE INDEX rolls_person_id ON rolls (workspace, person_id, created_at, id);
CREATE INDEX rolls_memory_id ON rolls (workspace, memory_id, created_at, id) WHERE memory_id IS NOT NULL;
CREATE INDEX rolls_order ON rolls (workspace, created_at, id, seq);

CREATE TABLE misses (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    query TEXT NOT NULL,
    mode TEXT NOT NULL,
    conversation_id TEXT,
    person_id TEXT,
    passages INTEGER NOT NULL,
    embedded INTEGER NOT NULL,
    embedder TEXT NOT NULL,
    created_at REAL NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, conversation_id) REFERENCES conversations (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX misses_conversation_id ON misses (workspace, conversation_id, created_at, id, mode) WHERE conversation_id IS NOT NULL;
CREATE INDEX misses_person_id ON misses (workspace, person_id, created_at, id, mode) WHERE person_id IS NOT NULL;
CREATE INDEX misses_order ON misses (workspace, created_at, id, mode);

-- The importance is last: what matters otherwise is passed over in the index, and never read.
DROP INDEX memories_order;
CREATE INDEX memories_order ON memories (workspace, created_at, id, importance);

-- What is now a spoiler, and of the past what was one for any part of the time that a passage stood for.
ALTER TABLE passages ADD COLUMN is_spoiler INTEGER NOT NULL DEFAULT 0;
UPDATE passages SET is_spoiler = 1 WHERE kind = 'memory' AND until IS NULL AND EXISTS (
    SELECT 1 FROM memories WHERE memories.workspace = passages.workspace AND memories.id = passages.ref
    AND memories.is_spoiler = 1
);
UPDATE passages SET is_spoiler = 1 WHERE kind = 'memory' AND until IS NOT NULL AND EXISTS (
    SELECT 1 FROM revisions WHERE revisions.workspace = passages.workspace AND revisions.memory_id = passages.ref
    AND revisions.since < passages.until AND passages.since < revisions.until
    AND json_extract(revisions.memory, '$.is_spoiler') = 1
);
UPDATE passages SET is_spoiler = 1 WHERE kind = 'entity' AND EXISTS (
    SELECT 1 FROM entities WHERE entities.workspace = passages.workspace AND entities.id = passages.ref
    AND entities.is_spoiler = 1
);
