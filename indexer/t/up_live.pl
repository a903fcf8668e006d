# atid-indexer up --live, from a folder of Lexicons to the new commits of a network.
#
# Shows that
# - up --live wants the new commits of all accounts, of the types of the folder: the records that an account writes from
#   then on are in a day's table and in the API, accounts that had such records before are absent, and no repository is
#   requested;
# - --keep sets how long records are kept, within the bounds of the table, and is refused without --live;
# - a second up --live changes nothing, and up without --live leaves a live database live, and reports it;
# - other mirrors and collections that are wanted stay, and are named;
# - where all accounts are mirrors, also by the wants of a new schema if it has accounts, up --live changes nothing, and
#   names the command to run; those of a schema without accounts are replaced;
# - where the database refuses live mode, as on Citus, up --live changes nothing.
#
# The network is indexer/t/oracles/network.js. Skipped where atid_crypto, Node 22 or npm are not available.
#
# Tags: medium node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Network;
use AtidTest::Oracles;
use HTTP::Tiny;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $root = "$FindBin::Bin/../..";
my ($node, $db, $oracles, $indexer) = AtidTest::Indexer::set_up('up_live');
my $why = $indexer->build_api;
plan skip_all => $why if defined $why;
my $folder = $oracles->{folder};
my $limit  = $PostgreSQL::Test::Utils::timeout_default;

my $mine = 'com.example.mine';
mkdir "$folder/lexicons" or die "$!";
append_to_file("$folder/lexicons/mine.json", encode_json({ lexicon => 1, id => $mine, defs => { main => { type => 'record', key => 'tid',
	record => { type => 'object', properties => { serial => { type => 'integer' } } } } } }));

my $network = AtidTest::Network->new($oracles->{node}, "$folder/network.js", AtidTest::Oracles::seed(), 6);
$network->ask($_) foreach 'calm', 'lists?mode=collections';
my $before = $network->ask("join?collection=$mine")->{did};

sub one { return $node->safe_psql($db, $_[0]); }
my $wants = q{SELECT string_agg(what || ' ' || value, ', ' ORDER BY what, value) FROM want};
my @up    = ('up', "$folder/lexicons", $network->url);
my $settings = { ATID_PLC_URL => $network->url, ATID_PLC_RATE => 50, ATID_API_PORT => 0 };

# Starts "up" with these options, until its API and its stream are up.
sub start
{
	$settings->{ATID_API_DB_USER} = "reader_$indexer->{db}";
	my $up = $indexer->start(%$settings, words => [ @up, @_ ]);
	$indexer->wait_for_log($up, $_) || die slurp_file($up->{log}) foreach qr{api listening url=http:}, qr{stream connected};
	return $up;
}

sub wanted { return slurp_file($_[0]{log}) =~ /^wanted +(.*)$/m ? $1 : ''; }

# Makes an account of the network write a record of this type, and waits until it is stored.
sub is_stored
{
	my ($what) = @_;
	my $did = $network->ask("join?collection=$mine")->{did};
	return $did if ok($indexer->wait_for($what, "SELECT count(*) = 1 FROM record WHERE did = '$did'"), $what);
	diag(one('SELECT did, state, seen FROM account; SELECT did, ask, problem, detail FROM identity'));
	return $did;
}

sub api
{
	my ($up, $query) = @_;
	my ($url) = slurp_file($up->{log}) =~ m{api listening url=(\S+?)/?$}m;
	return HTTP::Tiny->new(timeout => $limit)->post("$url/graphql", { headers => { 'content-type' => 'application/json' }, content => encode_json({ query => $query }) })->{content};
}

#
# Invalid requests
#
foreach ([ '3d' => qr/--keep needs --live/ ],
	map { [ '--live', $_ => qr/invalid value "\Q$_\E" for --keep: it takes a time from 1h to 7d, such as 12h or 3d$/m ] } qw(59m 8d 3w soon))
{
	my $rule = pop @$_;
	my @words = @$_ > 1 ? ($_->[0], '--keep', $_->[1]) : ('--keep', $_->[0]);
	my ($status, $said) = $indexer->call($settings, @up, @words);
	is($status, 2, "up @words is refused");
	like($said, $rule, '... with the rule');
}
is(one(q{SELECT count(*) FROM pg_namespace WHERE nspname IN ('indexer', 'api')}), 0, '... before anything is made');

#
# From a fresh database
#
my $up = start('--live', '--keep', '2d');
is(wanted($up), 'new commits of all accounts, kept for 2 days', 'up --live --keep says what is wanted');
is(one($wants), "collection $mine, live *", '... and wants it');
is(one('SELECT keep FROM settings'), '2 days', '... for so long');
one(q{UPDATE settings SET pause_first = '0.05 s', pause_most = '0.8 s', spread = '0.1 s'});
my $first = is_stored('a record of an account that joins is stored');
is(one("SELECT tableoid = day_table('record', utc_day(indexed))::regclass FROM packed_record WHERE atid.at_uri_did(uri) = '$first'"), 't', '... in a table of its day');
my $uri = one("SELECT uri FROM record WHERE did = '$first'");
is(api($up, '{ allComExampleMines(first: 9) { nodes { uri } } }'), encode_json({ data => { allComExampleMines => { nodes => [ { uri => $uri } ] } } }), '... and the API has it, and nothing else');
is(one("SELECT count(*) FROM account WHERE did = '$before'"), 0, 'an account that had such a record before is not there');
is(one('SELECT DISTINCT state FROM account'), 'live', '... and all that are there are live');
is($indexer->stop($up), 0, 'SIGTERM ends it');

