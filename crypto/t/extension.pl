# The extension atid_crypto next to atid: installing, dumping, upgrading, and the server's log.
#
# Shows that
# - a database owner who is not a superuser can create it; CASCADE creates atid too; atid cannot be dropped
#   without it, and the error gives the reason; it can be dropped without atid;
# - its symbols do not clash with atid's, whichever library is loaded first;
# - a dump restores, as a script and as an archive, by the owner too, with tables whose constraints,
#   generated columns, indexes and views call it;
# - it still works after an update of atid from 1.0;
# - it gives the same results in a database that is not encoded in UTF-8;
# - no key and no signature gets into the server's log, except in the text of a statement.
#
# Skipped where atid_crypto is not installed.
#
# Tags: medium differs crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('crypto');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');

my $key   = 'did:key:zQ3sht5vP1SCiQ5rNqUm8eXrutMGWnuj6zzU2yAPuK6RzVDVW';
my $other = 'did:key:zDnaegkAjichtmgDzR6z3ySDer2mpndGPdRUCG4TtjjGS4CjL';
my $sig   = '92da41e29f8249918ba17d727dc8b5d19234e1401d66ff71b34d76699286f421'
  . '66bc549c1e5e4da25e60f3378db84ef863dc34ad571d8855b7c099acb52557f0';
my $label =
    '{"ver": 1, "src": "did:plc:ewvi7nxzyoun6zhxrhs64oiz", '
  . '"uri": "at://did:plc:7iza6de2dwap2sbkpav7c6c6/app.bsky.feed.post/3jzfcijpj2z2a", '
  . '"val": "née", "cts": "2024-02-01T10:00:00.000Z", '
  . '"sig": {"$bytes": "5VbwBhVp6SmjM62r+lrck706XFxqSpF0oNPI0wgpgWMCAhAPb3m8OLmB170vuUQbfwMSGJ+2/DuSLp0kKkkhVg"}}';

# has the key signed 'hello'?
my $verify = "atid.signature_is_valid('hello', '\\x$sig', '$key')";

# is this empty repository, a commit and a node, signed by the key?
my $car =
    '3aa265726f6f747381d82a5825000171122036084b5eb2cd42fb33da15f7be2807604ccb6ce760b84b21e99e'
  . '4987b48fd7a56776657273696f6e01e0010171122036084b5eb2cd42fb33da15f7be2807604ccb6ce760b84b'
  . '21e99e4987b48fd7a5a66364696478206469643a706c633a37697a6136646532647761703273626b70617637'
  . '63366336637265766d336a7a6663696a706a327a32616373696758409b9e0478ce8fafd9b1f3ccfb35f5f58a'
  . 'b75e16f1e42644d1900266d96c4106477234aa91f586e80126d5924afca0bb8c7bb8e6da3621fdf2f033e8ba'
  . '684611b96464617461d82a582500017112209dfefe61dd76ea3dcae5023880b08379d57adf20482d6fdbe275'
  . '9289f647677b6470726576f66776657273696f6e032b017112209dfefe61dd76ea3dcae5023880b08379d57a'
  . 'df20482d6fdbe2759289f647677ba2616580616cf6';
my $whole =
  "SELECT atid.repo_is_signed_by('\\x$car', 'did:plc:7iza6de2dwap2sbkpav7c6c6', 'did:key:zQ3shgJHe5oTdGtyYmsLr42r4Qjypm7s862UzpTAzbmmuput1')";

# an operation whose keys are in a different order in LATIN1 than in UTF-8, and its DID
my $operation =
    '{"type": "plc_operation", "rotationKeys": ["did:key:zQ3shgJHe5oTdGtyYmsLr42r4Qjypm7s862UzpTAzbmmuput1"], '
  . '"verificationMethods": {"é": "à", "zz": "z"}, "alsoKnownAs": ["at://née.test"], "services": {}, "prev": null, '
  . '"sig": "yOr1uaNQi9beQFLlwLDtJlRsbXwx-nAlwqO-IwB7gzEGETT0KX65mgc8CmbQCvwoeUSC81mnB4qWiIZ4Ls8mJg"}';
my $operation_asked =
    "SELECT atid.plc_operation_problem('$operation') IS NULL, "
  . "atid.plc_operation_is_signed_by('$operation', 'did:key:zQ3shgJHe5oTdGtyYmsLr42r4Qjypm7s862UzpTAzbmmuput1'), "
  . "atid.plc_did('$operation')";

#
# Installing
#
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');
my @as_owner = (extra_params => [ '-U', 'owner' ]);

sub owned_database
{
	my ($name) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $name OWNER owner");
	return $name;
}

