# AtidTest::Citus: a coordinator and two workers that are already running, as given to
# indexer/t/citus_functions.pl.
#
#   AtidTest::Citus->new    the coordinator, as a node of PostgreSQL::Test::Cluster; nothing starts or stops it
#   new_database NAME       a database with citus and atid_crypto on each of them; dropped at the end

package AtidTest::Citus;

use strict;
use warnings FATAL => 'all';

use parent -norequire, 'PostgreSQL::Test::Cluster';
use PostgreSQL::Test::Cluster;

my $host = $ENV{ATID_CITUS_HOST} // 'localhost';
my @made;

sub new
{
	my ($class) = @_;
	my @ports = split /,/, $ENV{ATID_CITUS};
	die 'ATID_CITUS takes three ports: a coordinator and two workers' if @ports != 3;
	my $node = PostgreSQL::Test::Cluster->new('citus', port => $ports[0]);
	$node->{_host} = $host;
	$node->{ports} = \@ports;
	$ENV{PGUSER} = $ENV{ATID_CITUS_USER};
	return bless $node, $class;
}

# Runs SQL in a database of each of them.
sub everywhere
{
	my ($node, $db, @sql) = @_;
	foreach my $port (@{ $node->{ports} })
	{
		local @{$node}{qw(_port)} = ($port);
		$node->safe_psql($db, $_) foreach @sql;
	}
	return;
}

sub new_database
{
	my ($node, $db) = @_;
	my ($coordinator, @workers) = @{ $node->{ports} };
	push @made, [ $node, $db ];
	$node->everywhere('postgres', "DROP DATABASE IF EXISTS $db WITH (FORCE)");
	$node->everywhere('postgres', "SET citus.enable_ddl_propagation = off; CREATE DATABASE $db");
	$node->everywhere($db, 'CREATE EXTENSION citus');
	$node->safe_psql($db, join ';', "SELECT citus_set_coordinator_host('$host', $coordinator)",
		(map { "SELECT citus_add_node('$host', $_)" } @workers), 'CREATE EXTENSION atid_crypto CASCADE');
	return $db;
}

sub stop { return; }

END
{
	local $?;
	$_->[0]->everywhere('postgres', "DROP DATABASE IF EXISTS $_->[1] WITH (FORCE)") foreach @made;
}

1;
