# The script of the current version creates what the first script and all upgrades create: the same catalogue.
#
# Shows that, for atid and atid_crypto, created by a superuser, by the owner of a database, and where default privileges
# keep new functions and types from PUBLIC,
# - CREATE EXTENSION runs the script of the current version, and no other;
# - the first version, updated, has the same rows in all system catalogues: its objects with each of their properties,
#   members, dependencies, comments, privileges and initial privileges;
# - neither way leaves anything else in a system catalogue.
#
# Then it changes one object at a time, and shows that the comparison finds each change.
#
# Tags: quick differs crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('whole_script');
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');

# What belongs to the extension: itself, its schema, its members, and parts of these, such as array types, constraints
# and entries of operator families.
use constant OBJECTS => <<'SQL';
WITH RECURSIVE object (classid, objid) AS (
	SELECT 'pg_extension'::regclass::oid, oid FROM pg_extension WHERE extname = 'NAME'
	UNION
	SELECT 'pg_namespace'::regclass, extnamespace FROM pg_extension WHERE extname = 'NAME'
	UNION
	SELECT d.classid, d.objid FROM pg_depend d JOIN object o ON d.refclassid = o.classid AND d.refobjid = o.objid
	WHERE d.deptype IN ('e', 'a', 'i'))
SQL

# The columns of all system catalogues, with their references; and whether each is the first column of the primary key
use constant COLUMNS => <<'SQL';
SELECT c.relname, c.relisshared, a.attname, a.atttypid::regtype, coalesce(r.pktable::text, ''), coalesce(r.is_array, false),
	i.indrelid IS NOT NULL
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
	LEFT JOIN pg_get_catalog_foreign_keys() r ON r.fktable = c.oid AND r.fkcols = ARRAY[a.attname::text]
	LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary AND i.indkey[0] = a.attnum
WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
ORDER BY c.relname, a.attnum
SQL

my (%columns, %column, %shared);
foreach (split /\n/, $node->safe_psql('postgres', COLUMNS))
{
	my ($catalogue, $shared, $name, $type, $refers, $array, $key) = split /\|/;
	$shared{$catalogue} = $shared eq 't';
	push @{ $columns{$catalogue} }, $name;
	$column{$catalogue}{$name} = { type => $type, refers => $refers, array => $array eq 't', key => $key eq 't' };
}

# A column's value as text that is the same in each database: an OID as the object that it identifies.
sub shown
{
	my ($catalogue, $name) = @_;
	my $has = $column{$catalogue};
	my ($type, $refers) = @{ $has->{$name} }{qw(type refers)};
	return "${name}::regclass" if $name =~ /^(?:ref)?class(?:id|oid)$/;
	if ($name =~ /^(ref|)obj(id|oid)$/)
	{
		my $part = $has->{"$1objsubid"} ? "$1objsubid" : 0;
		return "pg_describe_object($1class$2, $name, $part)";
	}
	return "(SELECT array_agg(pg_describe_object('$refers'::regclass, x, 0) ORDER BY n) FROM unnest(${name}::oid[]) WITH ORDINALITY u (x, n))"
	  if $has->{$name}{array};
	return "pg_describe_object('$refers'::regclass, nullif(${name}::oid, 0), 0)" if $refers ne '';
	return 'pg_get_function_sqlbody(oid)' if $name eq 'prosqlbody';
	return "pg_get_expr($name, 0)" if $type eq 'pg_node_tree';
	return $name;
}

# A catalogue's rows about these objects: a line for each column of an object, or for a row that has no OID.
sub rows
{
	my ($catalogue) = @_;
	my $has   = $column{$catalogue};
	my ($key) = grep { $has->{$_}{key} } keys %$has;
	my ($id)  = grep { $has->{$_} } 'objid', 'objoid';
	my $object = $has->{oid} ? '(tableoid, oid)'
	  : defined $id ? '(' . $id =~ s/obj/class/r . ", $id)"
	  : defined $key && $has->{$key}{refers} ne '' ? "('$has->{$key}{refers}'::regclass, $key)"
	  : return;
	my @shown = map { "'$_ = ' || coalesce(" . shown($catalogue, $_) . "::text, 'NULL')" }
	  grep { !/^(?:oid|dbid|relfilenode|relfrozenxid|relminmxid)$/ } @{ $columns{$catalogue} };
	my $lines = $has->{oid}
	  ? "pg_describe_object(tableoid, oid, 0) || ': ' || unnest(ARRAY[" . join(', ', @shown) . '])'
	  : "concat_ws(', ', " . join(', ', @shown) . ')';
	my $here = $has->{dbid} ? ' AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())' : '';
	return "SELECT '$catalogue: ' || $lines FROM $catalogue WHERE $object IN (TABLE object)$here";
}

# All catalogue rows about the extension, and the total number of rows in each catalogue of the database.
my $query = join ' UNION ALL ', map { (rows($_), $shared{$_} ? () : "SELECT '$_: ' || count(*) || ' rows' FROM $_") } sort keys %columns;

