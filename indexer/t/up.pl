# atid-indexer up, from a folder of Lexicons to an API.
#
# Shows that
# - an invalid file is reported, with its NSID and the place, before anything is created; other JSON, and types newer
#   than the extension are skipped with a line each;
# - Lexicons that records need are taken from the package, unless the database has one with that NSID, and other ones
#   are listed as missing by up, lexicon add, lexicon list and make_views;
# - a join exists soon after the first record that needs it;
# - up needs no privilege to change its login if the password is given, and otherwise reports which privilege is
#   missing;
# - messages about privileges, passwords and ports name the setting that the operator can change.
#
# Skipped where atid_crypto, Node 22 or the packages are not available.
#
# Tags: medium node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use File::Copy;
use IO::Socket::INET;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $root = "$FindBin::Bin/../..";
my $node = new_node('up');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($modules, $why) = AtidTest::Oracles::packages('indexer', "$root/indexer");
plan skip_all => $why unless defined $modules;
my $folder = PostgreSQL::Test::Utils::tempdir('up');
my $limit  = $PostgreSQL::Test::Utils::timeout_default;
$node->safe_psql('postgres', $_) foreach 'CREATE ROLE dev LOGIN CREATEROLE CREATEDB', 'CREATE ROLE other LOGIN', 'CREATE DATABASE app OWNER dev';
$node->safe_psql('app', 'CREATE EXTENSION atid_crypto CASCADE');
(my $indexer, $why) = AtidTest::Indexer->new($node, 'app', { folder => $folder });
plan skip_all => $why unless defined $indexer;
symlink $modules, "$folder/node_modules" or die "$!";
$why = $indexer->build_api;
plan skip_all => $why if defined $why;

sub sql { return $node->safe_psql('app', $_[0]); }
my %as_dev = (PGUSER => 'dev', ATID_ALLOW_PRIVATE_ADDRESSES => 1, ATID_API_PORT => 0);
sub command { return $indexer->command({ %as_dev, ref $_[0] ? %{ shift() } : () }, @_); }
sub again { return $indexer->call({ %as_dev, ref $_[0] ? %{ shift() } : () }, @_); }    # a command that was a process before

# The network: none of its accounts has records of the types of this test.
my ($told, $in) = ('', '');
copy("$root/demo/app/pds.js", $folder) or die "$!";
my $network = IPC::Run::start([ ($indexer->bin)[0], "$folder/pds.js", "$root/examples/statusphere/index.html", 0 ], '<', \$in, '>', \$told, '2>&1');
my @running = ($network);
END { local $?; $_->kill_kill(grace => 5) foreach grep { $_->pumpable } @running; }
$network->pump until $told =~ /^port (\d+)$/m || !$network->pumpable;
my $url = $told =~ /^port (\d+)$/m ? "http://127.0.0.1:$1" : die $told;
$as_dev{ATID_PLC_URL} = $url;

# Runs "up" until a line appears in its output, and ends it. Returns its whole output.
sub up
{
	my ($line, $settings, $path, $while) = @_;
	my $log = "$folder/log" . @running;
	local %ENV = $indexer->environment(%as_dev, %$settings);
	push @running, IPC::Run::start([ $indexer->bin, 'up', $path, $url ], '<', \undef, '>', $log, '2>&1');
	my $until = time + 2 * $limit;
	sleep 0.1 until slurp_file($log) =~ $line || !$running[-1]->pumpable || time > $until;
	$while->() if $while;
	$running[-1]->signal('TERM');
	eval { $running[-1]->finish };
	return slurp_file($log);
}

sub file
{
	my ($name, $content) = @_;
	unlink "$folder/$name";
	append_to_file("$folder/$name", ref $content ? encode_json($content) : $content);
	return "$folder/$name";
}

sub record_type
{
	my ($nsid, %properties) = @_;
	return { lexicon => 1, id => $nsid, defs => { main => { type => 'record', key => 'tid', record => { type => 'object', properties => \%properties } } } };
}

