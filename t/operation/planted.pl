# Objects that the owner of a database, who is not a superuser, plants for the extensions' scripts to use.
#
# The scripts run with a superuser's rights, in a schema that the owner of the database can rename. A C
# function that is bound to another user's type reads memory at any address. Shows that
# - an update uses the extension's own objects, even if another schema has the old name of theirs;
# - the update fails if an object of any kind was taken from elsewhere, was added to the extension, or no
#   longer belongs to a superuser;
# - search_path, and operators and functions in the extension's own schema, do not affect a script;
# - a script, also that of CREATE EXTENSION, fails if its schema is renamed before it or while it runs.
#
# Each attack is first tried on a script without its defence, where it must succeed.
#
# Tags: quick differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $root = "$FindBin::Bin/../..";
my ($current) = slurp_file("$root/atid.control") =~ /^default_version = '(.*)'$/m;

my $node = new_node('planted');
$node->safe_psql('postgres', 'CREATE ROLE mallory LOGIN');

#
# Scripts of our own next to those of the extension, deleted at the end.
#
my ($folder) = run_command([ 'pg_config', '--sharedir' ]);
$folder .= '/extension';
my @made;
END { unlink @made if @made }

sub script
{
	my ($name, $text) = @_;
	push @made, "$folder/atid--$name.sql";
	open my $out, '>', $made[-1] or die "could not write $made[-1]: $!";
	print $out $text;
	close $out;
	return;
}

my $update = slurp_file("$root/atid--1.0--1.1.sql");
my ($guard) = $update =~ /^(SET LOCAL search_path .*\n)/m;
my ($check) = $update =~ /^(DO LANGUAGE plpgsql .*)\z/ms;

# A copy of the update's script without some of its text.
sub without
{
	my ($text, @parts) = @_;
	foreach my $part (@parts)
	{
		my $at = index $text, $part;
		die "not found: $part" if $at < 0;
		substr $text, $at, length $part, '';
	}
	return $text;
}

# Only a superuser can plant operator families and the operators in them: the script without the parts that need them.
(my $plantable = $update) =~ s/^ALTER OPERATOR FAMILY \@extschema\@\.tid_text_ops .*?;$//ms;

# By name, except for those families.
(my $by_name = $plantable) =~ s/\@extschema\@\.(?!tid_(?:minmax_)?ops\b)/atid./g;
script('1.0--by_name', $by_name);
script('1.0--by_name_unchecked', without($by_name, $check));
script('1.0--unchecked', without($update, $check));

my $databases = 0;

# A session of the owner's in a new database of theirs.
sub database
{
	my ($sql) = @_;
	my $name = 'planted_' . ++$databases;
	$node->safe_psql('postgres', "CREATE DATABASE $name OWNER mallory");
	my $session = AtidTest::Session->new($node, $name, user => 'mallory');
	$session->{name} = $name;
	$session->ok($sql);
	return $session;
}

sub updated { return ($_[0]->try("ALTER EXTENSION atid UPDATE TO '$_[1]'"))[ 1, 2 ]; }

sub refused
{
	my ($what, $state, $err, $pattern) = @_;
	is($state, '55000', "$what: refused");
	like($err, $pattern, "$what: says why");
	return;
}

my $not_ours = qr/refers to .*, which does not belong to the extension/;

#
# Another schema with the same name, containing everything that the script names.
#
my $planted = <<'SQL';
CREATE DOMAIN NAME.tid AS bytea;
CREATE DOMAIN NAME.cid_link AS bigint;
CREATE DOMAIN NAME.record_key AS text;
CREATE FUNCTION NAME.tid_floor(timestamptz) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'x';
CREATE FUNCTION NAME.tid_timestamp(NAME.tid) RETURNS timestamptz LANGUAGE sql IMMUTABLE RETURN now();
CREATE FUNCTION NAME.tid_is_valid(text) RETURNS bool LANGUAGE sql IMMUTABLE RETURN true;
SQL
(my $as_atid = $planted) =~ s/NAME/atid/g;
(my $as_evil = "CREATE SCHEMA evil;\n$planted") =~ s/NAME/evil/g;

my $renamed = database("CREATE EXTENSION atid VERSION '1.0'; ALTER SCHEMA atid RENAME TO x; CREATE SCHEMA atid; $as_atid");
my $result = q{SELECT prorettype::regtype FROM pg_proc WHERE proname = 'at_uri_tid'};
my ($state, $err) = updated($renamed, 'by_name');
refused('the script names the schema', $state, $err, $not_ours);
is((updated($renamed, $current))[0], '00000', 'a second schema: updated');
is($renamed->ok($result), 'x.tid', 'a second schema: its types are not taken');
is($renamed->ok(q{SELECT x.at_uri_tid('at://did:web:a.b/a.b.c/3jzfcijpj2z2a')}), '3jzfcijpj2z2a', 'a second schema: it works');

