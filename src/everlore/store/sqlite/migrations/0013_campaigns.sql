-- What a campaign is made of beside its memories: ties that know where they come from, and what waits for its game
-- master to decide.

ALTER TABLE events ADD COLUMN is_spoiler INTEGER NOT NULL DEFAULT 0;

ALTER TABLE relationships ADD COLUMN campaign_id TEXT;
ALTER TABLE relationships ADD COLUMN message_id TEXT;
ALTER TABLE relationships ADD COLUMN is_spoiler INTEGER NOT NULL DEFAULT 0;
ALTER TABLE relationships ADD COLUMN gm_edited INTEGER NOT NULL DEFAULT 0;
UPDATE relationships SET campaign_id = (
    SELECT campaign_id FROM entities WHERE entities.workspace = relationships.workspace AND entities.id = relationships.source_id
);
CREATE INDEX relationships_campaign_id ON relationships (workspace, campaign_id, created_at, id) WHERE campaign_id IS NOT NULL;
CREATE INDEX relationships_message_id ON relationships (workspace, message_id, created_at, id) WHERE message_id IS NOT NULL;

CREATE TABLE proposals (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    campaign_id TEXT NOT NULL,
    session_id TEXT,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    evidence TEXT NOT NULL,
    message_id TEXT,
    match_id TEXT,
    confidence REAL NOT NULL,
    detail TEXT NOT NULL,
    is_spoiler INTEGER NOT NULL,
    status TEXT NOT NULL,
    decided_by TEXT NOT NULL,
    decided_at REAL,
    outcome TEXT NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, campaign_id) REFERENCES campaigns (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX proposals_campaign_id ON proposals (workspace, campaign_id, created_at, id);
CREATE INDEX proposals_waiting ON proposals (workspace, campaign_id, status, kind, created_at, id);
CREATE INDEX proposals_session_id ON proposals (workspace, session_id, created_at, id) WHERE session_id IS NOT NULL;
CREATE INDEX proposals_message_id ON proposals (workspace, message_id, created_at, id) WHERE message_id IS NOT NULL;
CREATE INDEX proposals_match_id ON proposals (workspace, match_id, created_at, id) WHERE match_id IS NOT NULL;
CREATE INDEX proposals_order ON proposals (workspace, created_at, id);

-- What a prompt of a campaign always holds: what is of the whole of it or of a chapter, and what is of some kinds.
CREATE INDEX memories_of_campaign ON memories (workspace, campaign_id, session_id, chapter_id, created_at, id) WHERE campaign_id IS NOT NULL;
CREATE INDEX memories_of_campaign_by_type ON memories (workspace, campaign_id, type, created_at, id) WHERE campaign_id IS NOT NULL;
