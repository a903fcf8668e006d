/*-------------------------------------------------------------------------
 *
 * cid.c
 *		The type atid.cid_link: content identifiers, version 1.
 *
 * A CID names a block by the hash of its bytes.  The type holds any well-formed
 * CIDv1, as its bytes in a varlena:
 *
 *		version (1) | codec | hash | digest length | digest
 *
 * the first four as varints in their shortest form (multiformat.c).  The CIDs
 * that the protocol makes, the blessed ones, have codec dag-cbor or raw and a
 * full SHA-256: 36 bytes, of which the first four are one of two constants.
 *
 * The text form is 'b' and the bytes in base32, lower case, without padding.
 * The binary form is the bytes.  The order is that of the bytes.  The texts sort
 * differently, because the digits 2 to 7 come after the letters in base32 and
 * before them in ASCII.
 *
 * Every value of the type is well-formed: input, the binary form and the cast
 * from bytea parse it.  Comparison, hashing and output take its bytes as they
 * are; cid_codec, cid_hash and cid_digest parse it again for its parts.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "libpq/pqformat.h"
#include "port/pg_bswap.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/sortsupport.h"

#include "cid.h"
#include "codec/bytes.h"
#include "codec/cbor/multiformat.h"
#include "codec/text/format.h"
#include "compat.h"
#include "datum.h"
#include "error.h"
#include "function.h"
#include "sha256.h"


/*
 * Values
 */

Datum
atid_cid_of_block(uint64_t codec, const void *block, size_t len)
{
	uint8_t		bytes[ATID_CID_HEAD_MAX_LEN + ATID_SHA2_256_LEN];
	size_t		head = atid_cid_head(codec, ATID_HASH_SHA2_256, ATID_SHA2_256_LEN, bytes);

	atid_sha256_once(block, len, bytes + head);
	return atid_bytes_datum(bytes, head + ATID_SHA2_256_LEN);
}

/* The parts of a value. */
static AtidCid
parse_cid_link(bytea *link)
{
	AtidCid		cid;
	size_t		at;

	if (atid_cid_parse((const uint8_t *) VARDATA_ANY(link),
					   VARSIZE_ANY_EXHDR(link), &cid, &at) != ATID_OK)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("value of type %s is damaged", "atid.cid_link")));
	return cid;
}


/*
 * Input and output
 */

PG_FUNCTION_INFO_V1(atid_cid_link_in);
Datum
atid_cid_link_in(PG_FUNCTION_ARGS)
{
	char	   *str = PG_GETARG_CSTRING(0);
	size_t		len = strlen(str);
	bytea	   *result = palloc(VARHDRSZ + atid_cid_bytes_len(len));
	size_t		at = 0;
	AtidFault	fault;

	fault = atid_cid_from_text(str, len, (uint8_t *) VARDATA(result), &at);
	if (fault != ATID_OK)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"",
						"atid.cid_link", atid_quote(str, len)),
				 errdetail("%s", atid_fault_at_character(fault, at))));
	SET_VARSIZE(result, VARHDRSZ + atid_cid_bytes_len(len));
	PG_RETURN_BYTEA_P(result);
}

ATID_FROM_CHAR(atid_cid_link_from_char, atid_cid_link_in)

PG_FUNCTION_INFO_V1(atid_cid_link_out);
Datum
atid_cid_link_out(PG_FUNCTION_ARGS)
{
	bytea	   *link = PG_GETARG_BYTEA_PP(0);
	size_t		len = VARSIZE_ANY_EXHDR(link);
	char	   *result = palloc(atid_cid_text_len(len) + 1);

	atid_cid_to_text((const uint8_t *) VARDATA_ANY(link), len, result);
	result[atid_cid_text_len(len)] = '\0';
	PG_RETURN_CSTRING(result);
}

PG_FUNCTION_INFO_V1(atid_cid_link_recv);
Datum
atid_cid_link_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len = buf->len - buf->cursor;
	const char *bytes = pq_getmsgbytes(buf, len);
	AtidCid		cid;
	size_t		at;
	AtidFault	fault = atid_cid_parse((const uint8_t *) bytes, len, &cid, &at);

	if (fault != ATID_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid binary representation for type %s", "atid.cid_link"),
				 errdetail("%s", atid_fault_at_byte(fault, at))));
	return atid_bytes_datum((const uint8_t *) bytes, len);
}

PG_FUNCTION_INFO_V1(atid_cid_link_send);
Datum
atid_cid_link_send(PG_FUNCTION_ARGS)
{
	return byteasend(fcinfo);
}


/*
 * Codecs and hashes: common ones have their names in the multicodec table, others
 * are a number in hex
 */

typedef struct CodeName
{
	uint64_t	code;
	const char *name;
} CodeName;

static const CodeName codecs[] = {
	{ATID_CODEC_DAG_CBOR, "dag-cbor"},
	{ATID_CODEC_RAW, "raw"},
	{0x51, "cbor"},
	{0x70, "dag-pb"},
	{0x72, "libp2p-key"},
	{0x0129, "dag-json"},
	{0x0200, "json"},
	{0, NULL}
};

