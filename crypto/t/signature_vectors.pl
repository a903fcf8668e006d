# Test vectors of keys and signatures: ours in t/vectors, and the AT Protocol's public ones where they are
# available (AtidTest::Interop).
#
# Shows that
# - each valid signature of signature-fixtures.json is valid, with the key as did:key and as multikey; each
#   invalid one is refused for the reason in its tag, because the same signature is accepted with a low s, or
#   taken out of its DER; signatures with a high s are valid where either is allowed;
# - the key of the legacy field publicKeyMultibase, which has no codec, is refused as such, and is the same
#   point as the did:key's;
# - each public key of the w3c_didkey files is the point that openssl derives from its private key.
#
# Skipped without atid_crypto.
#
# Tags: quick crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Interop;
use JSON::PP;
use Math::BigInt;
use MIME::Base64;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('crypto_interop', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my $db = new_database($node, 'vectors');
$node->safe_psql($db, 'CREATE EXTENSION atid_crypto');
my $session = AtidTest::Session->new($node, $db);

my @folders = vector_folders('crypto');

sub vectors { return map { @{ decode_json(slurp_file("$_/crypto/$_[0]")) } } @folders; }

sub bytea { return "'\\x" . unpack('H*', $_[0]) . "'"; }

# The value of a Base58 text, as a number.
sub base58_bytes
{
	my ($text) = @_;
	my $number = Math::BigInt->new(0);
	$number = $number * 58 + index('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', $_)
	  foreach split //, $text;
	my $hex = substr $number->as_hex, 2;
	return pack 'H*', length($hex) % 2 ? "0$hex" : $hex;
}

my %curve = (
	ES256 => {
		name  => 'p256',
		oid   => '06082a8648ce3d030107',
		order => '0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'
	},
	ES256K => {
		name  => 'k256',
		oid   => '06052b8104000a',
		order => '0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
	});

# r and s of 32 bytes, with the lower of the two equivalent values of s.
sub low_s
{
	my ($curve, $r, $s) = @_;
	my $order = Math::BigInt->new($curve->{order});
	my $number = Math::BigInt->new('0x' . unpack 'H*', $s);
	$number = $order - $number if $number * 2 > $order;
	my $hex = substr $number->as_hex, 2;
	return $r . pack 'H*', '0' x (64 - length $hex) . $hex;
}

# A number from DER in 32 bytes.
sub scalar_of { return substr("\0" x 32 . $_[0], -32); }

my %tags;
foreach my $v (vectors('signature-fixtures.json'))
{
	my $name      = $v->{comment};
	my $curve     = $curve{ $v->{algorithm} };
	my $key       = $v->{publicKeyDid};
	my $message   = bytea(decode_base64($v->{messageBase64}));
	my $signature = decode_base64($v->{signatureBase64});
	my $word      = $v->{validSignature} ? 't' : 'f';
	my ($bare)    = $key =~ /^did:key:(.*)/;

	my $ask = sub { $session->ok("SELECT atid.signature_is_valid($message, " . bytea($_[0]) . ", '$_[1]')") };
	is($ask->($signature, $key),  $word, "$name: did:key");
	is($ask->($signature, $bare), $word, "$name: multikey");
	is($session->ok("SELECT atid.did_key_curve('$key')"), $curve->{name}, "$name: the curve");

	my $point = base58_bytes(substr $v->{publicKeyMultibase}, 1);
	is($session->ok("SELECT atid.did_key_public_key('$key') = " . bytea($point)), 't', "$name: the point");
	is($session->ok("SELECT atid.did_key_make('$curve->{name}', " . bytea($point) . ')'),
		$key, "$name: did_key_make");
	my ($out, $state, $err) = $session->try("SELECT atid.did_key_curve('$v->{publicKeyMultibase}')");
	like($err, qr/must have a codec in front of its point/, "$name: the legacy form is refused");

	my $either = $v->{validSignature} || grep { $_ eq 'high-s' } @{ $v->{tags} };
	is($session->ok("SELECT atid.signature_is_valid($message, " . bytea($signature) . ", '$key', either_s => true)"),
		$either ? 't' : 'f', "$name: with either s");

	$tags{$_}++ foreach @{ $v->{tags} };
	my $other;
	if (grep { $_ eq 'high-s' } @{ $v->{tags} })
	{
		$other = low_s($curve, substr($signature, 0, 32), substr($signature, 32));
	}
	elsif (grep { $_ eq 'der-encoded' } @{ $v->{tags} })
	{
		my ($r, $s) = $signature =~ /^\x30.\x02(?:\x20|\x21\0)(.{32})\x02(?:\x20|\x21\0)(.{32})\z/s;
		$other = low_s($curve, $r, $s);
	}
	if (defined $other)
	{
		isnt($other, $signature, "$name: in the form that is asked for");
		is($ask->($other, $key), 't', "$name: and valid");
	}
}
is_deeply(\%tags, { 'high-s' => 2 * @folders, 'der-encoded' => 2 * @folders }, 'signatures read');

#
# Private keys: openssl derives the point.
#
sub openssl_point
{
	my ($curve, $private) = @_;
	my $sec1 = "\x02\x01\x01\x04\x20$private\xa0" . pack('C/a*', pack 'H*', $curve->{oid});
	my ($out, $err);
	IPC::Run::run(
		[ 'openssl', 'ec', '-inform', 'DER', '-pubout', '-outform', 'DER', '-conv_form', 'compressed' ],
		'<', \("\x30" . pack('C/a*', $sec1)),
		'>', \$out, '2>', \$err)
	  or die "openssl ec failed: $err";
	return substr $out, -33;
}

SKIP:
{
	skip 'openssl is not in the PATH', 1 unless grep { -x "$_/openssl" } split /:/, $ENV{PATH};
	my $count = 0;

	foreach my $file ([ 'w3c_didkey_K256.json', 'ES256K' ], [ 'w3c_didkey_P256.json', 'ES256' ])
	{
		foreach my $v (vectors($file->[0]))
		{
			my $curve = $curve{ $file->[1] };
			my $private =
			  defined $v->{privateKeyBytesHex}
			  ? pack('H*', $v->{privateKeyBytesHex})
			  : scalar_of(base58_bytes($v->{privateKeyBytesBase58}));
			my $point = bytea(openssl_point($curve, $private));
			is( $session->ok("SELECT atid.did_key_make('$curve->{name}', $point), atid.did_key_public_key('$v->{publicDidKey}') = $point"
				),
				"$v->{publicDidKey}|t",
				"$file->[0]: the key of the private one");
			$count++;
		}
	}
	is($count, 6 * @folders, 'keys read');
}

$session->quit;
$node->stop;
done_testing();
