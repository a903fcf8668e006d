# AtidTest::Order: an order that makes the server's quicksort quadratic.
#
# killer_order(n) gives the numbers from 0 to n - 1 so that each pivot of a sort of them has three smaller ones.
# It is found by sorting with the worst possible answer to each comparison.

package AtidTest::Order;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT = qw(killer_order);

sub killer_order
{
	my ($n) = @_;
	my @at  = 0 .. $n - 1;
	my ($low, $next, @rank) = (0, 0);

	while ($n - $low > 40)
	{
		my $eighth = int(($n - $low) / 8);
		my $middle = $low + int(($n - $low) / 2);
		$rank[$_] = $next++ foreach @at[ $low, $low + $eighth, $middle - $eighth, $middle ];
		foreach my $swap ([ $low, $middle ], [ $low + 1, $middle ], [ $low + 2, $middle - $eighth ],
			[ $low + 3, $low + $eighth ], [ $low, $low + 3 ])
		{
			@at[@$swap] = @at[ reverse @$swap ];
		}
		$low += 4;
	}
	$rank[ $at[$_] ] = $next++ foreach $low .. $n - 1;
	return @rank;
}

1;
