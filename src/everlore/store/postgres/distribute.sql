-- Distributes the tables over the nodes of Citus by workspace, all in one group, so that everything of a workspace is on
-- one node. Run after each migration: it distributes what is not distributed yet.

SET LOCAL citus.multi_shard_modify_mode = 'sequential';
DO $$
DECLARE
    each_table REGCLASS;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'schema_versions'::REGCLASS) THEN
        PERFORM create_reference_table('schema_versions');
    END IF;
    -- Not a reference table: each change writes to it, and would lock it on every node.
    IF NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'workspaces'::REGCLASS) THEN
        PERFORM create_distributed_table('workspaces', 'id', colocate_with => 'none');
    END IF;
    LOOP
        -- A table comes after those that its foreign keys name.
        SELECT pg_class.oid INTO each_table FROM pg_class
        JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'workspace' AND NOT attisdropped
        WHERE relkind = 'r' AND relnamespace = current_schema()::REGNAMESPACE
        AND pg_class.oid NOT IN (SELECT logicalrelid FROM pg_dist_partition)
        AND NOT EXISTS (
            SELECT 1 FROM pg_constraint WHERE contype = 'f' AND conrelid = pg_class.oid AND confrelid <> conrelid
            AND confrelid NOT IN (SELECT logicalrelid FROM pg_dist_partition)
        )
        ORDER BY relname LIMIT 1;
        EXIT WHEN NOT FOUND;
        PERFORM create_distributed_table(each_table, 'workspace', colocate_with => 'workspaces');
    END LOOP;
    -- Citus hides the shards from readers of the catalog. With that, what each new connection asks about types before
    -- its first search takes eight seconds.
    EXECUTE format('ALTER DATABASE %I SET citus.override_table_visibility = off', current_database());
END $$;
