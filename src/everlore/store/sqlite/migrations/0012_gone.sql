-- What a title was made of, and which message asked in vain: they go with their words. The audit log of a workspace can
-- go with the whole of it, and only then.

ALTER TABLE conversations ADD COLUMN titled_from TEXT NOT NULL DEFAULT '[]';

ALTER TABLE misses ADD COLUMN message_id TEXT;
CREATE INDEX misses_message_id ON misses (workspace, message_id, created_at, id, mode) WHERE message_id IS NOT NULL;

DROP TRIGGER deeds_kept;
CREATE TRIGGER deeds_kept BEFORE DELETE ON deeds
WHEN EXISTS (SELECT 1 FROM workspaces WHERE id = old.workspace) BEGIN
    SELECT RAISE(ABORT, 'The audit log is only ever added to');
END;

-- What the built-in voice said of itself stood in its replies, as if the character had said so.
UPDATE messages SET
    content = replace(content, char(10) || char(10) || '(No language model is connected: I can only answer from my story and from what I was told. One can be connected with “Connect a model” on the page.)', ''),
    alternatives = replace(alternatives, '\n\n(No language model is connected: I can only answer from my story and from what I was told. One can be connected with “Connect a model” on the page.)', '')
WHERE metadata LIKE '%"built_in":true%' OR alternatives LIKE '%(No language model is connected: I can only answer from my story and from what I was told. One can be connected with “Connect a model” on the page.)%';
