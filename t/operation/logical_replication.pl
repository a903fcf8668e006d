# Logical replication. Shows that
# - rows with values of every type arrive, in the text form and with binary = true;
# - identifiers that the publisher drew arrive unchanged: the subscriber draws none for them;
# - the server refuses a row filter on a type of atid, and accepts one on a column of its own types;
# - the horizon is not replicated: a subscriber that takes over draws below the publisher's identifiers,
#   until it is given the publisher's horizon.
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

my $table = <<'SQL';
CREATE TABLE record (
  rkey    atid.rkey PRIMARY KEY DEFAULT atid.tid_generate(),
  rev     atid.tid  NOT NULL DEFAULT atid.tid_generate(),
  cid     atid.cid_link,
  author  atid.did,
  uri     atid.at_uri,
  indexed timestamptz NOT NULL DEFAULT now()
)
SQL
my $publisher = new_node('publisher', ready => 1, init => [ allows_streaming => 'logical' ]);
my $subscriber = new_node('subscriber', ready => 1);
foreach my $node ($publisher, $subscriber)
{
	new_database($node, 'app');
	$node->safe_psql('app', $table);
}
my $link = $publisher->connstr('app') =~ s/'/''/gr;

$publisher->safe_psql('app', 'CREATE PUBLICATION records FOR TABLE record');
my $values = "'bafyreifzvsbt6kiyg57lrrt3jbyqcf3lm7b6apz3rn7mjiyj32ornkf3xq', "
  . "'did:plc:ewvi7nxzyoun6zhxrhs64oiz', 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3jzfcijpj2z2a'";
my $rows = 'SELECT * FROM record ORDER BY rev';

foreach my $binary ('false', 'true')
{
	$subscriber->safe_psql('app',
		"CREATE SUBSCRIPTION copy_$binary CONNECTION '$link' PUBLICATION records WITH (binary = $binary)");
	$subscriber->wait_for_subscription_sync($publisher, "copy_$binary", 'app') if $subscriber->can('wait_for_subscription_sync');
	$publisher->safe_psql('app',
		"INSERT INTO record (cid, author, uri) SELECT $values FROM generate_series(1, 100)");
	$publisher->wait_for_catchup("copy_$binary");
	is( $subscriber->safe_psql('app', $rows), $publisher->safe_psql('app', $rows),
		"all rows arrive as they are, with binary = $binary");
	$subscriber->safe_psql('app', "DROP SUBSCRIPTION copy_$binary; TRUNCATE record");
	$publisher->safe_psql('app', 'TRUNCATE record');
}

#
# Row filters.
#
foreach my $filter ("rev > '3k2hwfvx7k22l'", "atid.tid_clock_id(rev) = 7", "author = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'")
{
	my (undef, undef, $said) =
	  $publisher->psql('app', "CREATE PUBLICATION part FOR TABLE record WHERE ($filter)");
	like($said, qr/invalid publication WHERE expression/, "a row filter is refused: $filter");
}
is( (
		$publisher->psql(
			'app', "CREATE PUBLICATION part FOR TABLE record WHERE (indexed >= '2024-01-01 00:00+00')")
	)[0],
	0,
	'one on a timestamptz is taken');

#
# The horizon. The publisher is half a minute ahead, as after a burst.
#
$publisher->safe_psql('app',
	"SELECT setval('atid.generator_horizon', (extract(epoch FROM clock_timestamp() + interval '30 seconds') * 1000000)::bigint)");
my $last = $publisher->safe_psql('app', 'SELECT atid.tid_generate()');
cmp_ok($subscriber->safe_psql('app', 'SELECT atid.tid_generate()'),
	'lt', $last, 'a subscriber that takes over draws below what the publisher handed out');
my $horizon = $publisher->safe_psql('app', 'SELECT last_value FROM atid.generator_horizon');
$subscriber->safe_psql('app', "SELECT setval('atid.generator_horizon', $horizon)");
cmp_ok($subscriber->safe_psql('app', 'SELECT atid.tid_generate()'),
	'gt', $last, 'with the publisher\'s horizon it draws above');

$_->stop foreach $subscriber, $publisher;
done_testing();
