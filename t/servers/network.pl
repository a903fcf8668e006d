# The indexer on Citus, in the network of t/078_indexer.pl, on a coordinator that is stopped and started and two workers.
# They are its own; the ports of ATID_CITUS only say that Citus is installed here.
#
#   ATID_CITUS=5432,5433,5434 prove -I "$(dirname "$(pg_config --pgxs)")/../test/perl" t/servers/network.pl
#
# Skipped where ATID_CITUS is not set.

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

plan skip_all => 'ATID_CITUS names no servers' if !$ENV{ATID_CITUS};

$ENV{ATID_CITUS_USER} = $ENV{PGUSER} // getpwuid($>);
exec $^X, (map { "-I$_" } @INC), dirname(dirname(abs_path($0))) . '/078_indexer.pl' or die $!;
