-- Conversations are listed by their latest activity, replies that were being written when a process died are
-- found at once, and characters have pictures.

ALTER TABLE messages ADD COLUMN hidden BIGINT NOT NULL DEFAULT 0;
CREATE INDEX messages_streaming ON messages (workspace, seq) WHERE state = 'streaming';

ALTER TABLE conversations ADD COLUMN episode BIGINT NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
DROP INDEX conversations_user_id;
DROP INDEX conversations_campaign_id;
DROP INDEX conversations_session_id;
DROP INDEX conversations_branched_from_id;
DROP INDEX conversations_order;
CREATE INDEX conversations_user_id ON conversations (workspace, user_id, updated_at) WHERE user_id IS NOT NULL;
CREATE INDEX conversations_campaign_id ON conversations (workspace, campaign_id, updated_at) WHERE campaign_id IS NOT NULL;
CREATE INDEX conversations_session_id ON conversations (workspace, session_id, updated_at) WHERE session_id IS NOT NULL;
CREATE INDEX conversations_branched_from_id ON conversations (workspace, branched_from_id, updated_at) WHERE branched_from_id IS NOT NULL;
CREATE INDEX conversations_order ON conversations (workspace, updated_at, id);

CREATE TABLE media (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    person_id TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    content BYTEA NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, person_id) REFERENCES persons (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX media_person_id ON media (workspace, person_id, created_at);
CREATE INDEX media_order ON media (workspace, created_at, id);
