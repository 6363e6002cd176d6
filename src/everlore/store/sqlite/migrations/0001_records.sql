-- The first schema. Every key begins with the workspace, so that no query need ever cross it and a
-- distributed database can shard by it. Times are seconds since 1970; tuples and objects are JSON text.

CREATE TABLE workspaces (
    id TEXT NOT NULL PRIMARY KEY
);

CREATE TABLE persons (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    age INTEGER,
    gender TEXT NOT NULL,
    pronouns TEXT NOT NULL,
    race TEXT NOT NULL,
    description TEXT NOT NULL,
    description_light TEXT NOT NULL,
    description_public TEXT NOT NULL,
    personality TEXT NOT NULL,
    speech_pattern TEXT NOT NULL,
    emotional_tendency TEXT NOT NULL,
    scenario TEXT NOT NULL,
    greetings TEXT NOT NULL,
    example_dialogue TEXT NOT NULL,
    statistics TEXT NOT NULL,
    memory_profile TEXT NOT NULL,
    models TEXT NOT NULL,
    avatar TEXT NOT NULL,
    tags TEXT NOT NULL,
    extensions TEXT NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    PRIMARY KEY (workspace, id)
);
CREATE INDEX persons_order ON persons (workspace, created_at, id);

CREATE TABLE campaigns (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    premise TEXT NOT NULL,
    gm_id TEXT,
    player_ids TEXT NOT NULL,
    extra TEXT NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    PRIMARY KEY (workspace, id)
);
CREATE INDEX campaigns_name ON campaigns (workspace, name, created_at);
CREATE INDEX campaigns_gm_id ON campaigns (workspace, gm_id, created_at) WHERE gm_id IS NOT NULL;
CREATE INDEX campaigns_order ON campaigns (workspace, created_at, id);

