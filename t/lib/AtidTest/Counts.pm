# AtidTest::Counts: a plugin of prove that prints totals.
#
#   prove -PAtidTest::Counts    writes "N passed, N failed", with ", N skipped" if there were any, to the file
#                               $ATID_COUNTS, for each file the tests that passed to $ATID_COUNTS.files; and shows
#                               the end of the log of each TAP file that died
#
# A file that ends badly without a failed test counts as a failed test, and so does each test that was planned but
# did not run.

package AtidTest::Counts;

use strict;
use warnings FATAL => 'all';

use File::Basename;
use List::Util qw(max uniq);
use TAP::Formatter::Console;
use TAP::Formatter::File;

our @ISA = (-t STDOUT ? 'TAP::Formatter::Console' : 'TAP::Formatter::File');

sub load
{
	my ($class, $prove) = @_;
	$prove->{app_prove}->formatter($class);
	return 1;
}

sub summary
{
	my ($self, $aggregate, $interrupted) = @_;
	my ($passed, $failed, $skipped) = (0, $interrupted ? 1 : 0, 0);
	my $files = '';

	$self->SUPER::summary($aggregate, $interrupted);
	foreach my $file ($aggregate->descriptions)
	{
		my ($parser) = $aggregate->parsers($file);
		my $bad = $parser->failed + max(0, ($parser->tests_planned || 0) - $parser->tests_run);
		my $skip = $parser->skipped + $parser->todo;

		$bad ||= 1 if $parser->has_problems;
		$failed += $bad;
		$skipped += $skip;
		$skipped++ if $parser->skip_all && $parser->skip_all !~ /nothing matches/;
		$passed += $parser->passed - $skip;
		$files .= sprintf "%6d %s\n", $parser->passed - $skip, $file;
	}
	foreach my $file (grep { /\.pl$/ } uniq $aggregate->failed, $aggregate->exit, $aggregate->parse_errors)
	{
		my $log = 'tmp_check/log/regress_log_' . basename($file, '.pl');
		next unless open my $in, '<', $log;
		my @lines = <$in>;
		$self->_output("--- the end of $log\n", @lines[ max(0, $#lines - 39) .. $#lines ]);
	}
	write_to($ENV{ATID_COUNTS}, "$passed passed, $failed failed" . ($skipped ? ", $skipped skipped" : '') . "\n");
	write_to("$ENV{ATID_COUNTS}.files", $files);
	return;
}

sub write_to
{
	my ($path, $text) = @_;
	open my $out, '>', $path or die "could not open $path: $!";
	print $out $text;
	close $out or die "could not write $path: $!";
	return;
}

1;