# The lines, each with its number of occurrences: after each of these changes, which are rolled back.
sub catalogues
{
	my ($db, $extension, @changes) = @_;
	my $all = OBJECTS =~ s/NAME/$extension/gr . $query;
	my $sql = join '', map { "BEGIN; $_; SET search_path = pg_catalog; $all; ROLLBACK; SELECT '';" } @changes;
	my @catalogues;
	foreach my $text (split /\n\n/, $node->safe_psql($db, "$sql SELECT 'end'"))
	{
		my %lines;
		$lines{$_}++ foreach split /\n/, $text;
		push @catalogues, \%lines;
	}
	pop @catalogues if @catalogues > @changes;
	return @catalogues;
}

# The lines that one has and the other does not, or not as often.
sub only
{
	my ($one, $other) = @_;
	return join "\n", grep { $one->{$_} != ($other->{$_} // 0) } sort keys %$one;
}

# Does the script create them in its order? (The order of their OIDs: all are new.)
use constant FUNCTIONS => <<'SQL';
SELECT string_agg(proname, ' ' ORDER BY p.oid)
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid JOIN pg_extension e ON d.refobjid = e.oid
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND p.prokind = 'f' AND e.extname = 'NAME'
SQL

my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
my $closed    = join '; ', map { "ALTER DEFAULT PRIVILEGES REVOKE $_ FROM PUBLIC" } 'EXECUTE ON FUNCTIONS', 'USAGE ON TYPES';
my %ways      = (superuser => [ $superuser, '' ], owner => [ 'owner', '' ], closed => [ $superuser, $closed ]);
my @extensions = ('atid', (has_extension($node, 'atid_crypto') ? 'atid_crypto' : ()));

foreach my $way (sort keys %ways)
{
	my ($user, $before) = @{ $ways{$way} };
	foreach my $db ("new_$way", "updated_$way")
	{
		$node->safe_psql('postgres', "CREATE DATABASE $db OWNER owner");
		$node->safe_psql($db, $before) if $before ne '';
	}
	foreach my $extension (@extensions)
	{
		my $folder = $AtidTest::root . ($extension eq 'atid' ? '' : '/crypto');
		my ($version) = slurp_file("$folder/$extension.control") =~ /^default_version = '(.*)'$/m;
		my $create = "CREATE EXTENSION $extension";
		$node->safe_psql("new_$way", $create, extra_params => [ '-U', $user ]);
		$node->safe_psql("updated_$way", "$create VERSION '1.0'; ALTER EXTENSION $extension UPDATE", extra_params => [ '-U', $user ]);
		my ($new, $updated) = map { (catalogues("${_}_$way", $extension, ''))[0] } 'new', 'updated';
		cmp_ok(scalar(keys %$new), '>', $extension eq 'atid' ? 10_000 : 500, "$way: the catalogue of $extension is shown");
		is(only($new, $updated), '', "$way: 1.0, updated, has all that $extension $version has");
		is(only($updated, $new), '', '... and nothing else');
		is( $node->safe_psql("new_$way", FUNCTIONS =~ s/NAME/$extension/r),
			join(' ', grep { $_ ne 'generator_cover' } slurp_file("$folder/$extension--$version.sql") =~ /^CREATE FUNCTION \@extschema\@\.(\w+)/mg),
			"$way: the functions were created by the script of $extension $version");
	}
}

# The comparison finds a difference.
my @changes = (
	'ALTER FUNCTION atid.cid_of(bytea, text) COST 21',
	"COMMENT ON OPERATOR pg_catalog.= (atid.tid, text) IS 'x'",
	'GRANT EXECUTE ON FUNCTION atid.generator_reset() TO owner',
	"UPDATE pg_init_privs SET initprivs = '{}' WHERE objoid = 'atid.generator_state'::regproc",
	'GRANT CREATE ON SCHEMA atid TO owner',
	'ALTER SEQUENCE atid.generator_horizon CACHE 2',
	'UPDATE pg_extension SET extconfig = NULL',
	'ALTER OPERATOR FAMILY atid.tid_text_ops USING btree DROP FUNCTION 2 (text, text)',
	"UPDATE pg_aggregate SET aggtransspace = 1 WHERE aggfnoid = 'atid.car_agg'::regproc",
	'ALTER EXTENSION atid DROP FUNCTION atid.uuid_nil()',
	"UPDATE pg_depend SET deptype = 'n' WHERE refclassid = 'pg_opfamily'::regclass AND deptype = 'a'",
	'CREATE FUNCTION atid.left_behind() RETURNS int LANGUAGE sql RETURN 1');
my ($same, $unchanged, @changed) = catalogues('new_superuser', 'atid', '', '', @changes);
is(only($same, $unchanged), '', 'without a change there is no difference');
is(scalar @changed, scalar @changes, 'all changes are made');
isnt(only($same, $changed[$_]) . only($changed[$_], $same), '', "found: $changes[$_]") foreach 0 .. $#changed;

$node->stop;
done_testing();
