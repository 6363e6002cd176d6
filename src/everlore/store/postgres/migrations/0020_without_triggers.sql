-- What is counted, and what follows a closed passage, is written by the flow that makes the change: the same in every
-- database, and possible where a table is distributed.
-- Each function goes with its triggers.
DROP FUNCTION follow_passage() CASCADE;
DROP FUNCTION refuse_to_rewrite() CASCADE;
DROP FUNCTION refuse_to_forget() CASCADE;
DROP FUNCTION tally_memories() CASCADE;
DROP FUNCTION tally_events() CASCADE;
DROP FUNCTION tally_messages() CASCADE;
DROP FUNCTION tally_conversations() CASCADE;
DROP FUNCTION tally_summaries() CASCADE;
DROP FUNCTION tally_misses() CASCADE;
DROP FUNCTION tally_passages() CASCADE;
DROP FUNCTION tally_vectors() CASCADE;
DROP FUNCTION tally_memories_moved() CASCADE;
DROP FUNCTION tally_events_moved() CASCADE;
DROP FUNCTION tally_messages_moved() CASCADE;
DROP FUNCTION tally_summaries_moved() CASCADE;
DROP FUNCTION tally_misses_moved() CASCADE;
DROP FUNCTION tally_passages_moved() CASCADE;
DROP FUNCTION tally_vectors_moved() CASCADE;
DROP FUNCTION tally(TEXT, TEXT, TEXT, DOUBLE PRECISION, BIGINT);