#
# Files.
#
mkdir "$folder/lexicons" or die "$!";
my $bookmark = record_type('app.cookbook.bookmark', subject => { type => 'ref', ref => 'com.atproto.repo.strongRef' }, more => { type => 'ref', ref => 'com.example.defs#more' });
file('lexicons/bookmark.json', $bookmark);
file('lexicons/recipe.json', record_type('app.cookbook.recipe', name => { type => 'string' }));
my $wrong = file('lexicons/wrong.json', record_type('app.cookbook.wrong', name => { type => 'strng' }));
my ($status, $said) = command('up', "$folder/lexicons", $url);
is($status, 1, 'a wrong Lexicon stops up');
like($said, qr{\Qlexicons/wrong.json\E is not a Lexicon: In app\.cookbook\.wrong, \$\.defs\.main\.record\.properties\.name}, '... which names its file and the place');
is(sql("SELECT count(*) FROM pg_namespace WHERE nspname IN ('indexer', 'api')"), 0, '... before it has made a schema');
file('lexicons/wrong.json', '{"lexicon": 1, "id":');
like((command('up', "$folder/lexicons", $url))[1], qr{lexicons/wrong\.json: .*JSON}, '... and so does a Lexicon that is cut off');
file('lexicons/wrong.json', [ record_type('app.cookbook.two'), record_type('app.cookbook.recipe') ]);
like((command('up', "$folder/lexicons", $url))[1], qr{lexicons/recipe\.json and .*lexicons/wrong\.json\[1\] both define app\.cookbook\.recipe}, '... and a second one with the same name');
unlink $wrong;

file('lexicons/package.json', { name => 'cookbook', defs => {} });
file('lexicons/tsconfig.json', "{\n  // with comments\n  \"strict\": true,\n}");
file('lexicons/forum.json', { lexicon => 1, id => 'app.cookbook.forum', defs => { main => { type => 'space', key => 'any' }, also => { type => 'token' } } });

