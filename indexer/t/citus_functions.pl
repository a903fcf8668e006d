# The indexer on Citus: the same tests as indexer/t/functions.pl, with the tables distributed by
# indexer/sql/citus.sql.
#
#   ATID_CITUS=5432,5433,5434 prove -I "$(dirname "$(pg_config --pgxs)")/../test/perl" indexer/t/citus_functions.pl
#
# The servers are those of t/operation/citus.pl. Also shows how many shards the queries of doc/indexer.md touch.
# Skipped where ATID_CITUS is not set.
#
# Tags: medium crypto citus

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

plan skip_all => 'ATID_CITUS names no servers' if !$ENV{ATID_CITUS};

# PostgreSQL::Test::Utils takes PGUSER out of the environment
$ENV{ATID_CITUS_USER} = $ENV{PGUSER} // getpwuid($>);
exec $^X, (map { "-I$_" } @INC), dirname(abs_path($0)) . '/functions.pl' or die $!;