my $control = database("CREATE EXTENSION atid VERSION '1.0'; ALTER SCHEMA atid RENAME TO x; CREATE SCHEMA atid; $as_atid");
is((updated($control, 'by_name_unchecked'))[0], '00000', 'by name, with no check: updated');
is($control->ok($result), 'atid.tid', 'by name, with no check: a planted type is taken');

#
# Renamed while the script runs. A current server does not let that happen; one with the code of the first releases
# does, so the script does it itself.
#
my $swap = "ALTER SCHEMA atid RENAME TO x;\nALTER SCHEMA evil RENAME TO atid;\n";
(my $swapped = $plantable) =~ s/\@extschema\@\.(?=tid_(?:minmax_)?ops\b)/x./g;
$swapped =~ s/^(?=CREATE FUNCTION )/$swap/m;
script('1.0--swapped', $swapped);
script('1.0--swapped_unchecked', without($swapped, $check));

my $swapping = database("CREATE EXTENSION atid VERSION '1.0'; $as_evil");
refused('renamed while it runs', updated($swapping, 'swapped'), $not_ours);
is((updated($swapping, 'swapped_unchecked'))[0], '00000', 'renamed while it runs, with no check: updated');
is($swapping->ok($result), 'atid.tid', 'renamed while it runs, with no check: a planted type is taken');

# Likewise when CREATE EXTENSION begins, which has looked the name up by then.
script('first', $swap . slurp_file("$root/atid--1.0.sql"));
script('first--second', $update);
my $new = database('CREATE SCHEMA atid; CREATE SCHEMA evil');
isnt(($new->try(q{CREATE EXTENSION atid VERSION 'second'}))[1], '00000', 'renamed before the first script: refused');
is(($new->try(q{CREATE EXTENSION atid VERSION 'first'}))[1], '00000', 'renamed before the first script, with no update: created');

# Likewise with the script that CREATE EXTENSION runs today.
my $whole = slurp_file("$root/atid--$current.sql");
script('whole_swapped', $swap . $whole);
script('whole_swapped_unchecked', $swap . without($whole, $check));
$new = database('CREATE SCHEMA atid; CREATE SCHEMA evil');
refused('renamed before the script', ($new->try(q{CREATE EXTENSION atid VERSION 'whole_swapped'}))[ 1, 2 ], $not_ours);
is(($new->try(q{CREATE EXTENSION atid VERSION 'whole_swapped_unchecked'}))[1], '00000', 'renamed before the script, with no check: created');

#
# The check: the objects that a later script could take from elsewhere, in each form, here from a schema of the owner's.
#
my %form = (
	argument => 'CREATE FUNCTION @extschema@.probe(evil.tid) RETURNS bigint AS $$atid$$, $$atid_tid_to_bigint$$ LANGUAGE C STRICT',
	result => 'CREATE FUNCTION @extschema@.probe(bigint) RETURNS evil.tid AS $$atid$$, $$atid_tid_from_bigint$$ LANGUAGE C STRICT',
	array => 'CREATE FUNCTION @extschema@.probe(evil.tid[]) RETURNS int LANGUAGE sql RETURN 1',
	out => 'CREATE FUNCTION @extschema@.probe(OUT a int, OUT b evil.tid) RETURNS record LANGUAGE sql RETURN (1, NULL::evil.tid)',
	default => 'CREATE FUNCTION @extschema@.probe(a text DEFAULT evil.tid_floor(now())) RETURNS int LANGUAGE sql RETURN 1',
	body => 'CREATE FUNCTION @extschema@.probe(timestamptz) RETURNS text LANGUAGE sql RETURN evil.tid_floor($1)',
	'operator in a body' => 'CREATE FUNCTION @extschema@.probe(int) RETURNS bool LANGUAGE sql RETURN $1 OPERATOR(evil.=) $1',
	domain => 'CREATE DOMAIN @extschema@.probe AS evil.tid',
	constraint => 'CREATE DOMAIN @extschema@.probe AS text CHECK (evil.tid_is_valid(VALUE))',
	operator => 'CREATE OPERATOR pg_catalog.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = evil.eq)',
	cast => 'CREATE CAST (@extschema@.tid AS int) WITH FUNCTION evil.of(@extschema@.tid)',
	'type of a cast' => 'CREATE CAST (@extschema@.tid AS evil.pair) WITH INOUT',
	aggregate => 'CREATE AGGREGATE @extschema@.probe(int) (SFUNC = evil.plus, STYPE = int)',
	'operator class' => 'CREATE OPERATOR CLASS @extschema@.probe FOR TYPE @extschema@.tid USING hash AS OPERATOR 1 evil.=',
	'function of an operator class' =>
	  'CREATE OPERATOR CLASS @extschema@.probe FOR TYPE @extschema@.tid USING hash AS OPERATOR 1 =, FUNCTION 1 evil.of(@extschema@.tid)',
	'operator family' => 'ALTER OPERATOR FAMILY @extschema@.tid_ops USING btree ADD OPERATOR 1 evil.< (@extschema@.tid, int8)',
	added => 'CREATE FUNCTION @extschema@.probe(@extschema@.added) RETURNS int LANGUAGE sql RETURN 1',
	schema => 'CREATE FUNCTION evil.probe() RETURNS int LANGUAGE sql RETURN 1',
	view => 'CREATE VIEW @extschema@.probe AS SELECT evil.tid_floor(now())');
