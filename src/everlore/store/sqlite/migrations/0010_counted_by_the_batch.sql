-- What comes is counted with the statement that brings it (bulk.py): a trigger for each row took a tenth of a batch.
-- What goes and what changes is still counted by triggers.
DROP TRIGGER memories_tally_added;
DROP TRIGGER events_tally_added;
DROP TRIGGER messages_tally_added;
DROP TRIGGER conversations_tally_added;
DROP TRIGGER summaries_tally_added;
DROP TRIGGER misses_tally_added;
DROP TRIGGER passages_tally_added;
