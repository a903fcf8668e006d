# The web site of doc/, as seen by a reader.
#
# Shows, for the pages that script/site makes, in Chromium, on a phone and on a wide screen, that
# - nothing is wider than the screen except code and tables, and these scroll on their own;
# - every link within the site leads to an existing page and heading, and every picture is shown;
# - every file that a page or a style names exists, no script has an error, and no page has a rim;
# - the side bar has the titles of the index of chapters, and the chapters lead to the files of examples/;
# - the search leads to the section that contains the search terms;
# - in dark mode the pages, side bars, code blocks and pictures are dark, and all text is legible.
#
# Skipped without Sphinx and Chromium; script/test --full installs them.
#
# Tags: medium full

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

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
my ($python) = slurp_file(AtidTest::Oracles::find_program('sphinx-build')) =~ /^#!(\S+)/;
plan skip_all => 'MyST or Furo is not installed' if system("$python -c 'import myst_parser, furo' 2>/dev/null");

my $work = abs_path(PostgreSQL::Test::Utils::tempdir('site'));
my $said = '';
ok( IPC::Run::run([ "$FindBin::Bin/../../script/site", '--output', "$work/site" ], '<', \undef, '>&', \$said),
	'script/site makes the site') or die $said;

my @pages;
find({ wanted => sub { push @pages, s{^\Q$work\E/site/}{}r if /\.html$/ }, no_chdir => 1 }, "$work/site");
cmp_ok(scalar @pages, '>', 20, 'it has a page for each chapter');

