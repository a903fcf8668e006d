# npm's @atproto/syntax gives the same answers about datetimes, and reads sloppy ones alike.
#
# t/oracles/datetimes.js generates the strings and queries the package, in a time zone that is not UTC. Shows
# that
# - each of 100,000 mutated datetimes is accepted or refused as in the package, except for two kinds: a day that
#   the month does not have, which the package takes to be one of the next month ("Implementations 'should'
#   validate that the semantics of the datetime are valid", says Lexicon), and more than 64 characters
#   ("arbitrary fractional precision digits are allowed");
# - for 100,000 sloppy strings, datetime_normalize gives the same result as normalizeDatetime, except for one
#   kind: a fraction of more than nine digits that begins with a zero, which V8 reads without the zero, .0521...
#   as .521; if it is cut to three digits before, the result is always the same;
# - it gives a result for each string that normalizeDatetime accepts and that is in a form that the chapter
#   lists, except for days that do not exist; and for no other string.
#
# Skipped without node and npm; AtidTest::Oracles documents how they are found.
#
# Tags: medium node

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $count = $ENV{ATID_FULL} ? 100_000 : 20_000;

my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;

my $seed = AtidTest::Oracles::seed();

my $node = new_node('datetimes', ready => 1);
my $db   = new_database($node, 'datetimes');
$node->safe_psql($db, "ALTER DATABASE $db SET TimeZone = 'America/St_Johns'");

my @lines;
{
	local $ENV{TZ} = 'Asia/Kolkata';
	@lines = $oracles->ask('datetimes.js', [ $seed, $count, $count ]);
}
my $file = PostgreSQL::Test::Utils::tempdir('datetimes') . '/answers';
PostgreSQL::Test::Utils::append_to_file($file, join("\n", @lines) . "\n");
$node->safe_psql($db, <<"SQL");
CREATE TABLE answer (kind text, hex text, valid bool, normalized text, cut text, kinds text);
\\copy answer FROM '$file'
CREATE TABLE compared AS
SELECT *, atid.datetime_is_valid(value) AS our_valid, atid.datetime_or_null(value) AS our_time,
       atid.datetime_normalize_or_null(value) AS our_normalized
FROM (SELECT *, convert_from(decode(hex, 'hex'), 'UTF8') AS value FROM answer) a;
SQL

# A query that should return no row; some are shown if there are any.
sub nothing_where
{
	my ($condition, $name) = @_;
	is_none($node, $db, "SELECT value, valid, our_valid, normalized, cut, our_normalized, kinds FROM compared WHERE $condition", $name);
	return;
}

# A lower bound on the number of comparisons of a test.
sub at_least
{
	my ($number, $condition, $name) = @_;
	cmp_ok($node->safe_psql($db, "SELECT count(*) FROM compared WHERE $condition"), '>=', $number, "often enough: $name");
	return;
}

is($node->safe_psql($db, 'SELECT kind, count(*) FROM compared GROUP BY 1 ORDER BY 1'),
	"l|$count\ns|$count", 'all strings are there');

nothing_where(q{our_valid <> valid AND kinds !~ '(day|long) '}, 'the same are valid, but for the listed kinds');
nothing_where(q{kinds ~ 'day ' AND our_valid}, 'no day that the month does not have is valid');
nothing_where(q{our_valid <> (our_time IS NOT NULL)}, 'what is valid has a time');
# the server's year before 1 is 1 BC
nothing_where(q{our_valid AND date_trunc('milliseconds', our_time)
		<> regexp_replace(cut, '^0000(.*)', '0001\1 BC')::timestamptz},
	'and its time is that of the package');
at_least($count / 10, q{valid},              'valid');
at_least($count / 10, q{NOT valid},          'invalid');
at_least(50,     q{valid AND kinds ~ 'day '},        'days that are not');
at_least(50,     q{our_valid AND kinds ~ 'long '},   'long ones');

nothing_where(q{our_normalized <> normalized AND kinds !~ 'zeros '}, 'what both normalize is the same, but for the listed kind');
nothing_where(q{our_normalized <> cut}, 'and always, with three digits');
at_least(30, q{our_normalized <> normalized}, 'fractions that V8 misreads');
nothing_where(q{our_normalized IS NOT NULL AND normalized IS NULL}, 'nothing is normalized that the package does not');
nothing_where(q{our_normalized IS NOT NULL AND kinds !~ 'read '}, 'nothing that is not in a listed form');
nothing_where(q{our_normalized IS NULL AND normalized IS NOT NULL AND kinds ~ 'read ' AND kinds !~ 'day '},
	'all that is in a listed form and that the package normalizes');
nothing_where(q{our_normalized IS NOT NULL AND kinds ~ 'day '}, 'no day that the month does not have is normalized');
at_least($count / 5, q{kind = 'l' AND our_normalized IS NOT NULL}, 'normalized');
at_least($count / 10, q{kind = 'l' AND our_normalized IS NOT NULL AND NOT valid}, 'normalized, though invalid');
at_least($count / 100, q{our_normalized IS NULL AND normalized IS NOT NULL AND kinds !~ 'read '},
	'read by the package only');
note($node->safe_psql($db, q{SELECT count(*) FILTER (WHERE our_normalized = normalized) || ' normalized alike, '
	|| count(*) FILTER (WHERE our_normalized IS NULL AND normalized IS NOT NULL) || ' by the package only, '
	|| count(*) FILTER (WHERE normalized IS NULL) || ' by neither' FROM compared WHERE kind = 'l'}));

$node->stop;
done_testing();
