# A feed reaches people through the reference implementation's own servers: a PDS and Bluesky's AppView, from
# @atproto/dev-env. The AppView requests the page from `atid-indexer up`, with the token of the requesting account,
# and adds the posts. Shows that
# - a view of one line, indexed and published by the commands of doc/feeds.md, is a feed of the AppView: signed in and
#   not, in pages of any size, it has the posts of listRecords, newest first;
# - a feed of the accounts that the requester follows differs for each account;
# - deleted posts disappear, and new ones appear, including those written while the program was killed;
# - requesting an unpublished feed is an error.
# The test notes how long a post takes from the answer of its server to the page of the feed.
#
# indexer/t/appview/network.mjs runs the servers. They need Node 22, which comes with the packages, an SQLite compiled
# for it, and Redis. Runs with script/test --full.
#
# Tags: minutes full node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use AtidTest::Steps;
use HTTP::Tiny;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

plan skip_all => 'the AppView is tried with script/test --full' unless $ENV{ATID_FULL};

my $limit = $PostgreSQL::Test::Utils::timeout_default;
my $root  = "$FindBin::Bin/../..";
my $node  = new_node('appview');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my $redis = AtidTest::Oracles::find_program('redis-server');
plan skip_all => 'redis-server is not in the PATH' unless defined $redis;
my ($packages, $node22, $why) = AtidTest::Steps::packages('appview', "$FindBin::Bin/appview");
plan skip_all => $why if defined $why;
my $folder = PostgreSQL::Test::Utils::tempdir('appview');
local @ENV{qw(PGHOST PGPORT PGUSER)} = ($node->host, $node->port, scalar getpwuid($>));
$node->safe_psql('postgres', "CREATE DATABASE $_") foreach qw(feeds appview);
(my $indexer, $why) = AtidTest::Indexer->new($node, 'feeds', { folder => $folder });
plan skip_all => $why unless defined $indexer;
$why = $indexer->build_api;
plan skip_all => $why if defined $why;

#
# The servers
#
my $redis_port = PostgreSQL::Test::Cluster::get_free_port();
my $port       = PostgreSQL::Test::Cluster::get_free_port();
my $cache      = IPC::Run::start([ $redis, '--port', $redis_port, '--bind', '127.0.0.1', '--save', '', '--dir', $folder ], '>', \my $cache_said);
my $network = do
{
	local $ENV{LOG_ENABLED}     = 'false';
	local $ENV{REDIS_HOST}      = "127.0.0.1:$redis_port";
	local $ENV{DB_POSTGRES_URL} = sprintf 'postgresql://%s@/appview?host=%s&port=%s', $ENV{PGUSER}, $node->host, $node->port;
	AtidTest::Steps->start($node22, $packages, $folder, "$FindBin::Bin/appview/network.mjs", $port);
};
END
{
	local $?;
	$network->stop if $network;
	$cache->kill_kill(grace => 5) if $cache;
}
my $servers = $network->ask('start');
my @people  = @{ $network->ask('join 4') };

#
# The feeds
#
sub up
{
	my $up = $indexer->start(
		words        => [ 'up', "$root/examples/feeds/lexicons", $servers->{pds} ],
		ATID_PLC_URL => $servers->{directory}, ATID_ALLOW_PRIVATE_ADDRESSES => 'true',
		ATID_API_DID => $servers->{generator}, ATID_API_PORT => $port);
	$indexer->wait_for_log($up, qr{api listening url=http://127\.0\.0\.1:$port/}) or die slurp_file($up->{log});
	return $up;
}

# Waits until a query is true.
sub comes { my ($what, $query) = @_; return ok($indexer->wait_for($what, $query), $what); }
sub uri { return "at://$people[0]/app.bsky.feed.generator/$_[0]"; }

# The posts of a feed, through the servers.
sub feed
{
	my ($name, $who, $size) = @_;
	my $items = $network->ask("feed @{[ uri($name) ]} $who $size");
	return ref $items eq 'HASH' ? $items->{error} : join "\n", map { $_->{uri} } @$items;
}
sub list { return join "\n", @{ $network->ask("list $_[0]") }; }

$network->ask("post @{[ $_ % 4 ]} number $_ of a " . ($_ % 3 ? 'cat' : 'dog')) foreach 1 .. 30;
$network->ask("follow 0 $_") foreach 1, 2;
$network->ask('follow 1 3');
my $up    = up();
my $there = 'SELECT count(*) = %s FROM api.app_bsky_feed_post';
comes('up loads the posts', sprintf $there, 30);
$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('feeds'), '-f', "$root/examples/feeds/feeds.sql" ],
	'examples/feeds/feeds.sql');
