-- What is counted, and what follows a closed passage, is written by the flow that makes the change: the same in every
-- database, and possible where a table is distributed.
DROP TRIGGER conversations_tally_removed;
DROP TRIGGER deeds_kept;
DROP TRIGGER deeds_unchanged;
DROP TRIGGER events_tally_removed;
DROP TRIGGER events_tally_retyped;
DROP TRIGGER memories_tally_removed;
DROP TRIGGER memories_tally_restated;
DROP TRIGGER memories_tally_retyped;
DROP TRIGGER messages_tally_removed;
DROP TRIGGER messages_tally_retyped;
DROP TRIGGER misses_tally_removed;
DROP TRIGGER misses_tally_retyped;
DROP TRIGGER passages_tally_closed;
DROP TRIGGER passages_tally_removed;
DROP TRIGGER summaries_tally_removed;
DROP TRIGGER summaries_tally_retyped;
DROP TRIGGER vectors_tally_added;
DROP TRIGGER vectors_tally_removed;
