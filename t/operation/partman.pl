# pg_partman makes, maintains and drops partitions by version 7 UUIDs and by TIDs in text.
#
# Runs the statements of doc/partitions.md that need pg_partman, which are in its blocks ```pgsql, and shows
# for each of the two tables that
# - rows of two months are in the partitions of these months, and none are in the default one;
# - a query by a range of keys reads the partitions of that time only;
# - the maintenance makes partitions ahead, and drops those older than the retention, with their rows;
# - rows that came before their partition was made are moved to it out of the default one.
# Also shows that text keys that are not TIDs do not stop any of this, that UUIDs of other versions are refused,
# and that a column of atid.tid is refused, as the page states.
#
# Skipped if the server has no pg_partman 5.5 or later (Debian: postgresql-18-partman; in a root of its own,
# script/in-root 18 --with postgresql-18-partman -- script/test partman).
#
# Tags: medium differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('partman', ready => 1);
my ($partman) = split /\n/, $node->safe_psql('postgres',
	q{SELECT version FROM pg_available_extension_versions WHERE name = 'pg_partman'
	  AND regexp_replace(version, '\.\D.*', '') ~ '^\d+(\.\d+)*$'
	  ORDER BY string_to_array(version, '.')::int[] DESC LIMIT 1});
my ($major, $minor) = defined $partman ? split /\./, $partman : (0, 0);
if ($major < 5 || ($major == 5 && $minor < 5))
{
	$node->stop;
	plan skip_all => $major ? "pg_partman is $partman: 5.5 or later is needed (5.2 fails at the bounds of a uuid)" : 'pg_partman is not installed';
}
note("pg_partman $partman");

my $db = new_database($node, 'partman');
$node->safe_psql('postgres', "ALTER DATABASE $db SET timezone = 'UTC'");

sub ask { return $node->safe_psql($db, $_[0]); }

# The page's statements; the output of its EXPLAINs is kept.
my $page   = slurp_file("$FindBin::Bin/../../doc/partitions.md");
my @blocks = $page =~ /^```pgsql\n(.*?)^```$/msg;
is(scalar @blocks, 5, 'blocks of the page');
my ($orders_plan, $events_plan);
foreach my $block (@blocks)
{
	my $printed = ask($block);
	$orders_plan = $printed if $block =~ /EXPLAIN.*orders/s;
	$events_plan = $printed if $block =~ /EXPLAIN.*events/s;
}

# The months from two before this one to three ahead, as in the names of the partitions.
my %month = map { split /\|/ } split /\n/,
  ask(q{SELECT n, to_char(date_trunc('month', now()) + n * interval '1 month', 'YYYYMMDD') FROM generate_series(-3, 6) AS n});