CREATE TABLE chapters (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    campaign_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    goals TEXT NOT NULL,
    extra TEXT NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    closed_at REAL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, campaign_id) REFERENCES campaigns (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX chapters_campaign_id ON chapters (workspace, campaign_id, number);
CREATE INDEX chapters_order ON chapters (workspace, number, id);

CREATE TABLE sessions (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    campaign_id TEXT NOT NULL,
    chapter_id TEXT,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    extra TEXT NOT NULL,
    started_at REAL NOT NULL,
    ended_at REAL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, campaign_id) REFERENCES campaigns (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX sessions_campaign_id ON sessions (workspace, campaign_id, number);
CREATE INDEX sessions_chapter_id ON sessions (workspace, chapter_id, number) WHERE chapter_id IS NOT NULL;
CREATE INDEX sessions_order ON sessions (workspace, number, id);

CREATE TABLE conversations (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    icon TEXT NOT NULL,
    state TEXT NOT NULL,
    system_ids TEXT NOT NULL,
    user_id TEXT,
    campaign_id TEXT,
    session_id TEXT,
    branched_from_id TEXT,
    branched_at_id TEXT,
    private INTEGER NOT NULL,
    config TEXT NOT NULL,
    message_count INTEGER NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    closed_at REAL,
    PRIMARY KEY (workspace, id)
);
CREATE INDEX conversations_user_id ON conversations (workspace, user_id, created_at) WHERE user_id IS NOT NULL;
CREATE INDEX conversations_campaign_id ON conversations (workspace, campaign_id, created_at) WHERE campaign_id IS NOT NULL;
CREATE INDEX conversations_session_id ON conversations (workspace, session_id, created_at) WHERE session_id IS NOT NULL;
CREATE INDEX conversations_branched_from_id ON conversations (workspace, branched_from_id, created_at) WHERE branched_from_id IS NOT NULL;
CREATE INDEX conversations_order ON conversations (workspace, created_at, id);

CREATE TABLE messages (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    author TEXT NOT NULL,
    person_id TEXT,
    content TEXT NOT NULL,
    state TEXT NOT NULL,
    error TEXT NOT NULL,
    present TEXT NOT NULL,
    alternatives TEXT NOT NULL,
    chosen INTEGER NOT NULL,
    tokens INTEGER,
    private INTEGER NOT NULL,
    metadata TEXT NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, conversation_id) REFERENCES conversations (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE UNIQUE INDEX messages_conversation_id ON messages (workspace, conversation_id, seq);
CREATE INDEX messages_person_id ON messages (workspace, person_id, seq) WHERE person_id IS NOT NULL;

CREATE TABLE summaries (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    level INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    content TEXT NOT NULL,
    extractive INTEGER NOT NULL,
    persons TEXT NOT NULL,
    private INTEGER NOT NULL,
    created_at REAL NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, conversation_id) REFERENCES conversations (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX summaries_conversation_id ON summaries (workspace, conversation_id, first_seq);
CREATE INDEX summaries_order ON summaries (workspace, first_seq, id);

CREATE TABLE events (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    content TEXT NOT NULL,
    at REAL NOT NULL,
    ended_at REAL,
    state TEXT NOT NULL,
    importance REAL NOT NULL,
    user_id TEXT,
    conversation_id TEXT,
    campaign_id TEXT,
    parent_id TEXT,
    actors TEXT NOT NULL,
    participants TEXT NOT NULL,
    entity_ids TEXT NOT NULL,
    tags TEXT NOT NULL,
    links TEXT NOT NULL,
    metadata TEXT NOT NULL,
    created_at REAL NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, conversation_id) REFERENCES conversations (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX events_user_id ON events (workspace, user_id, at) WHERE user_id IS NOT NULL;
CREATE INDEX events_conversation_id ON events (workspace, conversation_id, at) WHERE conversation_id IS NOT NULL;
CREATE INDEX events_campaign_id ON events (workspace, campaign_id, at) WHERE campaign_id IS NOT NULL;
CREATE INDEX events_parent_id ON events (workspace, parent_id, at) WHERE parent_id IS NOT NULL;
CREATE INDEX events_order ON events (workspace, at, id);

CREATE TABLE interactions (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    description TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    interactor_id TEXT NOT NULL,
    actor_outcome TEXT NOT NULL,
    interactor_outcome TEXT NOT NULL,
    state TEXT NOT NULL,
    conversation_id TEXT,
    event_id TEXT,
    started_at REAL NOT NULL,
    ended_at REAL,
    created_at REAL NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, conversation_id) REFERENCES conversations (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX interactions_conversation_id ON interactions (workspace, conversation_id, created_at) WHERE conversation_id IS NOT NULL;
CREATE INDEX interactions_event_id ON interactions (workspace, event_id, created_at) WHERE event_id IS NOT NULL;
CREATE INDEX interactions_actor_id ON interactions (workspace, actor_id, created_at);
CREATE INDEX interactions_interactor_id ON interactions (workspace, interactor_id, created_at);
CREATE INDEX interactions_order ON interactions (workspace, created_at, id);

CREATE TABLE entities (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    aliases TEXT NOT NULL,
    description TEXT NOT NULL,
    attributes TEXT NOT NULL,
    campaign_id TEXT,
    person_id TEXT,
    is_spoiler INTEGER NOT NULL,
    gm_edited INTEGER NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, campaign_id) REFERENCES campaigns (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX entities_name ON entities (workspace, name, created_at);
CREATE INDEX entities_campaign_id ON entities (workspace, campaign_id, created_at) WHERE campaign_id IS NOT NULL;
CREATE INDEX entities_person_id ON entities (workspace, person_id, created_at) WHERE person_id IS NOT NULL;
CREATE INDEX entities_order ON entities (workspace, created_at, id);

CREATE TABLE relationships (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    source_id TEXT NOT NULL,
    target_id TEXT NOT NULL,
    type TEXT NOT NULL,
    evidence TEXT NOT NULL,
    confidence REAL NOT NULL,
    valid_from REAL,
    valid_to REAL,
    created_at REAL NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, source_id) REFERENCES entities (workspace, id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (workspace, target_id) REFERENCES entities (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX relationships_source_id ON relationships (workspace, source_id, created_at);
CREATE INDEX relationships_target_id ON relationships (workspace, target_id, created_at);
CREATE INDEX relationships_order ON relationships (workspace, created_at, id);

CREATE TABLE memories (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    content TEXT NOT NULL,
    summary TEXT NOT NULL,
    type TEXT NOT NULL,
    category TEXT,
    importance INTEGER NOT NULL,
    confidence REAL NOT NULL,
    priority INTEGER NOT NULL,
    emotional_weight REAL NOT NULL,
    status TEXT NOT NULL,
    visibility TEXT NOT NULL,
    is_spoiler INTEGER NOT NULL,
    durability TEXT NOT NULL,
    origin TEXT NOT NULL,
    edited_by_person INTEGER NOT NULL,
    persons TEXT NOT NULL,
    conversation_id TEXT,
    campaign_id TEXT,
    chapter_id TEXT,
    session_id TEXT,
    interaction_id TEXT,
    source_uri TEXT NOT NULL,
    source_message_ids TEXT NOT NULL,
    entity_ids TEXT NOT NULL,
    participants TEXT NOT NULL,
    key_moments TEXT NOT NULL,
    tags TEXT NOT NULL,
    valid_from REAL,
    valid_to REAL,
    superseded_by TEXT,
    revision INTEGER NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    last_recalled_at REAL,
    recall_count INTEGER NOT NULL,
    reinforcement_count INTEGER NOT NULL,
    extra TEXT NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, campaign_id) REFERENCES campaigns (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX memories_conversation_id ON memories (workspace, conversation_id, created_at) WHERE conversation_id IS NOT NULL;
CREATE INDEX memories_campaign_id ON memories (workspace, campaign_id, created_at) WHERE campaign_id IS NOT NULL;
CREATE INDEX memories_chapter_id ON memories (workspace, chapter_id, created_at) WHERE chapter_id IS NOT NULL;
CREATE INDEX memories_session_id ON memories (workspace, session_id, created_at) WHERE session_id IS NOT NULL;
CREATE INDEX memories_interaction_id ON memories (workspace, interaction_id, created_at) WHERE interaction_id IS NOT NULL;
CREATE INDEX memories_superseded_by ON memories (workspace, superseded_by, created_at) WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_order ON memories (workspace, created_at, id);

CREATE TABLE memory_links (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    other_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    created_at REAL NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, memory_id) REFERENCES memories (workspace, id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (workspace, other_id) REFERENCES memories (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX memory_links_memory_id ON memory_links (workspace, memory_id, created_at);
CREATE INDEX memory_links_other_id ON memory_links (workspace, other_id, created_at);
CREATE INDEX memory_links_order ON memory_links (workspace, created_at, id);

CREATE TABLE settings (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    value TEXT NOT NULL,
    updated_at REAL NOT NULL,
    PRIMARY KEY (workspace, id)
);
CREATE INDEX settings_order ON settings (workspace, updated_at, id);

-- Earlier states of memories: what was believed from `since` until `until`.
CREATE TABLE revisions (
    workspace TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    since REAL NOT NULL,
    until REAL NOT NULL,
    changed_by TEXT NOT NULL,
    why TEXT NOT NULL,
    note TEXT NOT NULL,
    memory TEXT NOT NULL,
    PRIMARY KEY (workspace, memory_id, number),
    FOREIGN KEY (workspace, memory_id) REFERENCES memories (workspace, id) DEFERRABLE INITIALLY DEFERRED
);

-- From a person, a message, an entity or a successor to the memories that mention it, or did in an earlier
-- revision. Ties that a memory has but one of have a column and an index of their own.
CREATE TABLE mentions (
    workspace TEXT NOT NULL,
    field TEXT NOT NULL,
    target TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    PRIMARY KEY (workspace, field, target, memory_id)
) WITHOUT ROWID;
