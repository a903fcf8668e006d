# The indexer on Citus: what t/079_indexer_schema.pl shows, with the tables distributed by indexer/sql/citus.sql.
#
#   ATID_CITUS=5432,5433,5434 prove -I "$(dirname "$(pg_config --pgxs)")/../test/perl" t/servers/indexer.pl
#
# The servers are those of t/servers/citus.pl. Shows, too, how many shards the queries of doc/indexer.md ask.
# Skipped where ATID_CITUS is not set.

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

plan skip_all => 'ATID_CITUS names no servers' if !$ENV{ATID_CITUS};

# PostgreSQL::Test::Utils takes PGUSER out of the environment
$ENV{ATID_CITUS_USER} = $ENV{PGUSER} // getpwuid($>);
exec $^X, (map { "-I$_" } @INC), dirname(dirname(abs_path($0))) . '/079_indexer_schema.pl' or die $!;
