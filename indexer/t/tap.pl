# examples/tap.mjs stores the events that indigo's tap sends.
#
# A server of indexer/t/tap speaks tap's protocol. Shows that
# - records are created, updated and deleted, with their references, and each event is acknowledged once it is in
#   the database;
# - a record whose JSON does not have the CID of the event is not stored, and the previous one is deleted;
# - an event that arrives a second time, late, changes nothing;
# - a program that is killed between two events loses none;
# - the records of a deleted account are deleted, and the account states that tap reports are stored.
#
# Skipped where Node 22 and its packages are not available.
#
# Tags: medium node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use File::Copy;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $root = "$FindBin::Bin/../..";
my $node = new_node('tap', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($program, $why) = AtidTest::Oracles::node22();
plan skip_all => $why unless defined $program;
(my $modules, $why) = AtidTest::Oracles::packages('tap', "$FindBin::Bin/tap");
plan skip_all => $why unless defined $modules;

my $folder = PostgreSQL::Test::Utils::tempdir('tap');
copy($_, $folder) or die "could not copy $_: $!" foreach "$root/examples/tap.mjs", "$FindBin::Bin/tap/server.mjs";
symlink $modules, "$folder/node_modules" or die "could not make a link: $!";
cmp_ok(scalar(() = slurp_file("$folder/tap.mjs") =~ /\n/g), '<=', 60, 'the example has at most 60 lines');

# As "atid-indexer init" creates it; the program runs as a role that owns nothing else.
my $db = new_database($node, 'tap');
$node->safe_psql($db, 'CREATE EXTENSION IF NOT EXISTS atid; CREATE EXTENSION atid_crypto');
$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-1', '-d', $node->connstr($db), '-f', "$root/indexer/sql/install.sql" ], 'install.sql');
$node->safe_psql($db, 'CREATE ROLE shard LOGIN; GRANT USAGE ON SCHEMA indexer TO shard; GRANT TEMPORARY ON DATABASE tap TO shard;
	GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA indexer TO shard; GRANT CREATE ON SCHEMA public TO shard');

my $port = PostgreSQL::Test::Cluster::get_free_port();
my ($in, $acks, $log) = ('', '', "$folder/log");
my $server = IPC::Run::start([ $program, "$folder/server.mjs", $port ], '<', \$in, '>', \$acks, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
my $example;

sub start_example
{
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGUSER => 'shard', PGDATABASE => $db, TAP => "http://127.0.0.1:$port");
	return $example = IPC::Run::start([ $program, "$folder/tap.mjs" ], '<', \undef, '>>', $log, '2>&1');
}

END
{
	local $?;
	$_->kill_kill(grace => 0) foreach grep { defined && $_->pumpable } $server, $example;
}

my $json = JSON::PP->new->utf8->canonical;
my $id   = 0;

sub send_event
{
	my ($type, %event) = @_;
	$in .= $json->encode({ id => ++$id, type => $type, $type => \%event }) . "\n";
	$server->pump_nb;
	return $id;
}

# An event of a record, with its CID.
sub record
{
	my ($did, $path, $rev, $action, $record, %more) = @_;
	my ($collection, $rkey) = split m{/}, $path;
	my @what;
	if ($record)
	{
		my $text = $json->encode($record) =~ s/'/''/gr;
		@what = (record => $record, cid => $node->safe_psql($db, "SELECT atid.json_cid('$text')"));
	}
	return send_event('record', did => $did, collection => $collection, rkey => $rkey, rev => $rev, action => $action, live => JSON::PP::true, @what, %more);
}

sub all_acknowledged
{
	my ($what) = @_;
	my $until = time + $PostgreSQL::Test::Utils::timeout_default;
	until ((() = $acks =~ /^ack \d+$/mg) >= $id || time > $until)
	{
		$server->pump_nb;
		sleep 0.05;
	}
	return is(scalar(() = $acks =~ /^ack \d+$/mg), $id, "$what: all events are acknowledged") || diag(slurp_file($log));
}

sub ask { return $node->safe_psql($db, "SET search_path = indexer, public; $_[0]"); }

my ($ada, $bob) = qw(did:plc:ejgtitwhvdkyn6p2rjeksof2 did:plc:hy3rgwryyzanhx4aewuhq6yu);
my ($post, $like) = qw(app.bsky.feed.post app.bsky.feed.like);
my $link = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a';
my @rev = map { "3kiwuygzb2c2$_" } 'a' .. 'z';
my $first = { '$type' => $post, text => "one \x{1F600} \0 two", createdAt => '2026-01-01T00:00:00.000Z' };

# Events that are not live come in any order.
start_example();
send_event('identity', did => $ada, handle => 'ada.example', is_active => JSON::PP::true, status => 'active');
record($ada, "$post/$rev[$_]", $rev[5], 'create', { '$type' => $post, text => "post $_", n => $_ }, live => JSON::PP::false) foreach 1 .. 3;
record($ada, "$post/$rev[0]", $rev[5], 'create', $first, live => JSON::PP::false);
record($bob, "$like/$rev[1]", $rev[6], 'create', { '$type' => $like, subject => { uri => "at://$ada/$post/$rev[0]", cid => $link }, via => { '$bytes' => 'AAEC' } });
all_acknowledged('the first');
is(ask("SELECT count(*), bool_and(atid.cid_of(block, 'dag-cbor') = cid), bool_and(atid.dag_cbor_is_valid(block)) FROM record"), '5|t|t', 'the records are there');
is(ask("SELECT uri, path FROM reference WHERE subject = 'at://$ada/$post/$rev[0]'"), "at://$bob/$like/$rev[1]|subject", '... and their references');
is(ask('SELECT did, rev, handle, status FROM public.tap_account ORDER BY did'), "$ada|$rev[5]|ada.example|active\n$bob|$rev[6]||", '... and the accounts');

# Changes of one record, in turn.
record($ada, "$post/$rev[1]", $rev[7], 'update', { '$type' => $post, text => 'changed' });
record($ada, "$post/$rev[2]", $rev[8], 'delete');
record($bob, "$like/$rev[1]", $rev[8], 'delete');
record($ada, "$post/$rev[3]", $rev[9], 'update', { '$type' => $post, text => 'true' }, record => { '$type' => $post, text => 'false' });
all_acknowledged('changes');
is(ask(q{SELECT string_agg(atid.dag_cbor_get_text(block, '{text}'), ' ' ORDER BY uri) FROM record WHERE uri <> 'at://} . "$ada/$post/$rev[0]'"), 'changed',
	'a change, a deletion, and JSON that is not what was signed');
like(slurp_file($log), qr{^\Qat://$ada/$post/$rev[3]\E: the JSON does not have the CID}m, '... which it reports');
is(ask('SELECT count(*) FROM reference'), 0, '... and there are no references');

# Late, a second time.
record($ada, "$post/$rev[1]", $rev[6], 'update', { '$type' => $post, text => 'old' });
all_acknowledged('an old event');
is(ask("SELECT atid.dag_cbor_get_text(block, '{text}') FROM record WHERE uri = 'at://$ada/$post/$rev[1]'"), 'changed', 'an old event changes nothing');

# Killed, in the middle.
foreach my $n (1 .. 20)
{
	record($_, "$post/$rev[$n]", $rev[20], $n % 2 ? 'create' : 'update', { '$type' => $post, text => "after $n" }) foreach $ada, $bob;
	if ($n % 7 == 0)
	{
		sleep 0.2;
		$example->signal('KILL');
		eval { $example->finish };
		start_example();
	}
}
all_acknowledged('killed');
is(ask("SELECT did, count(*) FROM record WHERE atid.dag_cbor_get_text(block, '{text}') LIKE 'after %' GROUP BY 1 ORDER BY 1"), "$ada|20\n$bob|20", 'killed: nothing is lost');

# An account that is not active keeps its records: tap does not send them again. One that is deleted has none.
send_event('identity', did => $ada, handle => 'ada.example', is_active => JSON::PP::false, status => 'suspended');
send_event('identity', did => $bob, handle => 'bob.example', is_active => JSON::PP::false, status => 'deleted');
all_acknowledged('accounts');
is(ask('SELECT did, count(*) FROM record GROUP BY 1') =~ /^\Q$ada\E\|2\d$/, 1, 'the records of a deleted account are deleted');
is(ask('SELECT status FROM public.tap_account ORDER BY did'), "suspended\ndeleted", '... and its status is there');

$example->kill_kill;
$server->kill_kill;
$node->stop;
done_testing();