my $more = <<'SQL';
CREATE TYPE evil.pair AS (a int, b int);
CREATE FUNCTION evil.eq(int, int) RETURNS bool LANGUAGE sql IMMUTABLE RETURN true;
CREATE FUNCTION evil.plus(int, int) RETURNS int LANGUAGE sql IMMUTABLE RETURN 1;
CREATE FUNCTION evil.of(atid.tid) RETURNS int LANGUAGE sql IMMUTABLE RETURN 1;
CREATE FUNCTION evil.eq(atid.tid, atid.tid) RETURNS bool LANGUAGE sql IMMUTABLE RETURN true;
CREATE FUNCTION evil.lt(atid.tid, int8) RETURNS bool LANGUAGE sql IMMUTABLE RETURN true;
CREATE OPERATOR evil.= (LEFTARG = int, RIGHTARG = int, FUNCTION = evil.eq);
CREATE OPERATOR evil.= (LEFTARG = atid.tid, RIGHTARG = atid.tid, FUNCTION = evil.eq);
CREATE OPERATOR evil.< (LEFTARG = atid.tid, RIGHTARG = int8, FUNCTION = evil.lt);
CREATE DOMAIN atid.added AS bytea;
ALTER EXTENSION atid ADD DOMAIN atid.added;
ALTER EXTENSION atid ADD DOMAIN evil.tid;

SQL

# An operator that a script would find first if it searched the schema of the extension.
my $operator = <<'SQL';
CREATE FUNCTION atid.eq(oid, regclass) RETURNS bool LANGUAGE plpgsql AS
	'BEGIN ALTER ROLE mallory SUPERUSER; RETURN false; END';