static const CodeName hashes[] = {
	{ATID_HASH_SHA2_256, "sha2-256"},
	{0x00, "identity"},
	{0x11, "sha1"},
	{0x13, "sha2-512"},
	{0x1e, "blake3"},
	{0xb220, "blake2b-256"},
	{0, NULL}
};

static text *
name_of_code(const CodeName *names, uint64_t code)
{
	for (; names->name != NULL; names++)
	{
		if (names->code == code)
			return cstring_to_text(names->name);
	}
	return cstring_to_text(psprintf("0x%llx", (unsigned long long) code));
}

/*
 * The codec of an SQL argument, which must be one of the two of blessed CIDs.
 */
static uint64_t
blessed_codec(text *name)
{
	for (const CodeName *c = codecs; c < codecs + 2; c++)
	{
		if (VARSIZE_ANY_EXHDR(name) == strlen(c->name) &&
			memcmp(VARDATA_ANY(name), c->name, strlen(c->name)) == 0)
			return c->code;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized codec: \"%s\"",
					atid_quote(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name))),
			 errdetail("The codec of a CID must be \"dag-cbor\" or \"raw\".")));
}

/*
 * cid_make(codec, digest): the blessed CID of a SHA-256 computed elsewhere.
 */
PG_FUNCTION_INFO_V1(atid_cid_make);
Datum
atid_cid_make(PG_FUNCTION_ARGS)
{
	uint64_t	codec = blessed_codec(PG_GETARG_TEXT_PP(0));
	bytea	   *digest = PG_GETARG_BYTEA_PP(1);
	uint8_t		bytes[ATID_CID_HEAD_MAX_LEN + ATID_SHA2_256_LEN];
	size_t		head;

	if (VARSIZE_ANY_EXHDR(digest) != ATID_SHA2_256_LEN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid length for a digest"),
				 errdetail("A SHA-256 digest must have %d bytes, not %d.",
						   ATID_SHA2_256_LEN, (int) VARSIZE_ANY_EXHDR(digest))));
	head = atid_cid_head(codec, ATID_HASH_SHA2_256, ATID_SHA2_256_LEN, bytes);
	memcpy(bytes + head, VARDATA_ANY(digest), ATID_SHA2_256_LEN);
	return atid_bytes_datum(bytes, head + ATID_SHA2_256_LEN);
}

/*
 * cid_of(block, codec): the blessed CID of these bytes, which are not checked to
 * be of that codec.
 */
PG_FUNCTION_INFO_V1(atid_cid_of);
Datum
atid_cid_of(PG_FUNCTION_ARGS)
{
	bytea	   *block = PG_GETARG_BYTEA_PP(0);
	uint64_t	codec = blessed_codec(PG_GETARG_TEXT_PP(1));

	return atid_cid_of_block(codec, VARDATA_ANY(block), VARSIZE_ANY_EXHDR(block));
}


/*
 * Accessors
 */

PG_FUNCTION_INFO_V1(atid_cid_codec);
Datum
atid_cid_codec(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(name_of_code(codecs, parse_cid_link(PG_GETARG_BYTEA_PP(0)).codec));
}

PG_FUNCTION_INFO_V1(atid_cid_hash);
Datum
atid_cid_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(name_of_code(hashes, parse_cid_link(PG_GETARG_BYTEA_PP(0)).hash));
}

PG_FUNCTION_INFO_V1(atid_cid_digest);
Datum
atid_cid_digest(PG_FUNCTION_ARGS)
{
	AtidCid		cid = parse_cid_link(PG_GETARG_BYTEA_PP(0));

	return atid_bytes_datum(cid.digest, cid.digest_len);
}

/*
 * cid_is_blessed(cid_link): is it a CID that the protocol makes?
 */
PG_FUNCTION_INFO_V1(atid_cid_is_blessed_link);
Datum
atid_cid_is_blessed_link(PG_FUNCTION_ARGS)
{
	bytea	   *link = PG_GETARG_BYTEA_PP(0);

	PG_RETURN_BOOL(atid_cid_is_blessed((const uint8_t *) VARDATA_ANY(link),
									   VARSIZE_ANY_EXHDR(link)));
}

/*
 * cid_is_valid(text): would this text be taken as a cid_link?
 */
PG_FUNCTION_INFO_V1(atid_cid_is_valid);
Datum
atid_cid_is_valid(PG_FUNCTION_ARGS)
{
	text	   *str = PG_GETARG_TEXT_PP(0);
	size_t		len = VARSIZE_ANY_EXHDR(str);
	uint8_t    *bytes = palloc(atid_cid_bytes_len(len) + 1);
	size_t		at;
	bool		result;

	result = atid_cid_from_text(VARDATA_ANY(str), len, bytes, &at) == ATID_OK;
	pfree(bytes);
	PG_RETURN_BOOL(result);
}

/*
 * cid_string_is_valid(text): does this text have Lexicon's string format "cid"?
 */
