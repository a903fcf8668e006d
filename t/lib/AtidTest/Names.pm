# AtidTest::Names: names that an inner table can capture.
#
#   captured SOURCE, COLUMNS    the bare names in the subqueries of the functions and views of an SQL source that name a
#                               column of the subquery's own tables and also one of an outer query, or a variable or an
#                               argument of the function: lines "object: name, in: the subquery"
#
# Such a name refers to the inner column, whatever its author intended, and the server reports nothing: the rule is to
# qualify it. COLUMNS has the columns of each relation and function, by its name.
#
# This reads words and parentheses, and has no grammar. It errs on the side of reporting too much: all columns of the
# tables of a common table expression, or of a subquery in FROM, count as columns of the query around it.

package AtidTest::Names;

use strict;
use warnings FATAL => 'all';

my %is_word = map { $_ => 1 } qw(
  all and any array as asc between both by case cast coalesce collate conflict cross current_role current_user
  default delete desc distinct do else end except excluded exists false filter first following for found from
  full group having ilike in inner insert intersect into is isnull join last lateral left like limit locked
  materialized natural not nothing null nulls of offset on only or order ordinality outer over partition
  preceding range recursive returning right row rows select set share similar skip some strict symmetric
  tablesample then to trailing true unbounded union unique update using values when where window with within
  without system leading greatest least nullif extract epoch substring trim overlay position);

# The words of a source, without comments; a dollar-quoted body is one word that begins with "$$".
sub words
{
	my ($source) = @_;
	my @words;
	while ($source =~ /\G(?:\s+|--[^\n]*)*(\$(\w*)\$.*?\$\2\$|[eE]?'(?:[^']|'')*'|"[^"]*"|\w+|::|:=|[^\s\w])/gs)
	{
		push @words, defined $2 ? '$$' . substr $1, length($2) + 2, -length($2) - 2 : $1;
	}
	return @words;
}

# Groups in parentheses become arrays.
sub nest
{
	my @open = [];
	foreach (@_)
	{
		if    ($_ eq '(') { push @open, []; }
		elsif ($_ eq ')') { my $group = pop @open; push @{ $open[-1] }, $group; }
		else              { push @{ $open[-1] }, $_; }
	}
	return $open[0];
}

sub is_query { return ref $_[0] && @{ $_[0] } && !ref $_[0][0] && $_[0][0] =~ /^(?:select|with|insert|update|delete|values)$/i; }

# The parts of a query with tables of their own: those of UNION and the like.
sub parts
{
	my @parts = [];
	foreach (@{ $_[0] })
	{
		if (!ref && /^(?:union|except|intersect)$/i) { push @parts, []; }
		else { push @{ $parts[-1] }, $_ unless !ref && /^all$/i && !@{ $parts[-1] }; }
	}
	return @parts;
}

