# From Lexicons and a server to feeds, as described in doc/feeds.md.
#
# Shows that
# - `up` with the Lexicons of examples/feeds gives the reader the privileges it needs; the commands and the view of the
#   chapter make a feed, which serves the accounts' posts, newest first;
# - a feed of the accounts that the requester follows differs for each account, by tokens that the accounts have signed;
#   the feeds of examples/feeds/feeds.sql are served;
# - "liked by me" is a field of GraphQL, as described in the chapter;
# - after kill -9 of all programs, and more posts meanwhile, a feed has all posts of the network;
# - `up` succeeds where a Lexicon loses a property that no feed reads;
# - with ATID_FULL, script/demo --feed shows pages of feeds, and script/demo --app the address of its page.
#
# Skipped where atid_crypto, Node 22 or the packages are not available.
#
# Tags: long node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use HTTP::Tiny;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $root = "$FindBin::Bin/../..";
my $node = new_node('feeds_up');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($modules, $why) = AtidTest::Oracles::packages('indexer', "$root/indexer");
plan skip_all => $why unless defined $modules;
my $folder = PostgreSQL::Test::Utils::tempdir('feeds_up');
$node->safe_psql('postgres', 'CREATE DATABASE feeds');
(my $indexer, $why) = AtidTest::Indexer->new($node, 'feeds', { folder => $folder });
plan skip_all => $why unless defined $indexer;
$why = $indexer->build_api;
plan skip_all => $why if defined $why;
symlink $modules, "$folder/node_modules" or die "$!";
my ($program) = $indexer->bin;
system('cp', '-R', "$root/examples/feeds", "$root/demo/app/pds.js", $folder) == 0 or die 'could not copy';
my $limit  = $PostgreSQL::Test::Utils::timeout_default;
my $client = HTTP::Tiny->new(timeout => $limit);

# The network.
my ($in, $out) = ('', '');
my $network = IPC::Run::start([ $program, "$folder/pds.js", "$root/examples/statusphere/index.html", 0, 'posts' ], '<', \$in, '>', \$out, IPC::Run::timeout($AtidTest::work_limit));
END { local $?; $network->kill_kill(grace => 5) if $network; }
$network->pump until $out =~ /^port (\d+)\n/;
my $url = "http://127.0.0.1:$1";
sub network { my $answer = $client->get("$url/$_[0]"); $answer->{success} or die "$_[0]: $answer->{content}"; return $answer->{content}; }
my @people = map { $_->{did} } @{ decode_json(network('xrpc/com.atproto.sync.listRepos'))->{repos} };

