# The web site of doc/, as a reader sees it.
#
# Shows, of the pages that script/site makes, in Chromium, on a phone and on a wide screen, that
# - nothing is wider than the screen but code and tables, and these scroll by themselves;
# - every link within the site leads to a page and a heading that are there, and every picture is shown;
# - the search finds a word.
#
# Skipped without Sphinx and Chromium; script/test --full installs them.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/lib";

use AtidTest;
use AtidTest::Oracles;
use Cwd qw(abs_path);
use File::Find;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'the site is tried with script/test --full' unless $ENV{ATID_FULL};
foreach my $program (qw(sphinx-build chromium))
{
	plan skip_all => "$program is not installed" unless AtidTest::Oracles::find_program($program);
}
plan skip_all => 'MyST or Furo is not installed' if system('python3 -c "import myst_parser, furo" 2>/dev/null');

my $work = abs_path(PostgreSQL::Test::Utils::tempdir('site'));
my $said = '';
ok( IPC::Run::run([ "$FindBin::Bin/../script/site", '--output', "$work/site" ], '<', \undef, '>&', \$said),
	'script/site makes the site') or BAIL_OUT($said);

my @pages;
find({ wanted => sub { push @pages, s{^\Q$work\E/site/}{}r if /\.html$/ }, no_chdir => 1 }, "$work/site");
cmp_ok(scalar @pages, '>', 20, 'it has a page for each chapter');

# A page that shows all others in frames of these widths, and notes what is wrong.
open my $html, '>', "$work/site/check.html" or die "could not write: $!";
print $html '<!doctype html><pre id="result"></pre><script>const pages = ', encode_json([ sort @pages ]), <<'JS';
;
const wrong = [], seen = { scrolling: 0, links: 0, pictures: 0, found: 0 };
const show = (page, width) => new Promise(done => {
  const frame = document.createElement('iframe');
  frame.width = width;
  frame.height = 800;
  frame.onload = () => done(frame);
  frame.src = page;
  document.body.append(frame);
});
const scrolls = node => {
  const outer = node.parentElement.closest('pre, .table-wrapper');
  return outer && /auto|scroll/.test(getComputedStyle(outer).overflowX);
};
(async () => {
  const ids = {}, links = [];
  for (const width of [360, 1280])
    for (const page of pages) {
      const frame = await show(page, width), inside = frame.contentDocument, root = inside.documentElement;
      if (root.scrollWidth > width) wrong.push(`${page}: ${root.scrollWidth} wide on ${width}`);
      for (const article of inside.querySelectorAll('article')) {
        // headings of Furo reach 8 pixels out of the column
        const edge = article.getBoundingClientRect().right + 9, range = inside.createRange();
        const nodes = inside.createTreeWalker(article, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
        while (nodes.nextNode()) {
          const node = nodes.currentNode;
          range.selectNode(node);
          if ((node.nodeType === Node.TEXT_NODE ? range : node).getBoundingClientRect().right <= edge) continue;
          scrolls(node) ? seen.scrolling++ : wrong.push(`${page}: on ${width} too wide: ${node.textContent.trim().slice(0, 60)}`);
        }
      }
      for (const picture of inside.images) {
        seen.pictures++;
        picture.loading = 'eager';
        await picture.decode().catch(() => wrong.push(`${page}: no picture: ${picture.src}`));
      }
      ids[new URL(page, location).pathname] = new Set(Array.from(inside.querySelectorAll('[id]'), element => element.id));
      for (const link of inside.querySelectorAll('a[href]')) links.push([page, new URL(link.href)]);
      frame.remove();
    }
  for (const [page, to] of links) {
    if (to.protocol !== location.protocol) continue;
    seen.links++;
    const there = ids[to.pathname];
    if (there ? to.hash && !there.has(decodeURIComponent(to.hash.slice(1))) : !to.pathname.includes('/_downloads/'))
      wrong.push(`${page} links to ${to}`);
  }
  const search = await show('search.html?q=horizon', 360);
  for (let i = 0; i < 100 && !seen.found; i++) {
    await new Promise(done => setTimeout(done, 100));
    seen.found = search.contentDocument.querySelectorAll('#search-results li a').length;
  }
})().catch(problem => wrong.push(String(problem))).then(() => {
  document.getElementById('result').textContent = JSON.stringify({ wrong, seen });
});
</script>
JS
close $html or die "could not write: $!";

my $dom = '';
IPC::Run::run(
	[
		'chromium', '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
		"--user-data-dir=$work/profile", '--allow-file-access-from-files', '--virtual-time-budget=600000', '--dump-dom',
		"file://$work/site/check.html"
	],
	'<', \undef, '>', \$dom, '2>', \$said, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
my ($json) = $dom =~ m{<pre id="result">(\{.*?\})</pre>}s or die "Chromium gave no result:\n$said\n$dom";
my $result = decode_json($json =~ s/&lt;/</gr =~ s/&gt;/>/gr =~ s/&amp;/&/gr);

is(join("\n", @{ $result->{wrong} }), '', 'widths, links and pictures are right');
my %seen = %{ $result->{seen} };
note(join ', ', map { "$_: $seen{$_}" } sort keys %seen);
cmp_ok($seen{$_}, '>', 0, "there were some to look at: $_") foreach sort keys %seen;

done_testing();