# The columns of the tables of a query; with whole, also those of all queries in it, and the names of its values.
sub columns_of
{
	my ($query, $columns, $whole) = @_;
	my %has;
	my @words = @$query;
	foreach my $i (0 .. $#words)
	{
		my $word = $words[$i];
		if (ref $word)
		{
			my $before = $i > 0 && !ref $words[ $i - 1 ] ? lc $words[ $i - 1 ] : '';
			my $named = $i > 1 && !ref $words[ $i - 2 ] ? lc $words[ $i - 2 ] : '';
			%has = (%has, columns_of($word, $columns, 1))
			  if is_query($word) && ($whole || $before =~ /^(?:from|join|lateral|as|materialized|,)$/);
			# AS name (columns)
			%has = (%has, map { lc $_ => 1 } grep { !ref && /^\w+$/ } @$word) if $named eq 'as' && !is_query($word);
			next;
		}
		my $before = $i > 0 && !ref $words[ $i - 1 ] ? lc $words[ $i - 1 ] : '';
		my $name = lc $word;
		next if $before eq '.' && !($i > 2 && !ref $words[ $i - 3 ] && $words[ $i - 3 ] =~ /^(?:from|join|into|update|lateral|,)$/i);
		# a table or function in FROM, or the name of a value in a list
		%has = (%has, map { $_ => 1 } @{ $columns->{$name} })
		  if $columns->{$name} && ($before =~ /^(?:from|join|update|into|lateral|using|,|\.|only)$/);
		$has{$name} = 1 if $whole && $before eq 'as' && $name =~ /^\w+$/ && !$is_word{$name};
	}
	return %has;
}

# Looks through a query and those in it. outer: the names that are known around it, with their owners.
sub look
{
	my ($query, $outer, $columns, $is_inner, $report) = @_;
	foreach my $part (parts($query))
	{
		my @words = @$part;
		my %own = columns_of($part, $columns);
		if ($is_inner && is_query($query))
		{
			foreach my $i (0 .. $#words)
			{
				look_at(\@words, $i, \%own, $outer, $part, $report);
			}
		}
		my %around = (%$outer, %own);
		foreach my $i (grep { ref $words[$_] } 0 .. $#words)
		{
			next if names_columns(\@words, $i);
			# a query in FROM or WITH does not see the tables next to it
			my $alone = is_query($words[$i]) && $i > 0 && !ref $words[ $i - 1 ] && $words[ $i - 1 ] =~ /^(?:from|join|as|materialized)$/i;
			my $here = $is_inner && is_query($query) ? $part : undef;
			look_inside($words[$i], $alone ? $outer : \%around, $columns, $report, \%own, $outer, $here);
		}
	}
	return;
}

# Is this group a list of columns: of INSERT, ON CONFLICT, USING, AS name?
sub names_columns
{
	my ($words, $i) = @_;
	my @before = map { ref ? '' : lc } reverse @$words[ ($i > 5 ? $i - 5 : 0) .. $i - 1 ];
	return 1 if @before && $before[0] =~ /^(?:conflict|using)$/;
	return 1 if ($before[1] // '') eq 'as' && !is_query($words->[$i]);
	return (($before[1] // '') eq 'into' || ($before[3] // '') eq 'into' && $before[1] eq 'as') && !is_query($words->[$i]);
}

# A group: a query of its own, or an expression of the query around it.
sub look_inside
{
	my ($group, $around, $columns, $report, $own, $outer, $query) = @_;
	return look($group, $around, $columns, 1, $report) if is_query($group);
	foreach my $i (0 .. $#$group)
	{
		look_at($group, $i, $own, $outer, $query, $report) if defined $query;
		look_inside($group->[$i], $around, $columns, $report, $own, $outer, $query) if ref $group->[$i];
	}
	return;
}

# A word: is it a bare name that exists on both sides?
sub look_at
{
	my ($words, $i, $own, $outer, $query, $report) = @_;
	my $word = $words->[$i];
	return if ref $word || $word !~ /^[a-z_]\w*$/i;
	my $name   = lc $word;
	my $before = $i > 0 && !ref $words->[ $i - 1 ] ? lc $words->[ $i - 1 ] : '';
	my $after  = $i < $#$words ? $words->[ $i + 1 ] : '';
	return if $is_word{$name} || $before eq '.' || $before eq 'as' || $before eq '::' || ref $after || $after eq '.';
	return if $before =~ /^(?:from|join|update|into|interval|timestamptz)$/;    # a table
	return if $after =~ /^'/;
	# the columns named by INSERT and SET are those of the table
	return if $before =~ /^(?:set|,)$/ && $after eq '=';
	return unless $own->{$name} && $outer->{$name};
	$report->($word, $query);
	return;
}

sub text { return join ' ', map { ref ? '(' . text(@$_) . ')' : $_ } @_; }

# The statements of a body, without the words that begin a block. CASE has a THEN and an ELSE of its own.
sub statements
{
	my ($words) = @_;
	my ($cases, @statements) = (0, []);
	foreach (@$words)
	{
		my $word = ref ? '' : lc;
		$cases++ if $word eq 'case';
		my $ends = $word eq ';' || !$cases && $word =~ /^(?:then|else|elsif|loop|begin|if|when|perform|return|query|:=|execute)$/;
		if ($ends) { push @statements, []; }
		else       { push @{ $statements[-1] }, $_; }
		$cases-- if $word eq 'end' && $cases;
	}
	return grep { @$_ } @statements;
}

# The names before types in a list of arguments, or behind DECLARE.
sub names_in
{
	my ($words) = @_;
	my @names;
	my $first = 1;
	foreach (@$words)
	{
		if (ref) { next; }
		if (/^(?:,|;)$/) { $first = 1; next; }
		next if /^(?:in|out|inout|variadic)$/i;
		push @names, lc if $first && /^\w+$/;
		$first = 0;
	}
	return @names;
}

sub captured
{
	my ($source, $columns) = @_;
	my @found;
	my @words = words($source);
	my @statement;
	foreach my $word (@words, ';')
	{
		if ($word ne ';') { push @statement, $word; next; }
		push @found, of_object(nest(@statement), $columns);
		@statement = ();
	}
	return @found;
}

# A CREATE FUNCTION or CREATE VIEW.
sub of_object
{
	my ($words, $columns) = @_;
	my $head = join ' ', map { ref || /^\$\$/ ? '' : lc } @$words[ 0 .. ($#$words > 5 ? 5 : $#$words) ];
	return unless $head =~ /^create (?:or replace )?(?:temp )?(function|view) (\w+)/;
	my ($kind, $object) = ($1, $2);
	my @found;
	my $report = sub {
		my ($name, $query) = @_;
		my $text = text(@$query);
		push @found, "$object: $name, in: " . (length $text > 90 ? substr($text, 0, 90) . ' ...' : $text);
	};
	my %variables = map { $_ => 1 } map { names_in($_) } grep { ref } @$words if $kind eq 'function';
	foreach my $body (grep { !ref && /^\$\$/ } @$words)
	{
		my $inner = nest(words(substr $body, 2));
		my ($declared, @declare) = (0);
		foreach (@$inner)
		{
			last if !ref && /^begin$/i;
			push @declare, $_ if $declared;
			$declared = 1 if !ref && /^declare$/i;
		}
		$variables{$_} = 1 foreach names_in(\@declare);
		look(is_query($_) ? $_ : [ 'select', @$_ ], \%variables, $columns, 0, $report) foreach statements($inner);
	}
	if (!grep { !ref && /^\$\$/ } @$words)
	{
		my ($start) = grep { !ref $words->[$_] && $words->[$_] =~ /^(?:as|return)$/i } 0 .. $#$words;
		look([ 'select', @$words[ $start + 1 .. $#$words ] ], \%variables, $columns, 0, $report) if defined $start;
	}
	my %seen;
	return grep { !$seen{$_}++ } @found;
}

1;