CREATE OPERATOR atid.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = atid.eq);
SQL
my $powers = q{SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'};

script("$current--unrelated", "${guard}CREATE FUNCTION \@extschema\@.probe(\@extschema\@.tid[]) RETURNS int LANGUAGE sql RETURN 1;\n$check");
my $owner = database("CREATE EXTENSION atid; $as_evil $more $operator");
foreach my $name (sort keys %form)
{
	my $version = $name =~ s/ /_/gr;
	script("$current--$version", "$guard$form{$name};\n$check");
	script("$current--${version}_unchecked", "$form{$name};\nDO 'BEGIN RAISE EXCEPTION \$\$done\$\$; END';\n");
	refused($name, updated($owner, $version), $not_ours);
	like((updated($owner, "${version}_unchecked"))[1], qr/done/, "$name, with no check: done");
}

# The check itself calls no operator that was planted in the extension's schema.
is($owner->ok($powers), 'f', 'mallory is no superuser');
script("$current--unguarded", "$form{argument};\n$check");
is((updated($owner, 'unguarded'))[0], '00000', 'a planted operator, with no search_path: updated');
is($owner->ok($powers), 't', 'a planted operator, with no search_path: called by a superuser');
$node->safe_psql('postgres', 'ALTER ROLE mallory NOSUPERUSER');
$owner->quit;

# The script that CREATE EXTENSION runs does not call it either, in an existing schema.
$owner = database("CREATE SCHEMA atid; $operator CREATE EXTENSION atid; DROP EXTENSION atid");
is($owner->ok($powers), 'f', 'a planted operator: not called by CREATE EXTENSION');
script('whole_unguarded', without($whole, $guard));
is(($owner->try(q{CREATE EXTENSION atid VERSION 'whole_unguarded'}))[1], '00000', 'a planted operator, with no search_path: created');
is($owner->ok($powers), 't', 'a planted operator, with no search_path: called by a superuser');
$node->safe_psql('postgres', 'ALTER ROLE mallory NOSUPERUSER');
$owner->quit;

# A member that was given to an ordinary role can have been replaced by it.
$owner = database('CREATE EXTENSION atid; SET search_path = evil, pg_catalog; CREATE SCHEMA evil');
$owner->ok("ALTER DATABASE $owner->{name} SET search_path = evil, atid, pg_catalog");
$node->safe_psql($owner->{name}, 'ALTER TYPE atid.tid OWNER TO mallory');
refused('a type of another owner', updated($owner, 'unrelated'), $not_ours);
# The server notes no dependency on a role that it has created itself.
$node->safe_psql($owner->{name}, 'ALTER TYPE atid.tid OWNER TO pg_database_owner');
refused('a type of a predefined role', updated($owner, 'unrelated'), $not_ours);
$node->safe_psql($owner->{name}, 'ALTER TYPE atid.tid OWNER TO CURRENT_USER');
is((updated($owner, 'unrelated'))[0], '00000', 'a script that takes nothing from elsewhere is done');

#
# A function that a script replaces can be planted only where it was given to an ordinary role. It then stays that
# role's, but it is called like any other.
#
my $function = 'FUNCTION atid.record_problem(jsonb, bool)';

sub planted
{
	my ($returns, $member) = @_;
	my $session = database("CREATE EXTENSION atid VERSION '1.1'");
	is(($session->try("ALTER EXTENSION atid DROP $function"))[1], '42501', 'a function of the extension cannot be taken out');
	$node->safe_psql($session->{name}, "ALTER $function OWNER TO mallory");
	$session->ok("ALTER EXTENSION atid DROP $function; DROP $function; "
		  . "CREATE FUNCTION atid.record_problem(record jsonb, strict bool) RETURNS $returns LANGUAGE sql SECURITY DEFINER RETURN NULL::$returns");
	$session->ok("ALTER EXTENSION atid ADD $function") if $member;
	return $session;
}
is((updated(planted('text', 0), $current))[0], '55000', 'it was given away and planted: refused');
is((updated(planted('bigint', 1), $current))[0], '42P13', '... with another type, and added to the extension: refused');
my $replaced = planted('text', 1);
is((updated($replaced, $current))[0], '00000', '... with the same type: updated');
is($replaced->ok("SELECT prosecdef, probin FROM pg_proc WHERE oid = '$function'::regprocedure" =~ s/'FUNCTION /'/r), 'f|$libdir/atid',
	'nothing is left of it');
my $asked = q{SELECT atid.record_problem('{"a": 1.5}', NULL) IS NOT NULL, atid.record_problem(NULL, true) IS NULL};
is($replaced->ok($asked), 't|t', 'it answers');
$replaced->ok("ALTER $function STRICT; ALTER $function CALLED ON NULL INPUT");
is($replaced->ok($asked), 't|t', '... after its owner has changed what can be changed');

#
# The second extension, which has the name of the first one's schema from its control file.
#
SKIP:
{
	skip 'atid_crypto is not installed', 6 unless has_extension($node, 'atid_crypto');
	my $second = database('CREATE EXTENSION atid; ALTER SCHEMA atid RENAME TO x');
	my $create = 'CREATE EXTENSION atid_crypto';
	is(($second->try($create))[1], '42704', 'atid_crypto, the schema renamed: refused, its types are not found');
	$second->ok("CREATE SCHEMA atid; $as_atid");
	refused('atid_crypto, a second schema', ($second->try($create))[ 1, 2 ], $not_ours);
	$second->ok('GRANT CREATE ON SCHEMA atid TO pg_database_owner');
	foreach my $object ('DOMAIN atid.cid_link', 'DOMAIN atid.record_key', 'SCHEMA atid')
	{
		$second->ok("ALTER $object OWNER TO pg_database_owner; ALTER EXTENSION atid ADD $object");
	}
	refused('atid_crypto, planted objects of a predefined role', ($second->try($create))[ 1, 2 ], $not_ours);
	$second->ok("ALTER EXTENSION atid DROP $_")
	  foreach 'DOMAIN atid.cid_link', 'DOMAIN atid.record_key', 'SCHEMA atid';
	$second->ok("DROP SCHEMA atid CASCADE; ALTER SCHEMA x RENAME TO atid; $create; ALTER SCHEMA atid RENAME TO x");
	is($second->ok(q{SELECT x.did_key_is_valid('')}), 'f', 'atid_crypto, the schema renamed later: it works');
}

$node->stop;
done_testing();
