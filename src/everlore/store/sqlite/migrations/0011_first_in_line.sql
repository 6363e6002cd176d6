-- What waits in the queue is found without looking through all of it: the first job of each lane, and what has no lane.
CREATE INDEX jobs_heads ON jobs (workspace, lane, seq) WHERE lane <> '' AND state IN ('ready', 'running');
CREATE INDEX jobs_loose ON jobs (workspace, priority, seq) WHERE lane = '' AND state IN ('ready', 'running');
-- Which of a lane comes first was looked up here, among the finished ones too.
DROP INDEX jobs_lane;
