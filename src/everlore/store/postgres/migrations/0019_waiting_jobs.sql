-- The workspaces with work are found by looking for each of them here, where only what waits is.
CREATE INDEX jobs_waiting ON jobs (workspace, state) WHERE state IN ('ready', 'running');
