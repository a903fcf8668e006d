# AtidTest::States: each change of an account's state is one of those in the table of indexer/README.md.
#
#   new NODE, DATABASE     makes the server note each change, by a trigger of these tests
#   finish NAME, ALL       tests that no other change has happened; with ALL, that each in the table has
#
# The trigger only writes to the server's log, so it also sees changes that are rolled back, and disturbs nothing.

package AtidTest::States;

use strict;
use warnings FATAL => 'all';

use AtidTest ();
use PostgreSQL::Test::Utils;
use Test::More;

# The table has a row for each transition; its columns from and to hold names of states in `code`. An account is
# created as unidentified or desynchronized, and can be deleted from any state.
sub transitions
{
	my %allowed;
	my ($from, $to);
	foreach my $line (split /\n/, slurp_file("$AtidTest::root/indexer/README.md"))
	{
		my @cells = map { s/^\s+|\s+$//gr } split /\|/, $line =~ s/^\|//r, -1;
		if (@cells < 3) { undef $from; }
		elsif (grep { lc eq 'from' } @cells)
		{
			($from) = grep { lc $cells[$_] eq 'from' } 0 .. $#cells;
			($to)   = grep { lc $cells[$_] eq 'to' } 0 .. $#cells;
		}
		elsif (defined $from && "$cells[$from] $cells[$to]" =~ /^`(\w+)` `(\w+)`$/) { $allowed{"$1 -> $2"} = 1; }
	}
	die 'the README has no table of transitions' unless %allowed;
	return %allowed;
}

sub new
{
	my ($class, $node, $db) = @_;
	local $ENV{PGOPTIONS} = '';
	$node->safe_psql($db, <<'SQL');
CREATE SCHEMA states;
CREATE FUNCTION states.note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE LOG 'state: % -> %', CASE WHEN TG_OP <> 'INSERT' THEN OLD.state END, CASE WHEN TG_OP <> 'DELETE' THEN NEW.state END;
  RETURN NULL;
END $$;
CREATE TRIGGER note AFTER INSERT OR DELETE ON indexer.account FOR EACH ROW EXECUTE FUNCTION states.note();
CREATE TRIGGER note_state AFTER UPDATE OF state ON indexer.account FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION states.note();
GRANT USAGE ON SCHEMA states TO PUBLIC;
SQL
	return bless { node => $node }, $class;
}

sub finish
{
	my ($self, $each) = @_;
	my %allowed = transitions();
	my %seen    = map { s/<NULL>//gr => 1 } slurp_file($self->{node}->logfile) =~ /state: (.*->.*)$/mg;
	is(join('; ', grep { !$allowed{$_} && !/^ -> (unidentified|desynchronized|live)$|-> $/ } sort keys %seen), '',
		'no account changed its state in a way that the README does not have');
	is(join('; ', grep { $_ =~ $each && !$seen{$_} } sort keys %allowed), '', '... and accounts did in each way that it has')
	  if defined $each;
	return;
}

1;