# Partitions except the default, oldest first, by their months
sub partitions
{
	my ($table) = @_;
	return join ' ', map { /_p(\d{8})$/ ? $1 : "?$_" } split /\n/,
	  ask("SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = '$table'::regclass
	       AND pg_get_expr((SELECT relpartbound FROM pg_class WHERE oid = inhrelid), inhrelid) <> 'DEFAULT' ORDER BY 1");
}

# How many rows there are in each partition that has some
sub rows
{
	my ($table) = @_;
	return join ' ', map { s/^.*_(p|default)/$1/r } split /\n/,
	  ask("SELECT tableoid::regclass || '=' || count(*) FROM $table GROUP BY tableoid ORDER BY tableoid::regclass::text");
}

foreach my $case (
	[ 'orders', 'uuid', 'atid.uuid_timestamptz_to_v7(%s, true)', undef, $orders_plan ],
	[ 'events', 'text', 'atid.tid_make(%s, 0)::text', q{'self'}, $events_plan ])
{
	my ($table, $type, $key, $timeless, $plan) = @$case;

	is(partitions($table), join(' ', @month{ -2 .. 3 }), "$type: two months back to three ahead");

	# a row a day, in the middle of it, of the last month and of 20 days of this one
	my $of_day = sprintf $key, "day + interval '12 hours'";
	ask(qq{INSERT INTO $table (id) SELECT $of_day FROM generate_series(
	         date_trunc('month', now()) - interval '1 month', date_trunc('month', now()) + interval '19 days', '1 day') AS day});
	my $days = ask(q{SELECT extract(day FROM date_trunc('month', now()) - interval '1 day')});
	is(rows($table), "p$month{-1}=$days p$month{0}=20", "$type: rows are in the partitions of their months");

	# the ends of a month: the last key of one, the first of the next
	my ($first, $last) = map { sprintf $key, $_ }
	  (q{date_trunc('month', now())}, q{date_trunc('month', now()) - interval '1 millisecond'});
	ask("INSERT INTO $table (id) VALUES ($first), ($last)");
	is(rows($table), sprintf('p%s=%d p%s=21', $month{-1}, $days + 1, $month{0}), "$type: and so are those at the ends");

	my %read = map { $_ => 1 } $plan =~ /_p(\d{8})/g;
	is(join(' ', sort keys %read), join(' ', @month{ 0 .. 3 }), "$type: a query from this month on reads no older one");

	# ahead: a row in the last existing partition moves the end forward
	ask("UPDATE partman.part_config SET infinite_time_partitions = false WHERE parent_table = 'public.$table'");
	my $later = sprintf $key, q{date_trunc('month', now()) + interval '2 months 3 days'};
	ask("INSERT INTO $table (id) VALUES ($later)");
	ask("INSERT INTO $table (id) VALUES ($timeless)") if $timeless;
	my $left = $timeless ? 'default=1 ' : '';
	ask("SELECT partman.run_maintenance('public.$table')");
	is(partitions($table), join(' ', @month{ -2 .. 5 }), "$type: the maintenance makes partitions ahead");
	like(rows($table), qr/^\Q${left}\Ep/, "$type: what has no time is in the default partition");

	is( ask("SELECT child_start_time FROM partman.show_partition_info('public.${table}_p$month{0}')"),
		ask(q{SELECT date_trunc('month', now())}),
		"$type: pg_partman knows a partition's time");

	# retention: of the past months only the last one remains
	ask("UPDATE partman.part_config SET retention = '1 month' WHERE parent_table = 'public.$table'");
	ask("SELECT partman.run_maintenance('public.$table')");
	is(partitions($table), join(' ', @month{ -1 .. 5 }), "$type: the maintenance drops what is too old");
	ask("UPDATE partman.part_config SET retention = '1 millisecond' WHERE parent_table = 'public.$table'");
	ask("SELECT partman.run_maintenance('public.$table')");
	is(partitions($table), join(' ', @month{ 0 .. 5 }), "$type: also what has rows");
	is(rows($table), "${left}p$month{0}=21 p$month{2}=1", "$type: with its rows");
}

foreach my $case ([ 'orders', 'uuid', 'atid.uuid_timestamptz_to_v7(%s, true)', 0 ], [ 'events', 'text', 'atid.tid_make(%s, 0)::text', 1 ])
{
	my ($table, $type, $key, $timeless) = @$case;
	my $sixth = $month{6};
	my $early = sprintf $key, q{date_trunc('month', now()) + interval '6 months 3 days'};
	ask("INSERT INTO $table (id) VALUES ($early)");
	like(rows($table), qr/^default=${\($timeless + 1)} /, "$type: a row that comes too early");
	ask("SELECT partman.partition_data_time('public.$table', p_batch_count => 10)");
	like(rows($table), $timeless ? qr/^default=1 .* p$sixth=1$/ : qr/^p.* p$sixth=1$/,
		"$type: is moved to the partition of its time" . ($timeless ? ', and the other is left' : ''));
}
ask('CALL partman.run_maintenance_proc()');

my ($status, $out, $err) = $node->psql($db, "INSERT INTO orders VALUES ('2489e9ad-2ee2-4e00-8ec9-32d5f69181c0')");
like($err, qr/violates check constraint/, 'uuid: one of version 4 is refused');
is(ask("SELECT extract(year FROM partman.uuid7_time_decoder('2489e9ad-2ee2-4e00-8ec9-32d5f69181c0'))"), 3243,
	'else pg_partman would make a partition for it');

($status, $out, $err) = $node->psql($db, <<'SQL');
CREATE TABLE public.typed (id atid.tid PRIMARY KEY) PARTITION BY RANGE (id);
SELECT partman.create_parent('public.typed', 'id', '1 month',
  p_time_encoder => 'atid.tid_time_encoder', p_time_decoder => 'atid.tid_time_decoder');
SQL
isnt($status, 0, 'a column of atid.tid is refused');
like($err, qr/column is of type tid/, 'because of its type');

$node->stop;
done_testing();