PG_FUNCTION_INFO_V1(atid_cid_string_is_valid);
Datum
atid_cid_string_is_valid(PG_FUNCTION_ARGS)
{
	text	   *str = PG_GETARG_TEXT_PP(0);
	size_t		at;

	PG_RETURN_BOOL(atid_cid_string_scan(VARDATA_ANY(str), VARSIZE_ANY_EXHDR(str),
										&at) == ATID_OK);
}


/*
 * Order and equality are bytea's
 */

ATID_FUNCTION(atid_cid_link_eq, byteaeq(fcinfo))
ATID_FUNCTION(atid_cid_link_ne, byteane(fcinfo))
ATID_FUNCTION(atid_cid_link_lt, bytealt(fcinfo))
ATID_FUNCTION(atid_cid_link_le, byteale(fcinfo))
ATID_FUNCTION(atid_cid_link_gt, byteagt(fcinfo))
ATID_FUNCTION(atid_cid_link_ge, byteage(fcinfo))
ATID_FUNCTION(atid_cid_link_cmp, byteacmp(fcinfo))
ATID_FUNCTION(atid_cid_link_hash, hashvarlena(fcinfo))
ATID_FUNCTION(atid_cid_link_hash_extended, hashvarlenaextended(fcinfo))
ATID_FUNCTION(atid_cid_link_larger, PG_GETARG_DATUM(DatumGetInt32(byteacmp(fcinfo)) > 0 ? 0 : 1))
ATID_FUNCTION(atid_cid_link_smaller, PG_GETARG_DATUM(DatumGetInt32(byteacmp(fcinfo)) < 0 ? 0 : 1))

static int
compare_cid_links(Datum x, Datum y, SortSupport ssup)
{
	bytea	   *a = DatumGetByteaPP(x);
	bytea	   *b = DatumGetByteaPP(y);
	int			result = atid_bytes_cmp(VARDATA_ANY(a), VARSIZE_ANY_EXHDR(a),
										VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b));

	if (DatumGetPointer(x) != (Pointer) a)
		pfree(a);
	if (DatumGetPointer(y) != (Pointer) b)
		pfree(b);
	return result;
}

static uint64
first_word(const char *bytes, size_t len)
{
	uint64		word = 0;

	memcpy(&word, bytes, Min(len, sizeof(word)));
	return pg_ntoh64(word);
}

/*
 * The abbreviated key.  The first four bytes of nearly every CID are one of two
 * constants, which would waste half of the key.  So the key is a class of three
 * bits, and 61 bits that follow:
 *
 *		0	below 01 55 12 20		the first 61 bits
 *		1	01 55 12 20, raw		61 bits of the digest
 *		2	between the two			the first 61 bits
 *		3	01 71 12 20, dag-cbor	61 bits of the digest
 *		4	above					the first 61 bits
 *
 * Classes sort in the order of the bytes, and so do the bits within each class.
 */
static Datum
abbreviate_cid_link(Datum original, SortSupport ssup)
{
	bytea	   *link = DatumGetByteaPP(original);
	const char *bytes = VARDATA_ANY(link);
	size_t		len = VARSIZE_ANY_EXHDR(link);
	uint64		word = first_word(bytes, len);
	uint32		prefix = (uint32) (word >> 32);
	uint64		class;

	if (prefix == 0x01551220 || prefix == 0x01711220)
	{
		class = prefix == 0x01551220 ? 1 : 3;
		word = first_word(bytes + 4, len - 4);
	}
	else
		class = prefix < 0x01551220 ? 0 : prefix < 0x01711220 ? 2 : 4;

	if (DatumGetPointer(original) != (Pointer) link)
		pfree(link);
	return UInt64GetDatum(class << 61 | word >> 3);
}

/*
 * Never give up abbreviated keys: digests differ in their first bits, unless
 * the CIDs are equal.
 */
static bool
keep_abbreviating(int memtupcount, SortSupport ssup)
{
	return false;
}

PG_FUNCTION_INFO_V1(atid_cid_link_sortsupport);
Datum
atid_cid_link_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->comparator = compare_cid_links;
	if (ssup->abbreviate)
	{
		ssup->comparator = ssup_datum_unsigned_cmp;
		ssup->abbrev_converter = abbreviate_cid_link;
		ssup->abbrev_abort = keep_abbreviating;
		ssup->abbrev_full_comparator = compare_cid_links;
	}
	PG_RETURN_VOID();
}


/*
 * Casts
 */

PG_FUNCTION_INFO_V1(atid_cid_link_from_bytea);
Datum
atid_cid_link_from_bytea(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	AtidCid		cid;
	size_t		at = 0;
	AtidFault	fault = atid_cid_parse((const uint8_t *) VARDATA_ANY(bytes),
									   VARSIZE_ANY_EXHDR(bytes), &cid, &at);

	if (fault != ATID_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid CID"),
				 errdetail("%s", atid_fault_at_byte(fault, at))));
	PG_RETURN_BYTEA_P(bytes);
}