#
# From a fresh database to joins.
#
my $joined = sub {
	sql(<<'SQL');
CREATE FUNCTION put(collection text, key text, r jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO indexer.record (uri, did, cid, block)
  SELECT atid.at_uri_make('did:web:ada.example', collection, key), 'did:web:ada.example', atid.cid_of(b, 'dag-cbor'), b FROM atid.record_to_dag_cbor(r) AS b
$$;
SELECT put('app.cookbook.recipe', '3jzfcijpj2z2a', '{"$type": "app.cookbook.recipe", "name": "Soup"}'), put('app.cookbook.bookmark', '3jzfcijpj2z2b',
  '{"$type": "app.cookbook.bookmark", "more": "x", "subject": {"uri": "at://did:web:ada.example/app.cookbook.recipe/3jzfcijpj2z2a", "cid": "bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity"}}');
SQL
	ok($indexer->wait_for('the join', q{SELECT obj_description('api.app_cookbook_bookmark'::regclass) ~ '(?n)^@foreignKey \(subject_uri\) references api.app_cookbook_recipe \(uri\)$'}), 'the join comes with the first record')
	  if sql(q{SELECT count(*) FROM pg_attribute WHERE attrelid = 'api.app_cookbook_bookmark'::regclass AND attname = 'subject_uri'});
};
$said = up(qr{api listening url=http:}, {}, "$folder/lexicons", $joined);
like($said, qr{^record types +app\.cookbook\.bookmark app\.cookbook\.recipe$}m, 'up works with other files in the folder') or die $said;
like($said, qr{^left out: \S*package\.json, \S*tsconfig\.json: no Lexicon, as it has no "lexicon"$}m, '... which it names');
like($said, qr{^left out: \S*forum\.json: the extension does not know the type "space" yet$}m, '... as it does with a space');
like($said, qr{^taken from the package: com\.atproto\.repo\.strongRef$}m, 'it takes a needed Lexicon from the package');
like($said, qr{^missing: com\.example\.defs#more \(needed by app\.cookbook\.bookmark\)$}m, '... and lists the one that the package does not have');
like($said, qr{Z info references added count=1$}m, '... and reports the join');
is(sql(q{SELECT conforms FROM api.app_cookbook_bookmark}), '', 'as long as it is missing, it is unknown whether a record conforms');

#
# Lexicons by themselves.
#
my $gap = qr{^missing: com\.example\.defs#more \(needed by app\.cookbook\.bookmark\)$}m;
like((command('lexicon', 'list'))[1], $gap, 'lexicon list lists what is missing');
($status, $said) = command('lexicon', 'add', "$folder/lexicons");
like($said, $gap, '... and so does lexicon add');
unlike($said, qr/taken from/, '... which does not take it again');
like($said, qr/^The views are as before\. Run "atid-indexer up", or in psql: SELECT indexer\.make_views\('api'\);$/m, '... and says how the views follow');
my ($out, $err) = ('', '');
$node->psql('app', q{SELECT indexer.make_views('api')}, stdout => \$out, stderr => \$err);
like($err, qr{NOTICE:  missing: com\.example\.defs#more \(needed by app\.cookbook\.bookmark\)}, '... and make_views');
($status, $said) = again('lexicon', 'add', "$folder/lexicons/package.json");
is($status, 1, 'a file that is no Lexicon is none');
like($said, qr/There is no Lexicon in these files.*\n.*package\.json/, '... and it says so');
($status, $said) = again('lexicon', 'add', file('bad.json', { lexicon => 1, id => 'com.example.defs', defs => {} }));
like($said, qr/bad\.json is not a Lexicon: In com\.example\.defs, \$\.defs/, 'lexicon add names the file');
($status, $said) = again('lexicon', 'add', file('defs.json', { lexicon => 1, id => 'com.example.defs', defs => { more => { type => 'string' } } }));
is($status, 0, 'one that was missing is added');
unlike($said, qr/missing/, '... and missing no longer');
my $own = { lexicon => 1, id => 'com.atproto.repo.strongRef', description => 'Own.', defs => { main => { type => 'object', properties => { uri => { type => 'string', format => 'at-uri' } } } } };
($status, $said) = again('lexicon', 'add', file('own.json', $own), "$folder/lexicons/bookmark.json");
is(sql(q{SELECT atid.lexicon_document(atid.lexicon_agg(lexicons), 'com.atproto.repo.strongRef')->>'description' FROM indexer.lexicons}), 'Own.', 'one of the user takes the place of that of the package');
again('lexicon', 'add', "$folder/lexicons/recipe.json");
is(sql(q{SELECT atid.lexicon_document(atid.lexicon_agg(lexicons), 'com.atproto.repo.strongRef')->>'description' FROM indexer.lexicons}), 'Own.', '... and keeps it');

# The statement of doc/lexicon.md.
my ($fill) = slurp_file("$root/doc/lexicon.md") =~ /^```\n(INSERT INTO lexicon .*?)^```$/ms or die 'no statement';
$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('app'), '-c', 'CREATE SCHEMA own', '-c', 'SET search_path = own', '-f', "$root/examples/lexicons.sql" ], 'a table of Lexicons');
sql("SET search_path = own; $fill") foreach 1, 2;
is(sql('SELECT array_agg(nsid ORDER BY nsid) = (SELECT array_agg(DISTINCT n::text COLLATE "C") FROM indexer.lexicons AS l, unnest(atid.lexicon_nsids(l.lexicons)) AS n) FROM own.lexicon'), 't',
	'... is filled from those of the indexer');
sql('DROP SCHEMA own CASCADE');

# The package.
my $package = decode_json(slurp_file("$root/indexer/package.json"));
ok((grep { $_ eq 'lexicons' } @{ $package->{files} }), 'the package has the Lexicons');
like(slurp_file("$root/indexer/Containerfile"), qr{^COPY indexer/lexicons lexicons$}m, '... and the container');
my @shared = glob "$root/indexer/lexicons/*.json";
cmp_ok(scalar @shared, '>=', 4, '... of which there are some');
my $set = literal('[' . join(',', map { slurp_file($_) } @shared) . ']');
is(sql("SELECT atid.lexicon_problem(${set}::jsonb)"), '', '... are valid');
is(sql("SELECT atid.lexicon_missing(${set}::atid.lexicon)"), '{}', '... and complete');
is(sql("SELECT array_to_string(atid.lexicon_nsids(${set}::atid.lexicon), ' ')"), join(' ', sort map { m{([^/]+)\.json$} } @shared), '... and have the names of their files');

#
# Rights.
#
my $new = $node->safe_psql('postgres', 'SHOW server_version_num') >= 160000;
$node->safe_psql('postgres', $new ? 'REVOKE reader FROM dev CASCADE' : 'ALTER ROLE dev NOCREATEROLE');
($status, $said) = command('up', "$folder/lexicons", $url);
is($status, 1, 'without the right to change its login, "up" ends');
my $cure = $new ? qr/"GRANT "reader" TO dev WITH ADMIN OPTION"/ : qr/"ALTER ROLE dev CREATEROLE"/;
like($said, qr/cannot give the login reader a password.*$cure.*ATID_API_DB_PASSWORD/, '... and reports which right is missing');
$node->safe_psql('postgres', q{ALTER ROLE reader PASSWORD 'right'});
like(up(qr{api listening url=http:}, { ATID_API_DB_PASSWORD => 'right' }, "$folder/lexicons"), qr{api listening url=http:}, 'with the password, it needs no such right');

$node->safe_psql('postgres', 'CREATE DATABASE empty');
$node->safe_psql('empty', 'CREATE EXTENSION atid_crypto CASCADE');
my $owner = getpwuid($>);
($status, $said) = command({ PGUSER => 'other', PGDATABASE => 'empty' }, 'init');
like($said, qr/permission denied for database empty\. The role is other, but the database belongs to $owner\. Run this as the owner\.$/m, 'init names the owner');
sql('ALTER TABLE indexer.want OWNER TO other');
($status, $said) = command('upgrade');
like($said, qr/the database belongs to dev, the schema indexer to dev, tables in it to other\. Run/, '... and so does upgrade');
sql('ALTER TABLE indexer.want OWNER TO dev');
($status, $said) = command({ ATID_API_DB_USER => 'dev' }, 'up', "$folder/lexicons", $url);
like($said, qr/ATID_API_DB_USER is dev, but it owns the schema \w+\. The API needs a login of its own/, '"up" refuses an owner as the login');
($status, $said) = command({ ATID_API_DB_USER => 'dev' }, 'api');
like($said, qr/ATID_API_DB_USER is dev, but it owns the schema/, '... and api, too');

#
# Passwords and ports.
#
my $hba = $node->data_dir . '/pg_hba.conf';
my $was = slurp_file($hba);
my $loaded = sql('SELECT pg_conf_load_time()');
unlink $hba;
append_to_file($hba, "local all reader scram-sha-256\n$was");
$node->reload;
ok($node->poll_query_until('app', "SELECT pg_conf_load_time() > '$loaded'"), 'the login needs its password');
($status, $said) = command({ ATID_API_DB_PASSWORD => 'wrong' }, 'api');
like($said, qr/password authentication failed for user "reader"\. Its password is in ATID_API_DB_PASSWORD or .*, not in PGPASSWORD/, 'a wrong password of the reader is ATID_API_DB_PASSWORD');
($status, $said) = command('api');
like($said, qr/"atid-indexer up" has created this login.*ATID_API_DB_PASSWORD/, 'a password that "up" has set is known only to "up"');
my $busy = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or die "$!";
($status, $said) = command({ ATID_API_DB_PASSWORD => 'right', ATID_API_PORT => $busy->sockport }, 'api');
is($status, 1, 'a taken port');
like($said, qr/Another program uses port ${\ $busy->sockport} of 127\.0\.0\.1\. Set ATID_API_PORT or ATID_API_HOST/, '... is reported with ATID_API_PORT');

$indexer->{session}->quit;
$network->kill_kill;
$node->stop;
done_testing();
