-- What was read for memories and what came of it, what whole conversations came to, and events by person and time.
-- What narrows a page and does not order it comes last in an index: what is not asked for is passed over in it, and
-- never read.

CREATE TABLE readings (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    extractor TEXT NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    digest TEXT NOT NULL,
    model TEXT NOT NULL,
    formed BIGINT NOT NULL,
    has_refused BIGINT NOT NULL,
    refused TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, conversation_id) REFERENCES conversations (workspace, id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (workspace, message_id) REFERENCES messages (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX readings_conversation_id ON readings (workspace, conversation_id, created_at, id, extractor, has_refused);
CREATE INDEX readings_message_id ON readings (workspace, message_id, created_at, id);
CREATE INDEX readings_order ON readings (workspace, created_at, id, extractor, has_refused);

CREATE TABLE analyses (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    last_seq BIGINT NOT NULL,
    digest TEXT NOT NULL,
    summary TEXT NOT NULL,
    themes TEXT NOT NULL,
    tone TEXT NOT NULL,
    emotional_arc TEXT NOT NULL,
    participants TEXT NOT NULL,
    key_topics TEXT NOT NULL,
    memory_ids TEXT NOT NULL,
    profile TEXT NOT NULL,
    model TEXT NOT NULL,
    trigger TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (workspace, id),
    FOREIGN KEY (workspace, conversation_id) REFERENCES conversations (workspace, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX analyses_conversation_id ON analyses (workspace, conversation_id, created_at, id);
CREATE INDEX analyses_order ON analyses (workspace, created_at, id);

-- Who was in which event, acting or taking part, and a copy of what the timeline asks for.
CREATE TABLE appearances (
    workspace TEXT NOT NULL,
    event_id TEXT NOT NULL,
    person_id TEXT NOT NULL,
    type TEXT NOT NULL,
    state TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    ended_at DOUBLE PRECISION,
    PRIMARY KEY (workspace, event_id, person_id),
    FOREIGN KEY (workspace, event_id) REFERENCES events (workspace, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
INSERT INTO appearances (workspace, event_id, person_id, type, state, at, ended_at)
SELECT events.workspace, events.id, held.value, events.type, events.state, events.at, events.ended_at
FROM events, json_array_elements_text(actors::json) AS held(value)
UNION
SELECT events.workspace, events.id, held.value, events.type, events.state, events.at, events.ended_at
FROM events, json_array_elements_text(participants::json) AS held(value);
-- Now: no table is altered as long as any of its rows waits to be checked.
SET CONSTRAINTS ALL IMMEDIATE;
CREATE INDEX appearances_person_id ON appearances (workspace, person_id, at, event_id, type);
DROP INDEX events_order;
CREATE INDEX events_order ON events (workspace, at, id, type);
-- What lasts is looked for by itself: it may have begun long before the time that is asked for, and reach into it.
CREATE INDEX appearances_lasting ON appearances (workspace, person_id, at, event_id, type, ended_at)
    WHERE ended_at IS NOT NULL OR state = 'in_progress';
CREATE INDEX events_lasting ON events (workspace, at, id, type, ended_at)
    WHERE ended_at IS NOT NULL OR state = 'in_progress';
