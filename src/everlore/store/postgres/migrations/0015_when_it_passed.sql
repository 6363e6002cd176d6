-- What passed between persons is read by when it began: what is brought along was written down long after.

DROP INDEX interactions_conversation_id;
CREATE INDEX interactions_conversation_id ON interactions (workspace, conversation_id, started_at, id) WHERE conversation_id IS NOT NULL;
DROP INDEX interactions_event_id;
CREATE INDEX interactions_event_id ON interactions (workspace, event_id, started_at, id) WHERE event_id IS NOT NULL;
DROP INDEX interactions_actor_id;
CREATE INDEX interactions_actor_id ON interactions (workspace, actor_id, started_at, id);
DROP INDEX interactions_interactor_id;
CREATE INDEX interactions_interactor_id ON interactions (workspace, interactor_id, started_at, id);
DROP INDEX interactions_order;
CREATE INDEX interactions_order ON interactions (workspace, started_at, id);
