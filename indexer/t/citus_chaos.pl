# The indexer on Citus, in the network of indexer/t/chaos.pl, on a coordinator, which is stopped and started, and
# two workers. The test starts its own servers; the ports of ATID_CITUS only indicate that Citus is installed
# here.
#
#   ATID_CITUS=5432,5433,5434 prove -I "$(dirname "$(pg_config --pgxs)")/../test/perl" indexer/t/citus_chaos.pl
#
# Skipped where ATID_CITUS is not set.
#
# Tags: minutes node crypto citus

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

plan skip_all => 'ATID_CITUS names no servers' if !$ENV{ATID_CITUS};

$ENV{ATID_CITUS_USER} = $ENV{PGUSER} // getpwuid($>);
exec $^X, (map { "-I$_" } @INC), dirname(abs_path($0)) . '/chaos.pl' or die $!;
