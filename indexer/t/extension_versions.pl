# The indexer works with the oldest versions of the extensions that its package names, and refuses older ones.
#
# Shows, in a database with these versions and in one with the newest, both with the current library, that
# - `init` makes the schema and leaves the extensions as they are; accounts are loaded, commits are applied, views and
#   their indexes are made; and the tables, the views, a search and the commands give the same results in both;
# - everything that the SQL and the program call in the extensions exists in the oldest ones;
# - the extensions can be updated under the schema;
# - `init` refuses the preceding version of each extension, changes nothing, and reports what to do.
#
# The other files use the newest versions. Skipped where atid_crypto, node or npm are not available.
#
# Tags: medium node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $root = "$FindBin::Bin/../..";
my $node = new_node('indexer_extensions');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
(my $node22, $why) = AtidTest::Oracles::node22();
plan skip_all => $why unless defined $node22;
my $package = decode_json(slurp_file("$root/indexer/package.json"));
my %oldest  = map { $_ => $package->{extensions}{$_} =~ s/^>=//r } keys %{ $package->{extensions} };
is(join(' ', sort keys %oldest), 'atid atid_crypto', 'the package names the oldest versions of both extensions');

sub one
{
	my ($db, $sql) = @_;
	return $node->safe_psql($db, $sql);
}

# A database with the extensions of these versions, or with the newest, and the program for it.
sub program
{
	my ($db, %version) = @_;
	{
		local $ENV{PGOPTIONS} = '';
		one('postgres', "CREATE DATABASE $db");
		one($db, "CREATE EXTENSION $_" . (exists $version{$_} ? " VERSION '$version{$_}'" : '')) foreach sort keys %oldest;
	}
	return (AtidTest::Indexer->new($node, $db, $oracles))[0];
}

my $versions = q{SELECT string_agg(extname || ' ' || extversion, ' ' ORDER BY extname) FROM pg_extension WHERE extname LIKE 'atid%'};
my $asked    = join ' ', map { "$_ $oldest{$_}" } sort keys %oldest;

#
# The Lexicon of the views; and an account with six commits, which create, update and delete.
#
append_to_file("$oracles->{folder}/post.json", encode_json({
	lexicon => 1, id => 'app.bsky.feed.post',
	defs => {
		main => { type => 'record', key => 'any', record => { type => 'object', required => [ 'text', 'createdAt' ], properties => {
			text      => { type => 'string', maxLength => 3000 },
			createdAt => { type => 'string', format => 'datetime' },
			reply     => { type => 'ref', ref => '#reply' },
		} } },
		reply => { type => 'object', properties => { map { $_ => { type => 'ref', ref => 'com.atproto.repo.strongRef' } } qw(root parent) } },
	},
}));
my ($line)   = $oracles->ask('numbers.js', [ 1, 6 ]);
my $account  = literal($line) . '::jsonb';
my $did      = 'did:web:n0.example';
my ($of_plc) = AtidTest::Indexer::accounts();

# Acts as an operator, the network and an application.
sub use_it
{
	my ($name, $db, $indexer) = @_;
	my $before = one($db, $versions);
	my ($status, $said) = $indexer->command('init', '--role', 'consumer');
	is($status, 0, "$name: init") or die $said;
	is(one($db, $versions), $before, '... leaves the extensions as they are');
	($status, $said) = $indexer->command('lexicon', 'add', "$oracles->{folder}/post.json");
	is($status, 0, '... a Lexicon is added') or diag($said);
	like($said, qr/^taken from the package: com\.atproto\.repo\.strongRef$/m, '... with one from the package');

	AtidTest::Indexer::demo($node, $db);
	AtidTest::Indexer::fill($node, $db);
	one($db, <<"SQL");
CREATE TABLE demo.made AS SELECT $account AS a;
SELECT add_account('$did');
SELECT apply_identity('$did', a->>'key', ARRAY[a->>'key'], NULL, 'https://pds.example', false, now()) FROM demo.made;
SELECT (store_repository(c.did, c.claim, decode(a->>'car', 'hex'))).outcome FROM claim_loads(9, false, NULL, NULL, '{}') AS c, demo.made WHERE c.claim > 0;
SQL
	is(one($db, 'SELECT state, count(*) FROM account GROUP BY 1'), 'synchronized|4', '... accounts are loaded');
	is(one($db, "SELECT count(*) FROM record WHERE did = '$did'"), 2, '... with their records');

	one($db, <<"SQL");
SELECT process_frames('relay', 0, 1, ARRAY(SELECT demo.frame('#commit', body || jsonb_build_object('seq', 10 + n, 'time', '2026-01-01T00:00:00Z'))
  FROM demo.made, jsonb_array_elements(a->'commits') WITH ORDINALITY AS c (body, n) ORDER BY n));
SELECT reconcile_wants(99);
SQL
	is(one($db, 'SELECT cursor, commits, refused FROM shard'), '16|6|0', '... commits are applied');

	one($db, <<'SQL');
CREATE SCHEMA api;
SELECT make_views('api');
SELECT make_view_index('api.app_bsky_feed_post', 'did', 'sort_at'), make_view_index('api.app_bsky_feed_post', 'reply_parent_uri'),
       make_search('api.app_bsky_feed_post', 'text'), find_references();
SELECT make_views('api');
SQL
	is(one($db, "SELECT string_agg(text, ', ' ORDER BY rkey::text COLLATE \"C\") FROM api.app_bsky_feed_post WHERE did = '$did' AND conforms"),
		'number 0, number 2, number 3, number 4 again, number 5, a, b', '... a view has the records');
	like(one($db, "SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT text FROM api.app_bsky_feed_post WHERE did = '$did' ORDER BY sort_at DESC LIMIT 9"),
		qr/Index Scan.* app_bsky_feed_post_did_sort_at/, '... which an index finds');
	return;
}

# The results that must be the same in both.
my %query = (
	'accounts'        => q{SELECT did, state, status, rev, data FROM account ORDER BY did},
	'identities'      => q{SELECT did, handle, key, host FROM identity ORDER BY did},
	'records'         => q{SELECT uri, cid, conforms, md5(block) FROM record ORDER BY uri},
	'references'      => q{SELECT subject, uri, collection, path, tid FROM reference ORDER BY subject, uri, path},
	'a view'          => q{SELECT uri, text, created_at, reply_parent_uri, conforms, hidden, author_handle FROM api.app_bsky_feed_post ORDER BY uri},
	'a search'        => q{SELECT uri FROM api.search_app_bsky_feed_post('again') ORDER BY uri},
	'the accounts of the views' => q{SELECT * FROM api.account ORDER BY did},
	'columns and their comments' => q{SELECT attname, format_type(atttypid, atttypmod), col_description(attrelid, attnum)
		FROM pg_attribute WHERE attrelid = 'api.app_bsky_feed_post'::regclass AND attnum > 0 ORDER BY attnum},
	'joins' => q{SELECT nsid, path, target FROM view_reference ORDER BY 1, 2, 3});
my $car     = "$root/demo/repositories/" . $of_plc =~ tr/:/_/r . '.car';
my @command = ([ 'check', $did ], [ 'check', $of_plc ], [ 'verify', $car ], [ 'explain', $of_plc ], [ 'want', 'list' ], [ 'lexicon', 'list' ]);

sub results
{
	my ($db, $indexer) = @_;
	my %result = map { $_ => one($db, $query{$_}) } keys %query;
	foreach my $words (@command)
	{
		my ($status, $said) = $indexer->command({ ATID_PLC_URL => 'http://127.0.0.1:1', ATID_REPO_TIMEOUT => 1 }, @$words);
		$result{ join ' ', 'atid-indexer', @$words } = "status $status\n" . $said =~ s/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S*/TIME/gr;
	}
	return \%result;
}

my $newest_program = program('newest');
use_it('the newest versions', 'newest', $newest_program);
my $newest = results('newest', $newest_program);
isnt($newest->{$_}, '', "$_: not empty") foreach sort keys %query;
like($newest->{$_}, qr/^status 0$/m, $_) foreach sort grep { /^atid-indexer/ } keys %$newest;

my $oldest_program = program('oldest', %oldest);
is(one('oldest', $versions), $asked, 'the oldest versions');
use_it('the oldest versions', 'oldest', $oldest_program);
sub is_same
{
	my ($when) = @_;
	my $oldest = results('oldest', $oldest_program);
	is($oldest->{$_}, $newest->{$_}, "$when: $_ as with the newest") foreach sort keys %$newest;
	return;
}
is_same('the oldest versions');

# Names in the text that a function or the program runs are looked up when it runs.
my %has = map { $_ => 1 } split /\n/,
  one('oldest', q{SELECT proname FROM pg_proc WHERE pronamespace = 'atid'::regnamespace UNION SELECT typname FROM pg_type WHERE typnamespace = 'atid'::regnamespace});
my %lacks;
# what is packed if the versions have the types
my @if_there = qw(block symbol);
foreach my $path (glob "$root/indexer/{sql,sql/*,src/*}/*.{js,sql}")
{
	my $text = slurp_file($path) =~ s{^\s*(?:--|//).*}{}mgr;
	$lacks{"atid.$_"} = 1 foreach grep { !$has{$_} } grep { my $name = $_; !grep { $_ eq $name } @if_there } $text =~ /\batid\.(\w+)/g;
}
cmp_ok(scalar keys %has, '>', 100, 'the oldest versions have functions and types');
is(join(' ', sort keys %lacks), '', '... and all those that the indexer names');

#
# An update of the extensions under an existing schema.
#
one('oldest', "ALTER EXTENSION $_ UPDATE") foreach sort keys %oldest;
is(one('oldest', $versions), one('newest', $versions), 'the extensions are updated');
is_same('after the update');
my ($status, $said) = $oldest_program->command('upgrade');
is($status, 0, '... and the schema is upgraded again') or diag($said);

#
# Older versions. The name of a script shows the previous version.
#
($status, $said) = $oldest_program->command('--version');
is($said, "$package->{version}\nThe database needs atid $oldest{atid} and atid_crypto $oldest{atid_crypto}, or later.\n", '--version');
foreach my $name (sort keys %oldest)
{
	my ($script) = glob "$root/{.,crypto}/$name--*--$oldest{$name}.sql" or die "no script leads to $name $oldest{$name}";
	my ($before) = $script =~ /--([\d.]+)--[\d.]+\.sql$/;
	my $db       = "old_$name";
	my $indexer  = program($db, %oldest, $name => $before);
	($status, $said) = $indexer->command('init');
	is($status, 1, "$name $before: refused");
	is($said, "atid-indexer: The extension $name has version $before in this database, but $oldest{$name} or later is needed: ALTER EXTENSION $name UPDATE.\n",
		'... with advice');
	is(one($db, q{SELECT count(*) FROM pg_namespace WHERE nspname = 'indexer'}), 0, '... before anything is created');
	one($db, "ALTER EXTENSION $name UPDATE");
	($status, $said) = $indexer->command('init');
	is($status, 0, '... and after the update it works') or diag($said);
}

$node->stop;
done_testing();
