#!/bin/sh
# Makes the three servers of compose.yaml one cluster, and Everlore's tables in it. It can be run again.
set -eu
cd "$(dirname "$0")"
docker compose up --detach --wait
sql() {
    docker compose exec -T "$1" psql --username postgres --dbname everlore --quiet --set ON_ERROR_STOP=1 --command "$2"
}
for node in db0 db1 db2; do
    sql "$node" "CREATE EXTENSION IF NOT EXISTS citus"
    sql "$node" "CREATE EXTENSION IF NOT EXISTS vector"
    sql "$node" "CREATE EXTENSION IF NOT EXISTS btree_gin"
    # The servers know each other by password.
    docker compose exec -T "$node" sh -c 'printf "*:*:*:*:%s\n" "$PGPASSWORD" >~postgres/.pgpass && chown postgres ~postgres/.pgpass && chmod 600 ~postgres/.pgpass'
done
sql db0 "SELECT citus_set_coordinator_host('db0', 5432)"
for node in db1 db2; do
    sql db0 "SELECT citus_add_node('$node', 5432)"
done
echo "Now: everlore migrate --distributed --db postgresql://postgres:…@127.0.0.1:5432/everlore"
