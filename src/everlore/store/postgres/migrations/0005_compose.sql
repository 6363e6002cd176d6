-- Templates in all their versions, what a model was told for each reply, and how much a message matters later.
-- An index ends as the pages that it serves are ordered, the id included, so that none has to be sorted.

CREATE TABLE templates (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    version BIGINT NOT NULL,
    document TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (workspace, id)
);
CREATE INDEX templates_name ON templates (workspace, name, created_at, id);
CREATE INDEX templates_order ON templates (workspace, created_at, id);

CREATE TABLE template_versions (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    template_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    document TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, template_id) REFERENCES templates (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX template_versions_template_id ON template_versions (workspace, template_id, version, id);
CREATE INDEX template_versions_order ON template_versions (workspace, version, id);

CREATE TABLE xrays (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    account BYTEA NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, message_id) REFERENCES messages (workspace, id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (workspace, conversation_id) REFERENCES conversations (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX xrays_message_id ON xrays (workspace, message_id, created_at, id);
CREATE INDEX xrays_conversation_id ON xrays (workspace, conversation_id, created_at, id);
CREATE INDEX xrays_order ON xrays (workspace, created_at, id);

ALTER TABLE messages ADD COLUMN weight BIGINT;
-- The weight is last: what weighs otherwise is passed over in the index, and never read. "WHERE weight >= 5" would be
-- smaller, but SQLite cannot tell that a list of weights fits it.
CREATE INDEX messages_weight ON messages (workspace, conversation_id, seq, id, weight) WHERE weight IS NOT NULL;
