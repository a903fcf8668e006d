# indexer/sql/labels.sql keeps the labels that are in force, whatever the order in which they come.
#
# Shows that
# - five labels of one source, subject and value, of which two negate or expire and some have equal times, leave the
#   result that the rules require, for each subset, in each order, one at a time and in one batch;
# - a label counts only if it was signed with a key of its source that was valid at the label's time or later;
# - of a labeler's log, only the keys not set by a nullified operation count, and a key that a later log lacks is void;
#   the log of another account, or an invalid log, yields no key;
# - a value that is not a label, or has no valid signature, is kept aside, and the rest of the batch is stored;
# - the index is used to find one subject among many.
#
# Tags: medium node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('labels', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;

my $db = new_database($node, 'labels');
$node->safe_psql($db, 'CREATE EXTENSION atid_crypto');
$node->safe_psql($db, sql_text('labels.sql'));

my $src     = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz';
my $account = 'did:plc:7iza6de2dwap2sbkpav7c6c6';
my @unsigned;

# The JSON of a label, to be signed by key number 0 or 1.
sub unsigned
{
	my ($key, %fields) = @_;
	push @unsigned, "$key " . JSON::PP->new->canonical->encode({ ver => 1, src => $src, uri => $account, %fields });
	return;
}

my $seed = AtidTest::Oracles::seed();
srand($seed);