# up, and its port.
my $service = 'did:web:feeds.example';
sub up
{
	my $up = $indexer->start(
		words => [ 'up', "$folder/feeds/lexicons", $url ],
		ATID_PLC_URL => $url, ATID_ALLOW_PRIVATE_ADDRESSES => 'true', ATID_API_DID => $service, ATID_API_PORT => 0);
	$indexer->wait_for_log($up, qr{api listening url=http://127\.0\.0\.1:\d+/}) or die slurp_file($up->{log});
	($up->{port}) = slurp_file($up->{log}) =~ m{api listening url=http://127\.0\.0\.1:(\d+)/};
	return $up;
}
my $skeleton = 'app.bsky.feed.getFeedSkeleton';
sub page
{
	my ($up, $feed, $who, $limit, $cursor) = @_;
	my %headers = defined $who ? (authorization => 'Bearer ' . network("token?n=$who&aud=$service&lxm=$skeleton")) : ();
	my $answer = $client->get("http://127.0.0.1:$up->{port}/xrpc/$skeleton?feed=at://$service/app.bsky.feed.generator/$feed&limit=" . ($limit // 100)
		  . (defined $cursor ? '&cursor=' . $cursor =~ s/([^\w.~-])/sprintf '%%%02X', ord $1/ger : ''), { headers => \%headers });
	return $answer->{success} ? decode_json($answer->{content}) : { error => "$answer->{status} $answer->{content}", feed => [] };
}
sub posts { return join "\n", map { $_->{post} } @{ page(@_)->{feed} }; }

my $up = up();
ok($indexer->wait_for('the posts', 'SELECT count(*) >= 40 FROM api.app_bsky_feed_post'), 'up loads the posts') or diag(slurp_file($up->{log}));

#
# The chapter
#
my $chapter = slurp_file("$root/doc/feeds.md");
my ($view) = $chapter =~ /^(CREATE VIEW feed\.cats AS .*;)$/m or die 'no view';
my ($in_psql) = $chapter =~ /^psql -c "(CREATE VIEW feed\.cats .*)"$/m or die 'no command';
is("$in_psql;", $view, 'the line of SQL at the head of the chapter is also in its commands');
$indexer->ask($view);
my ($status, $said);
foreach my $command ($chapter =~ /^atid-indexer (feed (?:index|list).*)$/mg)
{
	($status, $said) = $indexer->command(split / /, $command);
	is($status, 0, $command) or diag($said);
}
like($said, qr/^cats\n  page       [\d.]+ ms, \d+ blocks\n  index      \d+ kB\n  published  not$/m, 'feed list shows its cost');
my $wanted = q{SELECT coalesce(string_agg(uri::text, E'\n' ORDER BY sort_at DESC, uri DESC), '') FROM api.app_bsky_feed_post WHERE };
my $cats   = q{text ~ '\mcats?\M'};
cmp_ok(length posts($up, 'cats'), '>', 0, 'the feed has posts');
is(posts($up, 'cats'), $indexer->ask("$wanted $cats"), '... those with the word, newest first');
my ($all, $cursor) = ('');
do { my $page = page($up, 'cats', undef, 2, $cursor); $all .= "$_->{post}\n" foreach @{ $page->{feed} }; $cursor = $page->{cursor} } while defined $cursor;
is($all, posts($up, 'cats') . "\n", '... in pages of two, too');

#
# The client's account
#
$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('feeds'), '-f', "$folder/feeds/feeds.sql" ], 'examples/feeds/feeds.sql');
my %seen;
foreach my $n (0 .. 2)
{
	my $posts = posts($up, 'following', $n);
	is($posts, $indexer->ask("$wanted reply IS NULL AND did IN (SELECT subject FROM api.app_bsky_graph_follow WHERE did = '$people[$n]')"),
		"account $n has the posts of those whom it follows");
	$seen{$posts} = 1;
}
is(scalar keys %seen, 3, '... which differ for each');
is(posts($up, 'following'), '', 'a feed of an account that follows nobody is empty');
like(($indexer->call('feed', 'list'))[1], qr/^following\n.*\n  index      none: It reads several tables/m, 'feed list: a feed of several tables has no index of its own');
is(posts($up, 'hot', undef, 1), $indexer->ask(q{SELECT subject_uri FROM api.app_bsky_feed_like GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1}), 'feed.hot begins with the post that has the most likes');
my $hot = page($up, 'hot', undef, 3);
is(scalar @{ page($up, 'hot', undef, 3, $hot->{cursor})->{feed} }, 3, '... and has pages');

my ($liked) = $chapter =~ /^(CREATE OR REPLACE FUNCTION api\.app_bsky_feed_post_liked.*?NOTIFY postgraphile_watch;)$/ms or die 'no field';
$indexer->ask($liked);
my ($liker, $post) = split /\|/, $indexer->ask('SELECT did, subject_uri FROM api.app_bsky_feed_like LIMIT 1');
my ($who) = grep { $people[$_] eq $liker } 0 .. $#people;
my ($of_page) = $chapter =~ /JSON\.stringify\(\{ query: '(.*?)' \}\)/ or die 'no query';
sub likes
{
	my ($who, $query) = @_;
	$query //= "{ appBskyFeedPostByUri(uri: \"$post\") { liked } }";
	my %headers = defined $who ? (authorization => 'Bearer ' . network("token?n=$who&aud=$service&lxm=example.feeds.graphql")) : ();
	return $client->post("http://127.0.0.1:$up->{port}/graphql", {
		headers => { 'content-type' => 'application/json', %headers },
		content => encode_json({ query => $query }) })->{content};
}
my $until = time + $limit;
sleep 0.2 until likes() =~ /"liked"/ || time > $until;
like(likes(), qr/"liked":false/, 'GraphQL: nobody likes a post');
like(likes($who), qr/"liked":true/, '... except an account that does');
like(likes($who, $of_page), qr/\A\{"data":\{"allAppBskyFeedPosts":\{"nodes":\[\{"uri":"at:[^"]*","text":".*","liked":(?:true|false)\}/, '... as in the query of the chapter');

#
# kill -9
#
kill 'KILL', $up->{pid};
$indexer->ended($up);
ok($indexer->wait_for('the programs', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name LIKE 'atid-indexer%' AND application_name <> 'psql'}), 'all programs have ended');
my $before = $indexer->ask('SELECT count(*) FROM api.app_bsky_feed_post');
$client->post("$url/write?n=$_&status=x") foreach 0 .. 3;
$up = up();
ok($indexer->wait_for('the posts', "SELECT count(*) = $before + 4 FROM api.app_bsky_feed_post"), 'after kill -9 the posts that were written meanwhile are there');
is(posts($up, 'cats'), $indexer->ask("$wanted $cats"), '... and the feed has those that it should have');
is($indexer->stop($up), 0, 'SIGTERM ends it');

#
# A Lexicon that changes
#
my $file = "$folder/feeds/lexicons/app.bsky.feed.post.json";
my $lexicon = decode_json(slurp_file($file));
delete $lexicon->{defs}{main}{record}{properties}{langs};
unlink $file;
append_to_file($file, encode_json($lexicon));
my $definition = $indexer->ask(q{SELECT pg_get_viewdef('feed.cats')});
$up = up();
is($indexer->ask(q{SELECT count(*) FROM pg_attribute WHERE attrelid = 'api.app_bsky_feed_post'::regclass AND attname = 'langs'}), 0, 'up with a Lexicon that has lost a property creates the view again');
is($indexer->ask(q{SELECT pg_get_viewdef('feed.cats')}), $definition, '... with the feeds over it');
is(posts($up, 'cats'), $indexer->ask("$wanted $cats"), '... which are served');
is($indexer->stop($up), 0, 'SIGTERM ends it');

SKIP:
{
	skip 'script/demo --feed and --app with script/test --full', 2 unless $ENV{ATID_FULL};
	local $ENV{LOG} = "$folder/demo.log";
	local $ENV{ONCE} = 1;
	mkdir "$folder/tree";
	system('cp', '-R', "$root/demo", "$root/examples", "$folder/indexer", "$folder/tree") == 0 or die 'could not copy';
	symlink $modules, "$folder/tree/demo/app/node_modules";
	local %ENV = $indexer->environment(PATH => join ':', $program =~ s{/[^/]*$}{}r, $ENV{PATH});
	my %expected = (
		feed => qr/feed\.cats\n(?:    [\d:]{8} .*\bcats?\b.*\n)+\n  feed\.following\n(?:    [\d:]{8} .*\n){5}(?s:.*)\n  liked by the reader, of the last 50 posts\n    [\d:]{8} /,
		app  => qr{^  The page +http://127\.0\.0\.1:\d+/\?api=http://127\.0\.0\.1:\d+/graphql$}m);
	foreach my $name (sort keys %expected)
	{
		my ($log, $demo) = ('', '');
		# the login of a former one would need a password
		$node->safe_psql('postgres', "DROP DATABASE IF EXISTS $_ WITH (FORCE)") foreach qw(feeds app);
		IPC::Run::run([ 'bash', '-c', "cd '$folder/tree' && demo/$name/run" ], '<', \undef, '>', \$demo, '2>', \$log, IPC::Run::timeout($AtidTest::work_limit));
		like($demo, $expected{$name}, "script/demo --$name shows what it should") or diag($log);
	}
}

done_testing();