#
# Again
#
my $state = q{SELECT (SELECT string_agg(w::text, ' ' ORDER BY what) FROM want AS w) || (SELECT w::text FROM wants AS w) || (SELECT keep FROM settings)};
my $was   = one($state);
$up = start('--live');
is(wanted($up), 'new commits of all accounts, kept for 2 days', 'up --live, again');
is(one($state), $was, '... changes no want, and not how long records are kept');
is_stored('... and goes on');
is(one(qq{SELECT count(*) FROM record WHERE uri = '$uri'}), 1, '... with the records that it had');
is($indexer->stop($up), 0, 'SIGTERM ends it');

$up = start();
is(wanted($up), q{new commits of all accounts, kept for 2 days; live mode stays: "atid-indexer want remove live '*'" ends it}, 'up without --live on this database says that it stays live');
is(one($state), $was, '... and changes no want');
is_stored('... and goes on');
is($network->ask('state')->{repositories}, 0, 'no repository was requested in all that time');
is($indexer->stop($up), 0, 'SIGTERM ends it');

#
# With other wants
#
is(($indexer->call('want', 'add', @$_))[0], 0, "want add @$_") foreach [ 'account', $before ], [ 'collection', 'app.bsky.*' ], [ 'collection', '*' ];
$up = start('--live', '--keep', '36h');
is(wanted($up),
	q{new commits of all accounts, kept for 1 day 12:00:00; of all collections: "atid-indexer want remove collection '*'" ends that; mirrors of accounts stay: "atid-indexer want list" lists them},
	'up --live says which other wants stay');
is(one($wants), "account $before, collection *, collection app.bsky.*, collection $mine, live *", '... as they do');
ok($indexer->wait_for('the mirror', "SELECT state = 'synchronized' FROM account WHERE did = '$before'"), '... and the mirror is loaded');
is($indexer->stop($up), 0, 'SIGTERM ends it');

#
# Where all accounts are mirrors
#
sub is_refused
{
	my ($what, $rule) = @_;
	my $all = q{SELECT (SELECT string_agg(w::text, ' ' ORDER BY what, value) FROM want AS w) || (SELECT keep FROM settings) || (SELECT count(*) FROM lexicons)};
	my $had = $node->safe_psql($indexer->{db}, $all);
	my ($status, $said) = $indexer->command($settings, @up, '--live', '--keep', '7d');
	is($status, 1, "$what: up --live is refused");
	like($said, $rule, '... with a message');
	unlike($said, qr/^wanted /m, '... and does not say that anything is wanted');
	return is($node->safe_psql($indexer->{db}, $all), $had, '... nor changes anything');
}
my $mirrors = qr/All accounts are wanted as mirrors .*"atid-indexer want remove account '\*'"/;
$indexer->call('want', 'remove', 'live', '*');
$indexer->call('want', 'add', 'account', '*');
is_refused('all accounts are wanted', $mirrors);
$indexer->call('want', 'remove', 'account', '*');
# as in citus.sql
my ($citus) = slurp_file("$root/indexer/sql/citus.sql") =~ /^(CREATE OR REPLACE FUNCTION refuse_live\(\).*?EXECUTE FUNCTION refuse_live\(\);)$/ms or die 'no trigger';
one($citus);
is_refused('Citus', qr/live mode is not supported on Citus/);

#
# The wants of a new schema
#
$indexer->{db} = 'new';
$node->safe_psql('postgres', 'CREATE DATABASE new');
is(($indexer->call('init'))[0], 0, 'init');
$node->safe_psql('new', qq{BEGIN; $citus COMMIT});
is_refused('Citus, with the wants of a new schema', qr/live mode is not supported on Citus/);
$node->safe_psql('new', q{DROP TRIGGER refuse_live ON want; SELECT add_account('did:web:a.example')});
is_refused('a new schema with an account', $mirrors);
$node->safe_psql('new', q{SELECT delete_account('did:web:a.example')});
$up = start('--live', '--keep', '7d');
is($node->safe_psql('new', $wants), "collection $mine, live *", 'a new schema without accounts has the wants of live mode');
is($node->safe_psql('new', 'SELECT keep FROM settings'), '7 days', '... and keeps records for 7 days, the most');
is($indexer->stop($up), 0, 'SIGTERM ends it');
isnt($node->psql('new', "UPDATE settings SET keep = '$_'", stderr => \my $said), 0, "... as the table does not take $_") foreach '7 days 00:00:01', '00:59:59';

$network->stop;
$node->stop;
done_testing();