$indexer->ask(q{CREATE OR REPLACE VIEW feed.cats AS SELECT uri AS post, sort_at AS at FROM api.app_bsky_feed_post WHERE text ~ '\mcat\M'});
my $account = $network->ask('password 0');
local @ENV{qw(ATID_HANDLE ATID_APP_PASSWORD ATID_PDS_URL ATID_API_DID)} = (@$account{qw(handle password)}, $servers->{pds}, $servers->{generator});
foreach my $command ('feed index cats', 'feed publish cats', 'feed publish following')
{
	my ($status, $said) = $indexer->command(split / /, $command);
	is($status, 0, $command) or diag($said);
}

my $wanted = list('cat');
is(scalar(split /\n/, $wanted), 20, 'listRecords has the posts');
is(feed('cats', 0,   50), $wanted, 'getFeed, signed in, has them, newest first');
is(feed('cats', 2,   7),  $wanted, '... in pages of 7');
is(feed('cats', '-', 3),  $wanted, '... and also without signing in');
foreach ([ 0, 1, 2 ], [ 1, 3 ], [2])
{
	my ($who, @follows) = @$_;
	my $theirs = join '|', map { $people[$_] } @follows;
	is(feed('following', $who, 10), join("\n", grep { @follows && m{^at://(?:$theirs)/} } split /\n/, list('number')), "account $who has the posts of those whom it follows");
}
like(feed('dogs', 0, 10), qr{^app\.bsky\.feed\.getFeed: 400 .*app\.bsky\.feed\.generator/dogs}, 'a feed that is not published is an error');

#
# Posts that are deleted, and posts that are written while the program is down
#
my ($gone, @others) = split /\n/, $wanted;
$network->ask("delete $gone");
comes('a deletion is heard', sprintf $there, 29);
is(feed('cats', 1, 50), join("\n", @others), 'the post is deleted');
$indexer->stop($up, 'KILL');
$network->ask("delete $others[3]");
$network->ask("post $_ another cat") foreach 0 .. 3;
like(feed('cats', 0, 50), qr/^app\.bsky\.feed\.getFeed: 502 .*feed unavailable/, 'while the program is down, the AppView reports it');
$up = up();
comes('what was missed is there', sprintf $there, 32);
$wanted = list('cat');
is(scalar(split /\n/, $wanted), 22, 'there are new posts now');
is(feed('cats', 0, 5), $wanted, '... and the feed has them');

#
# From a post to the feed
#
my $client = HTTP::Tiny->new(timeout => $limit);
my @took;
foreach my $n (1 .. 40)
{
	my $post  = $network->ask("post @{[ $n % 4 ]} fast cat $n");
	my $until = time + $limit;
	my $page  = '';
	while (time < $until && $page !~ /\Q$post->{uri}/)
	{
		$page = $client->get("http://127.0.0.1:$port/xrpc/app.bsky.feed.getFeedSkeleton?limit=1&feed=" . uri('cats'))->{content};
	}
	push @took, 1000 * time - $post->{at};
}
@took = sort { $a <=> $b } @took;
note(sprintf 'from the answer to a post to the page of the feed: median %.0f ms, p95 %.0f ms', @took[ 19, 37 ]);
is(feed('cats', 3, 100), list('cat'), 'the feed has all of them');
is($indexer->stop($up), 0, 'SIGTERM ends the program');
done_testing();