# The pool of one value: its kind, its time, and the tie-breaker for equal times.
my @pool = (
	{ cts => '2024-01-01T00:00:00Z' },
	{ cts => '2024-01-02T00:00:00Z', neg => JSON::PP::true, cid => 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a' },
	{ cts => '2024-01-02T00:00:00.000Z' },
	{ cts => '2024-01-03T00:00:00Z', exp => '2024-01-04T00:00:00Z' },
	{ cts => '2024-01-03T00:00:00+00:00' });
unsigned(0, val => 'spam', %$_) foreach @pool;

# Keys: number 0 is valid until June, number 1 for ever.
unsigned(0, val => 'old key', cts => '2024-05-31T23:59:59Z');
unsigned(0, val => 'old key, later', cts => '2024-06-01T00:00:00Z');
unsigned(1, val => 'new key', cts => '2024-06-01T00:00:00Z');
unsigned(1, val => 'new key, before', cts => '2024-01-01T00:00:00Z');
unsigned(1, val => 'of another', cts => '2024-07-01T00:00:00Z', src => $account);

# Too long for an index, and incompressible.
my $noise = join '', map { ('a' .. 'z', 2 .. 7)[ rand 32 ] } 1 .. 3000;
unsigned(1, val => $noise, cts => '2024-07-01T00:00:00Z');
unsigned(1, val => 'long', cts => '2024-07-01T00:00:00Z', uri => 'at://did:web:' . substr($noise, 0, 2000) . '/app.bsky.' . join('.', map { substr $noise =~ s/\d//gr, $_ * 60, 60 } 0 .. 3) . '/' . substr($noise, 0, 500));

my $dir = PostgreSQL::Test::Utils::tempdir('labels');
append_to_file("$dir/labels", join "\n", @unsigned);
my ($old_key, $new_key, @labels) = $oracles->ask('crypto.js', [ 'labels', $seed, "$dir/labels" ]);
is(scalar @labels, scalar @unsigned, 'all labels are signed');
$node->safe_psql($db, "INSERT INTO label_keys VALUES ('$src', '$old_key', '2024-06-01'), ('$src', '$new_key', 'infinity')");

#
# Every order
#

# The result of the rules for labels in this order: the number of the newest, and whether it is in force.
sub expected
{
	my $newest;
	foreach my $n (@_)
	{
		my ($new, $old) = map { defined $_ ? $pool[$_] : undef } $n, $newest;
		my $later = defined $old ? substr($new->{cts}, 0, 10) cmp substr($old->{cts}, 0, 10) : 1;
		$newest = $n if $later > 0 || ($later == 0 && ($new->{neg} || 0) >= ($old->{neg} || 0));
	}
	my $label = $pool[$newest];
	return "$newest|" . ($label->{neg} || defined $label->{exp} ? 'f' : 't');
}

sub orders
{
	my ($taken, @left) = @_;
	return ((@$taken ? $taken : ()), map { my $i = $_; orders([ @$taken, $left[$i] ], @left[ grep { $_ != $i } 0 .. $#left ]) } 0 .. $#left);
}

my @orders = orders([], 0 .. $#pool);
is(scalar @orders, 325, 'orders');

my $pool = join ', ', map { "'$labels[$_]'" } 0 .. $#pool;
$node->safe_psql($db, <<"SQL");
CREATE TABLE pool AS SELECT n - 1 AS n, label::jsonb FROM unnest(ARRAY[$pool]) WITH ORDINALITY AS a (label, n);
CREATE FUNCTION outcome(numbers int[], one_batch bool) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE
	i int;
BEGIN
	DELETE FROM labels;
	IF one_batch THEN
		PERFORM labels_take((SELECT jsonb_agg(label ORDER BY o) FROM unnest(numbers) WITH ORDINALITY AS a (n, o) JOIN pool USING (n)));
	ELSE
		FOREACH i IN ARRAY numbers LOOP
			PERFORM labels_take((SELECT jsonb_build_array(label) FROM pool WHERE n = i));
		END LOOP;
	END IF;
	RETURN (SELECT string_agg(n || '|' || CASE WHEN f.subject IS NULL THEN 'f' ELSE 't' END, ' ')
	        FROM labels l JOIN pool USING (label) LEFT JOIN labels_in_force f USING (subject, src, val));
END \$\$;
SQL
foreach my $one_batch ('false', 'true')
{
	my $asked = join ', ', map { '(ARRAY[' . join(', ', @$_) . '])' } @orders;
	my @outcomes = split /\n/, $node->safe_psql($db, "SELECT outcome(numbers, $one_batch) FROM (VALUES $asked) AS v (numbers)");
	my @wrong = grep { $outcomes[$_] ne expected(@{ $orders[$_] }) } 0 .. $#orders;
	is(join('; ', map { "@{$orders[$_]}: $outcomes[$_]" } @wrong), '', 'one batch ' . $one_batch . ': what is in force');
}

#
# Keys, and values that are not labels
#
my @bad = ('null', '7', '"x"', '[]', '{}', $labels[0] =~ s/"spam"/"scam"/r, $labels[0] =~ s/\Q$account\E/https:\/\/a.example/r,
	$labels[0] =~ s/"ver":1/"ver":2/r, $labels[0] =~ s/"cts":"[^"]*"/"cts":"yesterday"/r);
$node->safe_psql($db, q{DELETE FROM labels; DELETE FROM labels_refused; SELECT labels_take('[} . join(', ', @bad, @labels[ 5 .. 11 ]) . q{]')});
is($node->safe_psql($db, 'SELECT val FROM labels ORDER BY val'), "new key\nnew key, before\nold key",
	'signed with a key that was valid then or later');
is($node->safe_psql($db, q{SELECT count(*), count(*) FILTER (WHERE label->>'val' IN ('old key, later', 'of another')) FROM labels_refused}),
	(@bad + 4) . '|2', 'the rest is kept aside');
is($node->safe_psql($db, q{SELECT labels_take('[]'), labels_take(NULL)}), '|', 'nothing');

#
# The keys of a log: somebody takes the account over and sets a key, and the owner takes it back a day later. Key
# number 0 is the owner's, and number 1 the thief's.
#
my @operations = $oracles->ask('plc.js', [ 'theft', $old_key, $new_key ]);
my ($log, $short, $other) = map { "'$_'::jsonb" } @operations;
my $known = q{SELECT coalesce(string_agg(key || ' ' || valid_to, ' ' ORDER BY valid_to DESC), '') FROM label_keys};
my $account_of = "($log -> 0 ->> 'did')::atid.did";
sub keys_after
{
	return $node->safe_psql($db, join('; ', (map { "SELECT FROM label_keys_take($account_of, $_)" } @_), $known) =~ s/^/SET TimeZone = 'UTC'; /r) =~ s/^\n*//r;
}
$node->safe_psql($db, 'DELETE FROM label_keys');
is(keys_after($log), "$old_key infinity", 'the key of a nullified operation does not count');
is(keys_after($short), "$new_key infinity $old_key 2024-02-02 00:00:00+00", '... but it did before it was nullified');
is(keys_after("$log - 1"), "$old_key infinity", 'a key that is no longer in the log is void');
is(keys_after($other), '', 'the log of another account gives no key');
is(keys_after($log, "jsonb_set($log, '{2,operation,sig}', $log #> '{1,operation,sig}')"), '', '... and neither does an invalid log');

#
# One subject among many
#
$node->safe_psql($db, <<"SQL");
INSERT INTO labels SELECT ('at://did:plc:' || translate(lpad(to_hex(g), 24, '0'), '0189', 'wxyz') || '/app.bsky.feed.post/' || 'x')::atid.at_uri,
	'$src', 'spam', now(), false, 'infinity', '{}' FROM generate_series(1, 20000) g;
ANALYZE labels;
SQL
like($node->safe_psql($db, qq{EXPLAIN (COSTS OFF) SELECT * FROM labels_in_force WHERE subject <@ 'at://$account'}),
	qr/Index Scan.* labels_pkey/, 'one account: by the index');

done_testing();