{
	my $db = owned_database('installing');
	my ($status, $out, $err) = $node->psql($db, 'CREATE EXTENSION atid_crypto', @as_owner);
	like($err, qr/required extension "atid" is not installed/, 'it needs atid');
	$node->safe_psql($db, 'CREATE EXTENSION atid_crypto CASCADE', @as_owner);
	is( $node->safe_psql($db,
			'SELECT extname, extnamespace::regnamespace FROM pg_extension WHERE extname ~ $$atid$$ ORDER BY 1'
		),
		"atid|atid\natid_crypto|atid",
		'an owner creates it, and CASCADE brings atid');
	is($node->safe_psql($db, "SELECT $verify", @as_owner), 't', 'it works');

	($status, $out, $err) = $node->psql($db, 'DROP EXTENSION atid', @as_owner);
	like(
		$err,
		qr/cannot drop extension atid because other objects depend on it.*extension atid_crypto depends on extension atid/s,
		'atid is not dropped under it');
	$node->safe_psql($db, 'DROP EXTENSION atid_crypto', @as_owner);
	is( $node->safe_psql($db, 'SELECT atid.tid_is_valid($$3jzfcijpj2z2a$$)'),
		't', 'atid stays without it');
	$node->safe_psql($db, 'CREATE EXTENSION atid_crypto; DROP EXTENSION atid CASCADE', @as_owner);
	is($node->safe_psql($db, 'SELECT count(*) FROM pg_extension WHERE extname ~ $$atid$$'),
		'0', 'CASCADE drops both');
}

#
# Two libraries in one backend
#
my $db = new_database($node, 'two');
$node->safe_psql($db, 'CREATE EXTENSION atid_crypto');
my $record_cid = q{SELECT atid.record_cid('{"text": "first"}')};
my $wanted     = $node->safe_psql($db, $record_cid);
foreach my $order ("$record_cid; SELECT $verify", "SELECT $verify; $record_cid")
{
	my @answers = sort split /\n/, $node->safe_psql($db, $order);
	is("@answers", "$wanted t", "answers of both: $order");
}

#
# Dump and restore
#
{
	my $from = owned_database('dumped');
	my $dir  = PostgreSQL::Test::Utils::tempdir('dump');
	$node->safe_psql($from, <<"SQL", @as_owner);
CREATE EXTENSION atid_crypto CASCADE;
CREATE TABLE key (n int PRIMARY KEY, key text NOT NULL CHECK (atid.did_key_is_valid(key)),
                  curve text GENERATED ALWAYS AS (atid.did_key_curve(key)) STORED);
CREATE INDEX ON key (atid.did_key_public_key(key));
CREATE TABLE event (data bytea, sig bytea, key text, CHECK (atid.signature_is_valid(data, sig, key)));
CREATE VIEW unsigned AS SELECT * FROM event WHERE NOT atid.signature_is_valid(data, sig, key);
INSERT INTO key VALUES (1, '$key'), (2, '$other');
INSERT INTO event VALUES ('hello', '\\x$sig', '$key');
SQL
	command_ok([ 'pg_dump', '-U', 'owner', '-f', "$dir/script", '-d', $node->connstr($from) ],
		'pg_dump, a script');
	command_ok([ 'pg_dump', '-U', 'owner', '-Fc', '-f', "$dir/archive", '-d', $node->connstr($from) ],
		'pg_dump, an archive');
	my %restore = (
		script  => [ 'psql', '-U', 'owner', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', "$dir/script" ],
		archive => [ 'pg_restore', '-U', 'owner', '--exit-on-error', "$dir/archive" ]);
	foreach my $way (sort keys %restore)
	{
		my $to = owned_database("from_$way");
		command_ok([ @{ $restore{$way} }, '-d', $node->connstr($to) ], "$way: restored");
		is($node->safe_psql($to, 'SELECT n, curve FROM key ORDER BY 1'),
			"1|k256\n2|p256", "$way: the table of keys");
		is($node->safe_psql($to, 'SELECT (SELECT count(*) FROM event), (SELECT count(*) FROM unsigned)'),
			'1|0', "$way: the table of what is signed, and the view");
		my ($status, $out, $err) =
		  $node->psql($to, "INSERT INTO event VALUES ('Hello', '\\x$sig', '$key')", @as_owner);
		like($err, qr/violates check constraint/, "$way: the constraint holds");
	}
}

#
# atid updated underneath it
#
{
	my $db = 'updated';
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, "CREATE EXTENSION atid VERSION '1.0'; CREATE EXTENSION atid_crypto");
	my $session = AtidTest::Session->new($node, $db);
	is($session->ok($whole), 't', 'with atid 1.0, what calls atid too');
	is($session->ok("SELECT $verify"), 't', 'with atid 1.0');
	$node->safe_psql($db, 'ALTER EXTENSION atid UPDATE');
	isnt($node->safe_psql($db, "SELECT extversion FROM pg_extension WHERE extname = 'atid'"),
		'1.0', 'atid is updated');
	is($session->ok("SELECT $verify"), 't', 'after the update, in a session from before');
	is($session->ok($whole), 't', 'and what calls atid');
	is($node->safe_psql($db, $whole), 't', 'in a new session');
	$session->quit;
}

