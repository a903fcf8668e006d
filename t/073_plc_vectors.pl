# The public vectors of PLC: audit logs that a verifier must accept, and logs that it must refuse.
#
# Reads audit_log/ of $ATID_PLC_DIR, or of ../shared/fixtures/plc beside the project, and shows of their operations that
# - each has the form of an operation, except those whose sig is not base64url;
# - its block has the CID in the log, and a genesis operation has the log's DID;
# - each is signed by a key of the operation before, or of its own, except those whose signature is refused (DER,
#   and a high s on either curve) and one that follows a tombstone, which has no keys.
#
# The rules of a whole log (which operation may nullify which, and when) are not tested here.
#
# Skipped without the vectors or atid_crypto.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/lib";

use AtidTest;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $folder = $ENV{ATID_PLC_DIR} || "$FindBin::Bin/../../shared/fixtures/plc";
plan skip_all => "no vectors of PLC in $folder: set ATID_PLC_DIR to the folder that has them"
  unless -d "$folder/audit_log";

my $node = new_node('plc_vectors');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my $db = new_database($node, 'vectors');
$node->safe_psql($db, 'CREATE EXTENSION atid_crypto');

my $json = JSON::PP->new->canonical;
my @rows;
foreach my $file (sort glob "$folder/audit_log/*/*.json")
{
	my ($verdict, $name) = $file =~ m{/(\w+)/log_(\w+)\.json\z};
	my $n = 0;
	foreach my $entry (@{ decode_json(slurp_file($file)) })
	{
		push @rows, join("\t", $verdict, $name, $n++, $json->encode($entry) =~ s/\\/\\\\/gr);
	}
}
my $dir = PostgreSQL::Test::Utils::tempdir('plc');
PostgreSQL::Test::Utils::append_to_file("$dir/entries", join("\n", @rows) . "\n");
$node->safe_psql($db, <<"SQL");
CREATE TABLE entry (verdict text, log text, n int, entry jsonb);
\\copy entry FROM '$dir/entries'
CREATE VIEW operation AS
SELECT verdict, log, n, entry->>'did' AS did, entry->>'cid' AS cid, entry->'operation' AS operation,
       atid.plc_operation_problem(entry->'operation') AS problem
FROM entry;
CREATE VIEW allowed AS
SELECT o.log, o.n, o.operation, k.key
FROM operation o
JOIN operation p ON p.log = o.log AND (p.cid = o.operation->>'prev' OR (o.operation->'prev' = 'null' AND p.n = o.n)),
     LATERAL (SELECT jsonb_array_elements_text(p.operation->'rotationKeys')
              UNION ALL SELECT p.operation->>field FROM unnest('{recoveryKey,signingKey}'::text[]) AS field
              WHERE p.operation->>'type' = 'create') AS k (key);
SQL

sub is_query
{
	my ($query, $rows, $name) = @_;
	is($node->safe_psql($db, $query), $rows, $name);
	return;
}

is_query('SELECT verdict, count(DISTINCT log) FROM entry GROUP BY 1 ORDER BY 1', "invalid|10\nvalid|10", 'logs read');
is_query(
	'SELECT log, problem FROM operation WHERE problem IS NOT NULL ORDER BY 1',
	join("\n",
		map { "invalid_sig_b64_$_|\$.sig: The value must be 64 bytes in base64url without padding, its spare bits zero." }
		  qw(newline padding_bits padding_chars)),
	'what has not the form of an operation');
is_query('SELECT log, n FROM operation WHERE atid.record_cid(operation)::text <> cid', '', 'the CIDs');
is_query(
	"SELECT log FROM operation WHERE operation->'prev' = 'null' AND problem IS NULL AND atid.plc_did(operation) <> did",
	'', 'the DIDs');
is_query(
	'SELECT log, n FROM operation WHERE problem IS NULL AND NOT EXISTS (SELECT FROM allowed '
	  . 'WHERE (log, n) = (operation.log, operation.n) AND atid.plc_operation_is_signed_by(allowed.operation, key)) ORDER BY 1',
	"invalid_sig_der|0\ninvalid_sig_k256_high_s|0\ninvalid_sig_p256_high_s|0\ninvalid_update_tombstoned|2",
	'what no allowed key has signed');

$node->stop;
done_testing();
