# Every function of uuid-ossp and of pg_uuidv7 has its twin.
#
# Moving over from one of them changes only the schema in the statements. Shows that
# - for each function of uuid-ossp there is one of the same name, with the same arguments, names and
#   defaults of arguments, result, and properties for the planner;
# - likewise for each function of pg_uuidv7 1.6, except that here random functions are volatile and all
#   others immutable;
# - the same statements give the same answers, with uuid-ossp first in search_path or with atid first.
#
# pg_uuidv7 is in no Debian archive: its functions are listed here, and its results are computed.
#
# Tags: quick

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('twins', ready => 1, conf => "timezone = 'Asia/Kathmandu'\n");
my $db   = new_database($node, 'twins');

# The properties of the functions of a schema that matter to a caller or to the planner.
my $signature = q{
SELECT p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ') ' || pg_get_function_result(p.oid),
       p.pronargdefaults, p.proisstrict, p.proparallel, p.provolatile
FROM pg_proc p WHERE p.pronamespace = '%s'::regnamespace AND p.prokind = 'f' ORDER BY 1};

sub signatures
{
	my ($schema) = @_;
	my %signatures;
	foreach (split /\n/, $node->safe_psql($db, sprintf $signature, $schema))
	{
		my ($name, @rest) = split /\|/;
		$name =~ s/"time" //;    # pg_uuidv7 has no name for it
		$signatures{$name} = "@rest";
	}
	return %signatures;
}

my %ours = signatures('atid');

#
# pg_uuidv7
#
my %pg_uuidv7 = (
	'uuid_generate_v7() uuid'                                                  => '0 t s v',
	'uuid_timestamp_to_v7(timestamp without time zone, zero boolean) uuid'     => '1 t s v',
	'uuid_timestamptz_to_v7(timestamp with time zone, zero boolean) uuid'      => '1 t s v',
	'uuid_v7_to_timestamp(uuid) timestamp without time zone'                   => '0 t s i',
	'uuid_v7_to_timestamptz(uuid) timestamp with time zone'                    => '0 t s i');
is($ours{$_}, $pg_uuidv7{$_}, "pg_uuidv7: $_") foreach sort keys %pg_uuidv7;

# Its own statements, without a schema. 2023-01-02 04:26:40.637 UTC is 0x018570bb4a7d ms.
is( $node->safe_psql(
		$db, q{
SET search_path = atid;
\set v7 '018570bb-4a7d-7000-8000-000000000000'
SELECT uuid_generate_v7() > :'v7';
SELECT uuid_v7_to_timestamptz(:'v7') = '2023-01-02 04:26:40.637+00';
SELECT uuid_v7_to_timestamp(:'v7') = '2023-01-02 04:26:40.637';
SELECT uuid_timestamptz_to_v7('2023-01-02 04:26:40.637+00') > :'v7';
SELECT uuid_timestamptz_to_v7('2023-01-02 04:26:40.637+00', true) = :'v7';
SELECT uuid_timestamp_to_v7('2023-01-02 04:26:40.637') > :'v7';
SELECT uuid_timestamp_to_v7('2023-01-02 04:26:40.637', true) = :'v7';
SELECT uuid_timestamp_to_v7('2023-01-02 04:26:40.637', zero => false) <> :'v7'}),
	join("\n", ('t') x 8),
	'pg_uuidv7: statements without a schema');

#
# uuid-ossp
#
SKIP:
{
	skip 'uuid-ossp cannot be created here', 1
	  unless $node->safe_psql($db,
		"SELECT count(*) FROM pg_available_extensions WHERE name = 'uuid-ossp'");
	$node->safe_psql($db, 'CREATE SCHEMA ossp; CREATE EXTENSION "uuid-ossp" SCHEMA ossp');

	my %theirs = signatures('ossp');
	cmp_ok(scalar keys %theirs, '>=', 10, 'uuid-ossp has functions');
	is($ours{$_}, $theirs{$_}, "uuid-ossp: $_") foreach sort keys %theirs;

	# Each line is a separate statement, and its answer does not depend on chance.
	my $statements = q{
SELECT uuid_nil(), uuid_ns_dns(), uuid_ns_url(), uuid_ns_oid(), uuid_ns_x500();
SELECT uuid_generate_v3(uuid_ns_dns(), 'atproto.com'), uuid_generate_v5(uuid_ns_dns(), 'atproto.com');
SELECT uuid_generate_v3(namespace => uuid_ns_url(), name => ''), uuid_generate_v5(namespace => uuid_ns_url(), name => '');
SELECT uuid_generate_v3(uuid_nil(), 'é'), uuid_generate_v5(uuid_nil(), E'\\\\x41'), uuid_generate_v5(uuid_nil(), '\x41');
SELECT uuid_generate_v3(uuid_ns_oid(), NULL), uuid_generate_v5(NULL, 'x');
SELECT f, substr(u::text, 15, 1) AS version, substr(u::text, 20, 1) IN ('8', '9', 'a', 'b') AS variant FROM (VALUES ('v1', uuid_generate_v1()), ('v1mc', uuid_generate_v1mc()), ('v4', uuid_generate_v4())) v (f, u);
SELECT count(DISTINCT a), count(DISTINCT b), count(DISTINCT c) FROM (SELECT uuid_generate_v1() AS a, uuid_generate_v1mc() AS b, uuid_generate_v4() AS c FROM generate_series(1, 1000)) s;
SELECT count(DISTINCT right(a::text, 12)), count(DISTINCT right(b::text, 12)) FROM (SELECT uuid_generate_v1() AS a, uuid_generate_v1mc() AS b FROM generate_series(1, 100)) s;
SELECT DISTINCT get_byte(uuid_send(uuid_generate_v1mc()), 10) & 3 FROM generate_series(1, 100);
CREATE TEMP TABLE t (a uuid DEFAULT uuid_generate_v4(), b text, c uuid GENERATED ALWAYS AS (uuid_generate_v5(uuid_ns_url(), b)) STORED);
CREATE INDEX ON t (uuid_generate_v3(uuid_ns_url(), b));
INSERT INTO t (b) SELECT 'https://example.com/' || i FROM generate_series(1, 100) i;
SELECT count(DISTINCT a), md5(string_agg(c::text, ' ' ORDER BY c)) FROM t;
SELECT md5(string_agg(uuid_generate_v3(c, b)::text, ' ' ORDER BY c)) FROM t;
};
	my %answers;
	foreach my $schema (qw(ossp atid))
	{
		$answers{$schema} =
		  $node->safe_psql($db, "\\set ON_ERROR_STOP 1\nSET search_path = $schema;$statements");
	}
	my @answers = split /\n/, $answers{ossp};
	cmp_ok(scalar @answers, '>=', 11, 'uuid-ossp answers');
	is($answers{atid}, $answers{ossp}, 'the answers of both');
}

$node->stop;
done_testing();