#
# A database in another encoding: the signed bytes are always UTF-8.
#
{
	my @databases = ('two', 'latin1');
	$node->safe_psql('postgres',
		"CREATE DATABASE latin1 ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
	$node->safe_psql('latin1', 'CREATE EXTENSION atid_crypto CASCADE');
	my $src = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz';
	my $asked = "SELECT atid.label_is_signed_by('$label', '$src', '$key'), "
	  . "atid.label_is_signed_by(replace('$label', 'née', 'nee')::jsonb, '$src', '$key')";
	local $ENV{PGCLIENTENCODING} = 'UTF8';
	foreach my $db (@databases)
	{
		is($node->safe_psql($db, $asked), 't|f', "$db: a label that is not ASCII");
		is($node->safe_psql($db, $operation_asked),
			't|t|did:plc:lohkyppjqhpswzb5vbkqurgt', "$db: an operation that is not ASCII");
	}

	# its UTF-8 has twice as many bytes, and more than the initial buffer holds
	is( $node->safe_psql('latin1',
			"SELECT atid.label_is_signed_by('$label'::jsonb || jsonb_build_object('val', repeat('é', 2000)), '$src', '$key')"),
		'f', 'latin1: a label that is longer in UTF-8');

	# there a string may not be UTF-8 at all
	$node->safe_psql('postgres',
		"CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0");
	$node->safe_psql('ascii', 'CREATE EXTENSION atid_crypto CASCADE');
	$ENV{PGCLIENTENCODING} = 'SQL_ASCII';
	is($node->safe_psql('ascii', $asked =~ s/'nee'/E'n\\xe9e'/r), 't|f', 'ascii: a label that is not UTF-8');
	is($node->safe_psql('ascii', $operation_asked),
		't|t|did:plc:lohkyppjqhpswzb5vbkqurgt', 'ascii: an operation that is UTF-8 by chance');
	is( $node->safe_psql('ascii',
			"SELECT atid.plc_operation_is_signed_by(operation, '$key'), atid.plc_operation_problem(operation) "
			  . "FROM (VALUES ('{\"alsoKnownAs\": [\"' || E'\\xe9' || '\"]}'), "
			  . "('{\"verificationMethods\": {\"' || E'\\xe9' || '\": \"\"}}')) AS v (change), "
			  . "LATERAL (SELECT '$operation'::jsonb || change::jsonb) AS o (operation)"),
		"f|\$.alsoKnownAs[0]: A text must be valid UTF-8.\n"
		  . "f|\$.verificationMethods[\"\xe9\"]: A text must be valid UTF-8.",
		'ascii: an operation that is not UTF-8');
}

#
# The log
#
{
	my $db = 'two';
	$node->safe_psql($db, <<"SQL");
CREATE TABLE secret (n int, data bytea, sig bytea, key text, label jsonb);
INSERT INTO secret VALUES
  (1, 'hello', '\\x$sig', '$key', NULL),
  (2, 'hello', '\\x$sig', 'z3vLUUKjdAhodVaF89QsXdcJEmHphtygq6qbufvrBuf6CXzW', NULL),
  (3, 'hello', '\\x$sig', 'did:key:zQ3sht5vP1SCiQ5rNqUm8eXrutMGWnuj6zzU2yAPuK6RzVD00', NULL),
  (4, 'hello', '\\x$sig', 'zQ3shMQnkqiyfujhRPGFFqSEeD2yV9kUcmyBiu2fT2BXfFPMN', NULL);
SQL
	my $begin = -s $node->logfile;
	foreach my $n (1 .. 4)
	{
		my ($status, $out, $err) = $node->psql($db, <<"SQL");
SET log_min_messages = debug5;
SET log_error_verbosity = verbose;
SELECT atid.signature_is_valid(data, sig, key) FROM secret WHERE n = $n;
SQL
		$n == 1
		  ? is($out, 't', 'a key that is one')
		  : like($err, qr/invalid public key/, 'a key that is none');
	}
	my $log = slurp_file($node->logfile, $begin);
	like($log, qr/invalid public key/, 'the errors are in the log');
	unlike($log, qr/Q3sh|z3vL/, 'the keys are not');
	unlike($log, qr/92da41/i, 'nor the signatures');
}

$node->stop;
done_testing();