# The files that they load. An absolute path would refer to this machine.
my (@missing, %loaded);
foreach my $page (@pages)
{
	my $html = slurp_file("$work/site/$page");
	my ($folder) = $page =~ m{^(.*/)?[^/]*$};
	push @{ $loaded{ ($folder // '') . $1 } }, $page while $html =~ /<(?:script|img|link)\b[^>]*?\b(?:src|href)="([^"?#]+)/g;
}
find(
	{
		no_chdir => 1,
		wanted   => sub {
			return unless m{^\Q$work\E/site/(.*/)[^/]*\.(?:css|js)$};
			my ($folder, $text) = ($1, slurp_file($_));
			push @{ $loaded{"$folder$1"} }, $_ while /css$/ && $text =~ /\burl\(["']?(?!data:)([^"')?#]+)/g;
			push @missing, "$_ imports a file" if /js$/ && $text =~ /^\s*import\b/m;
		}
	},
	"$work/site");
foreach my $path (sort keys %loaded)
{
	push @missing, "$path, which $loaded{$path}[0] names" if $path =~ m{//|:} || !-e "$work/site/$path";
}
cmp_ok(scalar keys %loaded, '>', 10, 'pages load files');
is(join("\n", @missing), '', 'every file that a page or a style names is there');

my %index = slurp_file("$FindBin::Bin/../../doc/README.md") =~ /^\[([^\]]+)\]\((\w+)\.md\) \|/mg;
my %bar = slurp_file("$work/site/index.html") =~ /<li class="toctree-l1"><a class="reference internal" href="doc\/\w+\.html">([^<]*)<()/g;
delete @bar{qw(Documentation Glossary)};
is_deeply([ sort keys %bar ], [ sort keys %index ], 'the side bar has the titles of the index');

# Search terms, and the section that must come first.
my %first = (
	'cursor pagination' => 'doc/datetime.html#a-feed-page-by-page',
	'backup'            => 'doc/repository.html#is-a-backup-whole',
	'rails'             => 'doc/clients.html#keys-in-an-orm',
	'docker'            => 'doc/install.html#an-image',
	'likes count'       => 'doc/network.html',
	'uuid_generate_v7'  => 'doc/uuid.html',
	'uuid v7 default'   => 'doc/uuid.html',
	'rkey'              => 'doc/rkey.html',
	'RDS'               => 'doc/install.html',
	'pg_upgrade'        => 'doc/install.html#upgrade',
	'performance'       => 'doc/performance.html',
	'firehose'          => 'doc/event.html',
	'moderation'        => 'doc/views.html#moderation',
	'migrate text to did' => 'doc/address.html#a-table-that-has-its-uris-as-text',
	'license'           => 'index.html#license',
	'gdpr'              => 'doc/operate.html#legal-requests-to-delete-an-account',
	'erasure'           => 'doc/operate.html#legal-requests-to-delete-an-account',
	'delete account'    => 'doc/operate.html#legal-requests-to-delete-an-account',
	'api port'          => 'doc/views.html#graphql-atid-indexer-api',
	'ATID_API_ALLOWED_ORIGINS' => 'doc/views.html',
	'who liked'         => 'doc/network.html',
	'strongRef'         => 'doc/lexicon.html#a-missing-lexicon-such-as-strongref',
	'bookmark'          => 'doc/lexicon.html#a-missing-lexicon-such-as-strongref',
	'lexicon_missing'   => 'doc/lexicon.html',
	'DRISL'             => 'doc/record.html#how-json-says-what-cbor-has',
	'DASL'              => 'doc/record.html#how-json-says-what-cbor-has',
	'disk full'         => 'doc/operate.html#when-something-is-full',
	'prisma'            => 'doc/clients.html#keys-in-an-orm',
	'uuidv7'            => 'doc/moving.html',
	'ULID'              => 'doc/moving.html#from-ulids',
	'feed generator'    => 'doc/feeds.html',
	'custom feed'       => 'doc/feeds.html',
	'soft delete'       => 'doc/indexer.html#follow-the-changes',
	'full-text search'  => 'doc/views.html',
	'live mode'         => 'doc/indexer.html#live-mode',
	'elixir'            => 'doc/clients.html#elixir-and-net');

# A page that shows all others in frames of these widths, and notes the faults.
open my $html, '>', "$work/site/check.html" or die "could not write: $!";
print $html '<!doctype html><pre id="result"></pre><script>const pages = ', encode_json([ sort @pages ]), ', first = ', encode_json(\%first), <<'JS';
;
const wrong = [], seen = { scrolling: 0, links: 0, pictures: 0, examples: 0, found: 0 };
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
      const rim = getComputedStyle(inside.body).margin;
      if (rim !== '0px') wrong.push(`${page}: a rim of ${rim}`);
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
      for (const link of inside.querySelectorAll('a[href]')) links.push([page, new URL(link.href), link.closest('article')]);
      if (/(^|\s)``(\s|$)/.test(inside.body.textContent)) wrong.push(`${page}: a name has been lost`);
      frame.remove();
    }
  for (const [page, to, article] of links) {
    if (to.protocol !== location.protocol) continue;
    seen.links++;
    if (article && /doc\/\w+\.html$/.test(page) && /\/examples\/.+\.sql\.html$/.test(to.pathname)) seen.examples++;
    const there = ids[to.pathname];
    if (there ? to.hash && !there.has(decodeURIComponent(to.hash.slice(1))) : !to.pathname.includes('/_downloads/'))
      wrong.push(`${page} links to ${to}`);
  }
  for (const [words, section] of Object.entries(first)) {
    const frame = await show(`search.html?q=${encodeURIComponent(words)}`, 360), inside = frame.contentDocument;
    const found = Array.from(inside.querySelectorAll('#search-results li a'), link => new URL(link.href));
    const to = found.length ? found[0].href.replace(new URL('.', location).href, '') : 'nothing';
    if (to !== section && to.replace(/#.*/, '') !== section) wrong.push(`${words}: ${to} comes first, not ${section}`);
    if (found.length && !inside.querySelector('#search-results mark')) wrong.push(`${words}: nothing is marked`);
    if (inside.documentElement.scrollWidth > 360) wrong.push(`${words}: the results are too wide`);
    for (const { pathname, hash } of found)
      if (!ids[pathname] || hash && !ids[pathname].has(hash.slice(1))) wrong.push(`${words}: ${pathname}${hash} is not there`);
    seen.found += found.length;
    frame.remove();
  }
})().catch(problem => wrong.push(String(problem))).then(() => {
  document.getElementById('result').textContent = JSON.stringify({ wrong, seen });
});
</script>
JS
close $html or die "could not write: $!";

# Shows a page of checks in Chromium, and returns its findings and counts.
sub look
{
	my ($page, @options) = @_;
	my $dom = '';
	IPC::Run::run(
		[
			'chromium', '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
			'--enable-logging=stderr', "--user-data-dir=$work/profile", '--allow-file-access-from-files',
			'--virtual-time-budget=600000', '--dump-dom', @options, "file://$work/site/$page"
		],
		'<', \undef, '>', \$dom, '2>', \$said,
		IPC::Run::timeout($AtidTest::work_limit));
	my ($json) = $dom =~ m{<pre id="result">(\{.*?\})</pre>}s
	  or die "Chromium gave no result:\n$said\n$dom";
	return decode_json($json =~ s/&lt;/</gr =~ s/&gt;/>/gr =~ s/&amp;/&/gr);
}

my $result = look('check.html');
is(join("\n", @{ $result->{wrong} }), '', 'widths, links, pictures and searches are right');
is(join("\n", grep { /CONSOLE/ && /Uncaught|Error|Failed/ } split /\n/, $said), '', 'no script has an error');
my %seen = %{ $result->{seen} };
note(join ', ', map { "$_: $seen{$_}" } sort keys %seen);
cmp_ok($seen{$_}, '>', 0, "there were some to look at: $_") foreach sort keys %seen;

# The pages in dark mode, at two widths. Legible text has a contrast of at least 4.5 (WCAG 2).
open $html, '>', "$work/site/dark.html" or die "could not write: $!";
print $html '<!doctype html><pre id="result"></pre><script>const pages = ',
  encode_json([ 'search.html?q=record', grep { $_ ne 'search.html' } sort @pages ]), <<'JS';
;
const wrong = new Set();
const seen = { texts: 0, 'code blocks': 0, pictures: 0, 'side bars': 0 };
const show = (page, width) => new Promise(done => {
  const frame = document.createElement('iframe');
  frame.width = width;
  frame.height = 800;
  frame.onload = () => done(frame);
  frame.src = page;
  document.body.append(frame);
});
const parse = color => {
  const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g).map(Number);
  return { rgb: [red, green, blue], alpha };
};
const over = (top, below) =>
  top.rgb.map((value, i) => value * top.alpha + below[i] * (1 - top.alpha));
const luminance = rgb => rgb.map(value => value / 255)
  .map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
// the visible background of an element; a transparent page is white
const background = (element, known) => {
  if (!element) return [255, 255, 255];
  if (!known.has(element)) {
    const own = parse(getComputedStyle(element).backgroundColor);
    const below = () => background(element.parentElement, known);
    known.set(element, own.alpha === 1 ? own.rgb : over(own, below()));
  }
  return known.get(element);
};
const visible = { checkOpacity: true, checkVisibilityCSS: true };
const dark = rgb => luminance(rgb) < 0.05;
// the color of a picture's corner, drawn as the page draws it
const corner = picture => {
  const canvas = document.createElement('canvas'), [width, height] = [60, 40];
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  context.drawImage(picture, 0, 0, width, height);
  return Array.from(context.getImageData(0, 0, 1, 1).data);
};
(async () => {
  const mode = matchMedia('(prefers-color-scheme: dark)');
  if (!mode.matches) wrong.add('this Chromium is not in dark mode');
  for (const width of [400, 1280])
    for (const page of pages) {
      const frame = await show(page, width), inside = frame.contentDocument;
      const known = new Map();
      const check = (name, element) => {
        const color = background(element, known);
        if (dark(color)) return;
        wrong.add(`${page}: on ${width} ${name} is rgb(${color.map(Math.round)})`);
      };
      check('the page', inside.body);
      for (const bar of inside.querySelectorAll('.sidebar-drawer, .mobile-header, .toc-drawer')) {
        seen['side bars']++;
        check(bar.className, bar);
      }
      for (const block of inside.querySelectorAll('pre')) {
        seen['code blocks']++;
        check('a code block', block);
      }
      const nodes = inside.createTreeWalker(inside.body, NodeFilter.SHOW_TEXT);
      while (nodes.nextNode()) {
        const element = nodes.currentNode.parentElement;
        if (!nodes.currentNode.data.trim() || !element.checkVisibility(visible)) continue;
        seen.texts++;
        const back = background(element, known);
        const front = over(parse(getComputedStyle(element).color), back);
        const contrast = ratio(luminance(front), luminance(back));
        if (contrast >= 4.5) continue;
        const name = `${element.tagName}.${element.className}`;
        wrong.add(`${page}: on ${width} the contrast of ${name} is ${contrast.toFixed(2)}`);
      }
      for (const picture of inside.images) {
        picture.loading = 'eager';
        await picture.decode();
        if (!/\.svg$/.test(picture.src)) continue;
        seen.pictures++;
        const [red, green, blue, alpha] = corner(picture);
        if (alpha === 255 && dark([red, green, blue])) continue;
        wrong.add(`${page}: ${picture.src} is rgba(${[red, green, blue, alpha]})`);
      }
      frame.remove();
    }
})().catch(problem => wrong.add(String(problem.stack))).then(() => {
  document.getElementById('result').textContent = JSON.stringify({ wrong: [...wrong], seen });
});
</script>
JS
close $html or die "could not write: $!";

# 0 means dark
$result = look('dark.html', '--blink-settings=preferredColorScheme=0');
is(join("\n", @{ $result->{wrong} }), '', 'in dark mode pages are dark and text is legible');
%seen = %{ $result->{seen} };
note(join ', ', map { "$_: $seen{$_}" } sort keys %seen);
cmp_ok($seen{$_}, '>', 0, "dark mode: there were some to look at: $_") foreach sort keys %seen;

done_testing();
