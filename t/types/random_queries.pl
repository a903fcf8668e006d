# Random queries give the same rows on tables of atid's types as on tables of text COLLATE "C".
#
# The tables of the types have indexes of all kinds, are partitioned or not, and are analyzed, so that the planner has
# histograms; those of text are plain. A query is written for both, and the rows are compared. An error on one side is
# a failure.
#
# The library with the scripts of 1.1 also returns these rows, where the planner has a histogram.
#
# 500 pairs, 20,000 with script/test --full, or the number in ATID_PAIRS. ATID_SEED sets another seed; ATID_PAIR is
# the number of the only pair to run.
#
# Tags: minutes differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use Encode ();
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $pairs = $ENV{ATID_PAIRS} || ($ENV{ATID_FULL} ? 20_000 : 500);
my $only  = $ENV{ATID_PAIR};
my $seed  = AtidTest::Oracles::seed();
srand $seed;

sub pick   { return $_[ int rand @_ ]; }
sub chance { return rand() < $_[0]; }

my $node = new_node('random_queries');
my $icu  = $node->safe_psql('postgres', "SELECT count(*) FROM pg_collation WHERE collprovider = 'i'");
# An assertion of BRIN requires that a clause has the collation of the index, and the planner takes an index without
# one for any clause.
my $brin = $node->safe_psql('postgres', 'SHOW debug_assertions') eq 'off';
note('no BRIN indexes: the server has assertions') unless $brin;
# 18.3 loses the default partition of integers as well.
my $default = $node->safe_psql('postgres', <<'SQL') eq '1' ? 'DEFAULT' : q{FOR VALUES FROM ('at://did:web:a5') TO (MAXVALUE)};
CREATE TABLE p (a int) PARTITION BY RANGE (a);
CREATE TABLE p0 PARTITION OF p FOR VALUES FROM (MINVALUE) TO (3);
CREATE TABLE p1 PARTITION OF p DEFAULT;
INSERT INTO p VALUES (5);
SELECT count(*) FROM p WHERE a IS NOT NULL AND (a < 100 OR a > 50);
SQL
note('no default partition beside ranges: the server loses it') if $default ne 'DEFAULT';
$node->safe_psql('postgres', 'CREATE DATABASE random TEMPLATE template0'
	. ($icu ? q{ LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'} : ''));
$node->safe_psql('random', 'CREATE EXTENSION atid');

# Values, and texts near to them.
my @dids = map { ("did:web:a$_.b", "did:plc:" . substr('abcdefg234567zyxwvutsrqp' x 2, $_ % 24, 24)) } 1 .. 60;
my @uris = map { my $did = $_; map { "at://$did$_" } '', '/a.b.c', '/a.b.c/x', '/a.b.d/3jzfcijpj2z2a' } @dids[0 .. 59];
my @tids = map { my $n = $_; '3jzfc' . join '', map { substr '234567abcdefghij', ($n >> 4 * $_) & 15, 1 } reverse 0 .. 7 } map { $_ * 977 } 1 .. 100;
my %values = (d => \@dids, u => \@uris, t => \@tids);

sub near
{
	my ($value) = @_;
	return pick($value, $value, $value, "$value/", "${value}a", substr($value, 0, -1), substr($value, 0, 12), '', 'junk', uc $value, "\x{e9}", '~');
}

# The tables
my $collations = $icu ? q{CREATE COLLATION nd (provider = icu, locale = 'und-u-ks-level2', deterministic = false);} : 'CREATE COLLATION nd FROM "C";';
my $rows = join ",\n", map {
	my $id = $_;
	my @of = map { chance(0.1) ? 'NULL' : "'" . pick(@{ $values{$_} }) . "'" } qw(d u t);
	my @text = map { my $of = $_; map { chance(0.1) ? 'NULL' : "'" . near(pick(@{ $values{$of} })) . "'" } 1 } qw(d u t), pick(qw(d u t));
	"($id, " . join(', ', @of, @text) . ')'
} 1 .. 300;
my $script = '';
foreach my $side ([ 'v', 'atid.did', 'atid.at_uri', 'atid.tid' ], [ 't', ('text COLLATE "C"') x 3 ])
{
	my ($schema, $did, $uri, $tid) = @$side;
	my $columns = "id int, d $did, u $uri, t $tid, x text, c text COLLATE \"C\", n text COLLATE public.nd, w varchar";
	my $parted = $schema eq 'v';
	$script .= "CREATE SCHEMA $schema; SET search_path = $schema;\n";
	$script .= "CREATE TABLE a ($columns);\n";
	$script .= "CREATE TABLE h ($columns)" . ($parted ? ' PARTITION BY HASH (d)' : '') . ";\n";
	$script .= "CREATE TABLE l ($columns)" . ($parted ? ' PARTITION BY LIST (d)' : '') . ";\n";
	$script .= "CREATE TABLE r ($columns)" . ($parted ? ' PARTITION BY RANGE (u)' : '') . ";\n";
	$script .= <<"SQL" if $parted;
CREATE TABLE h0 PARTITION OF h FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE h1 PARTITION OF h FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE l0 PARTITION OF l FOR VALUES IN ('$dids[0]', '$dids[1]', '$dids[2]');
CREATE TABLE l1 PARTITION OF l DEFAULT;
CREATE TABLE r0 PARTITION OF r FOR VALUES FROM (MINVALUE) TO ('at://did:web:a3');
CREATE TABLE r1 PARTITION OF r FOR VALUES FROM ('at://did:web:a3') TO ('at://did:web:a5');
CREATE TABLE r2 PARTITION OF r $default;
CREATE INDEX ON a (d, u); CREATE INDEX ON a (u DESC); CREATE INDEX ON a (t, d); CREATE INDEX ON a (atid.at_uri_did(u));
CREATE INDEX ON a (t) WHERE d < 'did:web:a5'; CREATE INDEX ON a (x); CREATE INDEX ON a (c); CREATE INDEX ON a (n);
CREATE INDEX ON h USING hash (d); CREATE INDEX ON h USING hash (u); CREATE INDEX ON h USING hash (t); CREATE INDEX ON h USING hash (x);
CREATE INDEX ON l (d); CREATE INDEX ON l (u); CREATE INDEX ON r (u, id); CREATE INDEX ON r (d NULLS FIRST);
SQL
	$script .= "CREATE INDEX ON l USING brin (d); CREATE INDEX ON l USING brin (u); CREATE INDEX ON l USING brin (t); CREATE INDEX ON r USING brin (u);\n"
	  if $parted && $brin;
	$script .= "INSERT INTO $_ VALUES $rows;\n" foreach qw(a h l);
	$script .= "INSERT INTO r SELECT * FROM a WHERE u IS NOT NULL;\n";
}

# A query is written with {column}, which is (column COLLATE "C") for texts, and with <<uri|scope>>, which is uri <@
# scope.
sub for_types { return $_[0] =~ s/\{(\S+?)\}/$1/gr =~ s/<<(.*?)\|(.*?)>>/$1 <@ $2/gr; }

sub for_texts
{
	return $_[0] =~ s/\{(\S+?)\}/($1 COLLATE "C")/gr
	  =~ s/<<(\S+?)\|(.*?)>>/public.is_within($1, $2)/gr;
}

my $parameter;

# A text: a constant, a setting, or the parameter of the statement.
sub text_like
{
	my ($of) = @_;
	my $text = near(pick(@{ $values{$of} }));
	return "'$text'::text" if chance(0.5);
	$parameter //= $text;
	return chance(0.5) ? "current_setting('app.x')" : '$1';
}

sub condition
{
	my ($depth, @tables) = @_;
	my $table = pick(@tables);
	my $other = pick(@tables);
	my $of    = pick(qw(d u t));
	my $op    = pick(qw(= = <> < <= > >=));
	my $column = "{$table.$of}";
	my $kind  = int rand 11;
	return join pick(' AND ', ' OR '), map { '(' . condition($depth + 1, @tables) . ')' } 1, 2 if $kind < 2 && $depth < 3;
	return 'NOT (' . condition($depth + 1, @tables) . ')' if $kind == 2 && $depth < 3;
	return "$column BETWEEN " . text_like($of) . ' AND ' . text_like($of) if $kind == 3;
	return "$column " . pick('= ANY', '= ANY', '<> ALL', '< ANY') . ' (ARRAY['
	  . join(', ', map { chance(0.2) ? 'NULL' : "'" . near(pick(@{ $values{$of} })) . "'" } 1 .. 1 + rand 4) . ']::text[])' if $kind == 4;
	return "$column $op $other." . pick(qw(x c n)) if $kind == 5;
	return "{$other." . pick(qw(x c n w)) . "} $op $column" if $kind == 6 && $op ne '=';
	return "<<$table.u|" . pick(text_like('u'), "$other.c", "'" . pick(@uris) . "'::text") . '>>' if $kind == 7;
	return "$column IS " . pick('NULL', 'NOT NULL') if $kind == 8;
	return "{$table.$of} $op {$other.$of}" if $kind == 9;
	return chance(0.5) ? "$column $op " . text_like($of) : text_like($of) . " $op $column";
}

sub query
{
	my @from = map { pick(qw(a h l r)) } 1 .. pick(1, 1, 2, 2, 3);
	my @names = map { "t$_" } 1 .. @from;
	my $from = "$from[0] t1";
	foreach my $i (2 .. @from)
	{
		my $key = pick("{t1.d} = {t$i.d}", "{t1.u} = {t$i.u}", "{t1.d} = t$i.x", "{t$i.u} = t1.c", "{t1.t} = t$i.n", "t1.id = t$i.id");
		$from .= ' ' . pick('', '', 'LEFT ', 'RIGHT ', 'FULL ') . "JOIN $from[$i-1] t$i ON $key";
		$from .= ' AND ' . condition(2, 't1', "t$i") if chance(0.3) && $from !~ /FULL/;
	}
	my $where = condition(0, @names);
	my $table = pick(qw(a h l r));
	$where .= ' AND t1.id IN (SELECT id FROM ' . "$table s WHERE " . condition(2, 's') . ')' if chance(0.1);
	$where .= pick(' AND EXISTS', ' AND NOT EXISTS') . " (SELECT FROM $table s WHERE {s.d} = {t1.d} AND " . condition(2, 's', 't1') . ')' if chance(0.15);
	$where .= pick(' AND {t1.d} IN', ' AND {t1.u} NOT IN') . " (SELECT " . pick('x', 'c') . " FROM $table s WHERE s." . pick(qw(x c)) . ' IS NOT NULL)' if chance(0.1);
	my $of = pick(qw(d u t));
	my $kind = int rand 8;
	return "SELECT count(*), min({t1.$of})::text, max({t1.$of})::text FROM $from WHERE $where" if $kind < 2;
	return "SELECT DISTINCT t1.$of\::text FROM $from WHERE $where" if $kind == 2;
	return "SELECT t1.$of\::text, count(*) FROM $from WHERE $where GROUP BY t1.$of" if $kind == 3;
	return "SELECT t1.id, t1.$of\::text FROM $from WHERE $where ORDER BY {t1.$of} " . pick('', 'DESC', 'NULLS FIRST')
	  . join('', map { ", $_.id" } @names) . ' LIMIT 7' if $kind == 4;
	return "SELECT t1.$of\::text FROM $from WHERE $where " . pick('UNION', 'EXCEPT', 'INTERSECT', 'UNION ALL')
	  . " SELECT s.$of\::text FROM $table s WHERE " . condition(2, 's') if $kind == 5;
	return "SELECT t1.id, row_number() OVER (PARTITION BY t1.$of ORDER BY " . join(', ', map { "$_.id" } @names) . ") FROM $from WHERE $where" if $kind == 6;
	return "SELECT " . join(', ', map { "$_.id, $_.$of\::text" } @names) . " FROM $from WHERE $where";
}

my @settings = map { "enable_$_" } qw(seqscan indexscan indexonlyscan bitmapscan hashjoin mergejoin nestloop hashagg sort memoize
  incremental_sort partitionwise_join partitionwise_aggregate partition_pruning material);
$script = "$collations\nCREATE FUNCTION is_within(text, text) RETURNS bool LANGUAGE sql IMMUTABLE STRICT "
  . "RETURN atid.at_uri_or_null(\$2) IS NOT NULL AND (\$1 = \$2 COLLATE \"C\" OR starts_with(\$1, \$2 || '/'));\n"
  . "SET client_min_messages = warning;\n$script\nVACUUM ANALYZE;\n\\pset null NULL\n";
my @queries;
foreach my $i (0 .. $pairs - 1)
{
	undef $parameter;
	push @queries, query();
	$parameter //= 'junk';
	my $part = 'RESET ALL; ' . join(' ', map { "SET $_ = " . pick('on', 'off') . ';' } grep { chance(0.3) } @settings) . "\n"
	  . 'SET plan_cache_mode = ' . pick('force_generic_plan', 'force_custom_plan') . ";\n"
	  . (chance(0.2) ? "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0;\n" : '')
	  . "SET app.x = '$parameter';\n";
	foreach my $side ([ 'v', for_types($queries[-1]) ], [ 't', for_texts($queries[-1]) ])
	{
		$part .= "SET search_path = $side->[0], public;\n\\echo '== $i $side->[0]'\nPREPARE p(text) AS $side->[1];\nEXECUTE p('$parameter');\n\\echo '=>' :SQLSTATE\n"
		  . "DEALLOCATE ALL;\n";
	}
	$script .= $part if !defined $only || $i == $only;
}

my $folder = PostgreSQL::Test::Utils::tempdir('queries');
append_to_file("$folder/script", Encode::encode('UTF-8', $script));
IPC::Run::run([ 'psql', '-XAtq', '-d', $node->connstr('random'), '-f', "$folder/script" ], '>', "$folder/out", '2>', "$folder/err");
my ($out, $err) = (slurp_file("$folder/out"), slurp_file("$folder/err"));
my (%answer, @differ);
my $with_rows = 0;
while ($out =~ /^== (\d+) ([vt])\n(.*?)^=> (\w+)\n/msg)
{
	$answer{$1}{$2} = $4 eq '00000' ? join "\n", sort split /\n/, $3 : "error $4";
}
foreach my $i ($only // (0 .. $#queries))
{
	my ($v, $t) = map { $_ // 'no answer' } @{ $answer{$i} }{qw(v t)};
	$with_rows++ if $v eq $t && $v =~ /[1-9a-z]/ && $v !~ /^error/;
	push @differ, [ $i, $v, $t ] if $v ne $t || $v =~ /^(?:error|no answer)/;
}
is(scalar @differ, 0, "$pairs pairs of queries are equal, $with_rows of them with rows, ATID_SEED=$seed");
diag(sprintf "%d: %s\n%s\n--- types\n%.200s\n--- texts\n%.200s", $_->[0], for_types($queries[ $_->[0] ]), for_texts($queries[ $_->[0] ]), @$_[1, 2])
  foreach grep { defined } @differ[0 .. 9];
diag(substr $err, 0, 2000) if $err ne '';
cmp_ok($with_rows, '>', $pairs / 4, 'many have rows') unless defined $only;

# The scripts of 1.1 with this library: ranges of a column that has a histogram, with texts that are not values of the
# type, and with texts known only as a parameter or setting.
$node->safe_psql('postgres', 'CREATE DATABASE old');
$node->safe_psql('old', "CREATE EXTENSION atid VERSION '1.1'");
is( $node->safe_psql('old', <<'SQL'), "146\n55\n145\n1\n1\n55", 'with the scripts of 1.1');
CREATE TABLE r (d atid.did, u atid.at_uri, t atid.tid);
INSERT INTO r SELECT 'did:web:a' || i || '.b', 'at://a' || i || '.b', atid.tid_make('2024-01-01 00:00+00'::timestamptz + i * interval '1 s', 3)
FROM generate_series(1, 200) AS i;
CREATE INDEX ON r (u);
ANALYZE r;
SELECT count(*) FROM r WHERE d < 'did:web:a5/'::text;
SELECT count(*) FROM r WHERE u >= 'at://a5'::text;
SET app.d = 'did:web:a5.b';
SET app.u = 'at://a5.b';
SELECT count(*) FROM r WHERE d < current_setting('app.d');
SELECT count(*) FROM r WHERE u <@ current_setting('app.u');
SELECT count(*) FROM r WHERE u = current_setting('app.u');
PREPARE p(text) AS SELECT count(*) FROM r WHERE u > $1;
EXECUTE p('at://a5');
SQL

$node->stop;
done_testing();
