# DBD::Pg. The steps are those of ../README.md.
use strict;
use warnings;

use DBI;

my $dbh = DBI->connect('dbi:Pg:', '', '', { RaiseError => 1, PrintError => 0, AutoCommit => 1 });
my @known;

sub shape { my ($value) = @_; return !defined $value ? 'null' : ref $value ? lc ref $value : 'string'; }

sub tell_step
{
	my ($name, $step) = @_;
	my $result = eval { $step->() };
	$result = 'error ' . ($dbh->state || $@) if $@;
	print "$name\t", $result // 'ok', "\n";
}

sub same
{
	my ($got, $wanted) = map { join ' ', map { $_ // 'NULL' } @$_ } @_;
	die "$got instead of $wanted" if $got ne $wanted;
	return;
}

sub revs { my ($query, @values) = @_; return $dbh->selectcol_arrayref($query, undef, @values); }
sub one  { return revs(@_)->[0]; }

$| = 1;
tell_step(
	'tid',
	sub {
		push @known, one('INSERT INTO record DEFAULT VALUES RETURNING rev') foreach 1 .. 5;
		return shape($known[0]);
	});
my $find = 'SELECT rev FROM record WHERE rev = ?';
my @two  = @known[ 1, 2 ];
tell_step('parameter', sub { same(revs($find, $known[2]), [ $known[2] ]) });
tell_step('any', sub { same(revs('SELECT rev FROM record WHERE rev = ANY(?) ORDER BY rev', \@two), \@two) });
tell_step('any, cast',
	sub { same(revs('SELECT rev FROM record WHERE rev = ANY(?::atid.tid[]) ORDER BY rev', \@two), \@two) });
tell_step('tid[]', sub { shape(one('SELECT array_agg(rev ORDER BY rev) FROM record')) });
tell_step('tid[] as text[]',
	sub { same(one('SELECT array_agg(rev ORDER BY rev)::text[] FROM record'), \@known) });
tell_step(
	'paging',
	sub {
		my @seen = ('2' x 13);
		while (my @page =
			@{ revs('SELECT rev FROM record WHERE rev > ? ORDER BY rev LIMIT 2', $seen[-1]) })
		{
			push @seen, @page;
		}
		same([ @seen[ 1 .. $#seen ] ], \@known);
	});
tell_step('null',
	sub { same(revs('UPDATE record SET prev = ? WHERE rev = ? RETURNING prev', undef, $known[0]), [undef]) });
tell_step(
	'values',
	sub {
		my $did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz';
		my @row = (
			'self', 'bafyreifzvsbt6kiyg57lrrt3jbyqcf3lm7b6apz3rn7mjiyj32ornkf3xq',
			$did, "at://$did/app.bsky.feed.post/3jzfcijpj2z2a");
		same(
			[
				$dbh->selectrow_array(
					'INSERT INTO record (rkey, cid, author, uri) VALUES (?, ?, ?, ?)'
					  . ' RETURNING rkey, cid, author, uri', undef, @row)
			],
			\@row);
	});
tell_step(
	'prepared',
	sub {
		my $statement = $dbh->prepare($find, { pg_server_prepare => 1 });
		same($dbh->selectcol_arrayref($statement, undef, $_), [$_]) foreach @known;
		return;
	});
tell_step(
	'copy',
	sub {
		$dbh->do('COPY record (rev) FROM STDIN');
		$dbh->pg_putcopydata("$_\n") foreach qw(3k2hwfvx7k22l 3k3yoc6ybt22l);
		$dbh->pg_putcopyend;
		same(revs($find, '3k2hwfvx7k22l'), ['3k2hwfvx7k22l']);
	});
tell_step(
	'check',
	sub {
		$dbh->begin_work;
		eval { $dbh->do('INSERT INTO record (rkey) VALUES (?)', undef, 'no/slashes'); 1 }
		  and die 'the value was taken';
		my $state = $dbh->state . ' ' . ($dbh->pg_error_field('constraint') // '');
		$dbh->rollback;
		same(revs($find, $known[2]), [ $known[2] ]);
		return $state;
	});
