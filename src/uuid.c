/*-------------------------------------------------------------------------
 *
 * uuid.c
 *		UUIDs of RFC 9562, as the server's own type uuid.
 *
 * All fields are big-endian.  Bits 48 to 51 are the version, and bits 64 and 65
 * the variant, 10 (sections 4.1 and 4.2).  Sections are those of the RFC.
 *
 *	v1	5.1	time_low 32 | time_mid 16 | 0001 | time_high 12 | 10 |
 *			clock_seq 14 | node 48
 *	v3	5.3	MD5 of namespace and name, version and variant overwritten
 *	v4	5.4	random, version and variant overwritten
 *	v5	5.5	SHA-1 of namespace and name, the first 128 bits, overwritten likewise
 *	v6	5.6	time_high 32 | time_mid 16 | 0110 | time_low 12 | 10 |
 *			clock_seq 14 | node 48
 *	v7	5.7	unix_ts_ms 48 | 0111 | rand_a 12 | 10 | rand_b 62
 *	v8	5.8	custom; here what the caller gives, or SHA-256 (appendix B.2)
 *
 * The time of v1 and v6 is 60 bits of 100 ns since 1582.  rand_a of a v7 that is
 * generated here holds the fraction of the millisecond (section 6.2, method 3),
 * so that the values of one millisecond rise; rand_b is random in each.
 *
 * Inside, a UUID is two 64-bit halves in host order.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "common/int.h"
#include "common/md5.h"
#include "common/sha1.h"
#include "common/sha2.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "port/pg_bswap.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "codec/text/datetime.h"
#include "codec/text/syntax.h"
#include "compat.h"
#include "error.h"
#include "function.h"
#include "generator/clock.h"
#include "generator/generator.h"
#include "generator/random.h"
#include "sha256.h"

#define VERSION_MASK	UINT64CONST(0xF000)
#define VARIANT_MASK	UINT64CONST(0xC000000000000000)
#define VARIANT_RFC		UINT64CONST(0x8000000000000000)

/* The node of v1 and v6, and two bits of its first octet (section 6.10). */
#define NODE_MASK		UINT64CONST(0x0000FFFFFFFFFFFF)
#define NODE_MULTICAST	UINT64CONST(0x0000010000000000)
#define NODE_LOCAL		UINT64CONST(0x0000020000000000)

typedef struct Halves
{
	uint64		high;
	uint64		low;
} Halves;


/*
 * Fields
 */

static inline Halves
split_uuid(const pg_uuid_t *uuid)
{
	Halves		h;

	memcpy(&h, uuid->data, UUID_LEN);
	h.high = pg_ntoh64(h.high);
	h.low = pg_ntoh64(h.low);
	return h;
}

static inline pg_uuid_t *
join_uuid(uint64 high, uint64 low)
{
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));
	Halves		h;

	h.high = pg_hton64(high);
	h.low = pg_hton64(low);
	memcpy(uuid->data, &h, UUID_LEN);
	return uuid;
}

/* The UUID of these bits, with its version and variant set. */
static inline pg_uuid_t *
make_uuid(uint64 high, int version, uint64 low)
{
	return join_uuid((high & ~VERSION_MASK) | (uint64) version << 12,
					 (low & ~VARIANT_MASK) | VARIANT_RFC);
}

/* The version; -1 if the variant is not the RFC's. */
static inline int
rfc_version(Halves h)
{
	if ((h.low & VARIANT_MASK) != VARIANT_RFC)
		return -1;
	return (int) ((h.high & VERSION_MASK) >> 12);
}

/*
 * Where the bits of a time stand in the high half.  A v1 has the low 32 bits of
 * its time first, a v6 the high ones.
 */
static inline uint64
high_of_v1(uint64 tick)
{
	return (tick & 0xFFFFFFFF) << 32 | ((tick >> 32) & 0xFFFF) << 16 | tick >> 48;
}

static inline uint64
tick_of_v1(uint64 high)
{
	return (high & 0xFFF) << 48 | ((high >> 16) & 0xFFFF) << 32 | high >> 32;
}

static inline uint64
high_of_v6(uint64 tick)
{
	return (tick >> 12) << 16 | (tick & 0xFFF);
}

static inline uint64
tick_of_v6(uint64 high)
{
	return (high >> 16) << 12 | (high & 0xFFF);
}

/* The tick of a v7 is milliseconds << 12 | fraction: the version cuts it as in a v6. */
static inline uint64
high_of_v7(uint64 tick)
{
	return high_of_v6(tick);
}

static inline uint64
tick_of_v7(uint64 high)
{
	return tick_of_v6(high);
}


/*
 * Generating: by time, and at random
 */

PG_FUNCTION_INFO_V1(atid_uuid_generate_v1);
Datum
atid_uuid_generate_v1(PG_FUNCTION_ARGS)
{
	uint64		node;
	uint64		tick = atid_generator_next_gregorian(&node);

	PG_RETURN_UUID_P(make_uuid(high_of_v1(tick), 1, node));
}

/*
 * uuid_generate_v1mc(): a version 1 UUID with a random node, whose bits for
 * multicast and local administration are set, as in uuid-ossp.  Time and clock
 * sequence are the stream's.
 */
PG_FUNCTION_INFO_V1(atid_uuid_generate_v1mc);
Datum
atid_uuid_generate_v1mc(PG_FUNCTION_ARGS)
{
	uint64		node;
	uint64		tick = atid_generator_next_gregorian(&node);

	node = (node & ~NODE_MASK) | (atid_random_bits() & NODE_MASK) | NODE_MULTICAST | NODE_LOCAL;
	PG_RETURN_UUID_P(make_uuid(high_of_v1(tick), 1, node));
}

PG_FUNCTION_INFO_V1(atid_uuid_generate_v4);
Datum
atid_uuid_generate_v4(PG_FUNCTION_ARGS)
{
	uint64		high = atid_random_bits();

	PG_RETURN_UUID_P(make_uuid(high, 4, atid_random_bits()));
}

PG_FUNCTION_INFO_V1(atid_uuid_generate_v6);
Datum
atid_uuid_generate_v6(PG_FUNCTION_ARGS)
{
	uint64		node;
	uint64		tick = atid_generator_next_gregorian(&node);

	PG_RETURN_UUID_P(make_uuid(high_of_v6(tick), 6, node));
}

PG_FUNCTION_INFO_V1(atid_uuid_generate_v7);
Datum
atid_uuid_generate_v7(PG_FUNCTION_ARGS)
{
	uint64		tick = atid_generator_next_v7();

	PG_RETURN_UUID_P(make_uuid(high_of_v7(tick), 7, atid_random_bits()));
}

pg_noreturn static void
raise_v7_out_of_range(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("%s out of range for a version 7 UUID", what),
			 errdetail("The time of a version 7 UUID must be from 1970-01-01 to 10889-08-02 05:31:50.655 UTC.")));
}

/*
 * uuid_generate_v7(interval): a new value with its time shifted.  The stream does
 * not change.  The interval is added as timestamptz + interval adds it: months
 * and days follow the calendar of the session's time zone.
 */
PG_FUNCTION_INFO_V1(atid_uuid_generate_v7_interval);
Datum
atid_uuid_generate_v7_interval(PG_FUNCTION_ARGS)
{
	uint64		tick = atid_generator_next_v7();
	TimestampTz drawn;
	TimestampTz shifted;
	int64		us;
	uint64		result;

	drawn = (TimestampTz) atid_tick_to_us(ATID_TICK_V7, tick) - ATID_POSTGRES_EPOCH_US;
	shifted = DatumGetTimestampTz(DirectFunctionCall2(timestamptz_pl_interval,
													  TimestampTzGetDatum(drawn),
													  PG_GETARG_DATUM(0)));

	if (TIMESTAMP_NOT_FINITE(shifted) ||
		pg_sub_s64_overflow(shifted, drawn, &us) ||
		!atid_tick_shift_v7(tick, us, &result))
		raise_v7_out_of_range("shifted timestamp");
	PG_RETURN_UUID_P(make_uuid(high_of_v7(result), 7, atid_random_bits()));
}


/*
 * Generating: by name
 */

/*
 * The UUID of a name in a namespace (sections 5.3, 5.5, 6.5): the first 128 bits
 * of the hash of the namespace's 16 bytes followed by the name.
 */
static pg_uuid_t *
hash_name(pg_cryptohash_type type, int version, const pg_uuid_t *ns,
		  const char *name, size_t len)
{
	uint8		digest[PG_SHA256_DIGEST_LENGTH];
	pg_cryptohash_ctx *ctx = pg_cryptohash_create(type);
	size_t		digest_len = type == PG_MD5 ? MD5_DIGEST_LENGTH :
		type == PG_SHA1 ? SHA1_DIGEST_LENGTH : PG_SHA256_DIGEST_LENGTH;
	Halves		h;

	if (ctx == NULL ||
		pg_cryptohash_init(ctx) < 0 ||
		pg_cryptohash_update(ctx, ns->data, UUID_LEN) < 0 ||
		!atid_hash_update(ctx, name, len) ||
		pg_cryptohash_final(ctx, digest, digest_len) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not compute the hash of a version %d UUID: %s",
						version, pg_cryptohash_error(ctx))));
	pg_cryptohash_free(ctx);

	StaticAssertStmt(MD5_DIGEST_LENGTH >= UUID_LEN, "the shortest hash fills a UUID");
	h = split_uuid((const pg_uuid_t *) digest);
	return make_uuid(h.high, version, h.low);
}

/*
 * A text is hashed as its UTF-8, whatever the encoding of the database, so that
 * a name has the same UUID in all databases.  The functions are immutable, which
 * supposes that the server's conversion to UTF-8 never changes.
 */
static pg_uuid_t *
hash_name_text(FunctionCallInfo fcinfo, pg_cryptohash_type type, int version)
{
	text	   *name = PG_GETARG_TEXT_PP(1);
	char	   *raw = VARDATA_ANY(name);
	int			len = VARSIZE_ANY_EXHDR(name);
	char	   *utf8 = pg_server_to_any(raw, len, PG_UTF8);

	return hash_name(type, version, PG_GETARG_UUID_P(0), utf8,
					 utf8 == raw ? (size_t) len : strlen(utf8));
}

static pg_uuid_t *
hash_name_bytea(FunctionCallInfo fcinfo, pg_cryptohash_type type, int version)
{
	bytea	   *name = PG_GETARG_BYTEA_PP(1);

	return hash_name(type, version, PG_GETARG_UUID_P(0),
					 VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

ATID_FUNCTION(atid_uuid_generate_v3, UUIDPGetDatum(hash_name_text(fcinfo, PG_MD5, 3)))
ATID_FUNCTION(atid_uuid_generate_v3_bytea, UUIDPGetDatum(hash_name_bytea(fcinfo, PG_MD5, 3)))
ATID_FUNCTION(atid_uuid_generate_v5, UUIDPGetDatum(hash_name_text(fcinfo, PG_SHA1, 5)))
ATID_FUNCTION(atid_uuid_generate_v5_bytea, UUIDPGetDatum(hash_name_bytea(fcinfo, PG_SHA1, 5)))
ATID_FUNCTION(atid_uuid_generate_v8_text, UUIDPGetDatum(hash_name_text(fcinfo, PG_SHA256, 8)))
ATID_FUNCTION(atid_uuid_generate_v8_bytea, UUIDPGetDatum(hash_name_bytea(fcinfo, PG_SHA256, 8)))


/*
 * Generating: from given bytes, and the constants
 */

static const pg_uuid_t *
uuid_bytes(bytea *bytes)
{
	if (VARSIZE_ANY_EXHDR(bytes) != UUID_LEN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid length for a UUID"),
				 errdetail("A UUID must have %d bytes, not %d.",
						   UUID_LEN, (int) VARSIZE_ANY_EXHDR(bytes))));
	return (const pg_uuid_t *) VARDATA_ANY(bytes);
}

/*
 * uuid_generate_v8(bytea): 16 bytes of the caller's, of which only version and
 * variant are overwritten.
 */
PG_FUNCTION_INFO_V1(atid_uuid_generate_v8);
Datum
atid_uuid_generate_v8(PG_FUNCTION_ARGS)
{
	Halves		h = split_uuid(uuid_bytes(PG_GETARG_BYTEA_PP(0)));

	PG_RETURN_UUID_P(make_uuid(h.high, 8, h.low));
}

ATID_FUNCTION(atid_uuid_nil, UUIDPGetDatum(join_uuid(0, 0)))
ATID_FUNCTION(atid_uuid_max, UUIDPGetDatum(join_uuid(PG_UINT64_MAX, PG_UINT64_MAX)))

/* The namespaces of section 6.6 differ in one octet. */
static pg_uuid_t *
rfc_namespace(uint64 octet)
{
	return join_uuid(UINT64CONST(0x6ba7b8009dad11d1) | octet << 32,
					 UINT64CONST(0x80b400c04fd430c8));
}

ATID_FUNCTION(atid_uuid_ns_dns, UUIDPGetDatum(rfc_namespace(0x10)))
ATID_FUNCTION(atid_uuid_ns_url, UUIDPGetDatum(rfc_namespace(0x11)))
ATID_FUNCTION(atid_uuid_ns_oid, UUIDPGetDatum(rfc_namespace(0x12)))
ATID_FUNCTION(atid_uuid_ns_x500, UUIDPGetDatum(rfc_namespace(0x14)))


/*
 * Inspecting
 */

/*
 * uuid_extract_version(uuid): NULL if the variant is not the RFC's; others have
 * no versions.
 */
PG_FUNCTION_INFO_V1(atid_uuid_extract_version);
Datum
atid_uuid_extract_version(PG_FUNCTION_ARGS)
{
	int			version = rfc_version(split_uuid(PG_GETARG_UUID_P(0)));

	if (version < 0)
		PG_RETURN_NULL();
	PG_RETURN_INT16((int16) version);
}

/*
 * uuid_extract_variant(uuid): its name.  Variants are prefixes of one to three
 * bits (section 4.1, table 1), so they have no number to return.
 */
PG_FUNCTION_INFO_V1(atid_uuid_extract_variant);
Datum
atid_uuid_extract_variant(PG_FUNCTION_ARGS)
{
	Halves		h = split_uuid(PG_GETARG_UUID_P(0));
	const char *name;

	switch (h.low >> 61)
	{
		case 4:
		case 5:
			name = "rfc9562";
			break;
		case 6:
			name = "microsoft";
			break;
		case 7:
			name = "future";
			break;
		default:
			name = "ncs";
	}
	PG_RETURN_TEXT_P(cstring_to_text(name));
}

/*
 * The time of a UUID, in us since the Unix epoch; false if its version has
 * none.  A v7 has whole milliseconds.  If precise, the fraction in rand_a is
 * added, which is there if the UUID's maker put it there.
 */
static bool
unix_time_of(Halves h, bool precise, int64 *us)
{
	switch (rfc_version(h))
	{
		case 1:
			*us = (int64) (tick_of_v1(h.high) / 10);
			break;
		case 6:
			*us = (int64) (tick_of_v6(h.high) / 10);
			break;
		case 7:
			*us = precise ? (int64) atid_tick_to_us(ATID_TICK_V7, tick_of_v7(h.high)) :
				(int64) (h.high >> 16) * 1000;
			return true;
		default:
			return false;
	}
	*us -= (int64) (ATID_GREGORIAN_EPOCH / 10);
	return true;
}

static Datum
timestamp_of_uuid(FunctionCallInfo fcinfo, bool precise)
{
	int64		us;

	if (!unix_time_of(split_uuid(PG_GETARG_UUID_P(0)), precise, &us))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(us - ATID_POSTGRES_EPOCH_US);
}

ATID_FUNCTION(atid_uuid_extract_timestamp, timestamp_of_uuid(fcinfo, false))

/*
 * uuid_extract_timestamp_precise(uuid): the same, with the fraction of a v7's
 * millisecond, which is there if its maker used section 6.2, method 3, as
 * uuid_generate_v7() and uuid_v7_make() do.
 */
ATID_FUNCTION(atid_uuid_extract_timestamp_precise, timestamp_of_uuid(fcinfo, true))


/*
 * Ranges
 */

/*
 * Microseconds since the Unix epoch, of a time that a v7 can hold.  A timestamp
 * counts microseconds since 2000, with or without a time zone; without one it
 * is taken as UTC.
 */
static uint64
unix_us(Timestamp ts)
{
	int64		us;

	if (TIMESTAMP_NOT_FINITE(ts) ||
		pg_add_s64_overflow(ts, ATID_POSTGRES_EPOCH_US, &us) ||
		us < 0 || us / 1000 >= INT64CONST(1) << 48)
		raise_v7_out_of_range("timestamp");
	return (uint64) us;
}

/*
 * The millisecond of a bound of a range; the infinities become the first and
 * the last one.
 */
static uint64
bound_unix_ms(TimestampTz ts)
{
	if (TIMESTAMP_IS_NOBEGIN(ts))
		return 0;
	if (TIMESTAMP_IS_NOEND(ts))
		return (UINT64CONST(1) << 48) - 1;
	return unix_us(ts) / 1000;
}

/*
 * uuid_v7_floor(timestamptz), uuid_v7_ceil(timestamptz): the lowest and the
 * highest version 7 UUID of a millisecond, whoever made it.
 */
PG_FUNCTION_INFO_V1(atid_uuid_v7_floor);
Datum
atid_uuid_v7_floor(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(make_uuid(bound_unix_ms(PG_GETARG_TIMESTAMPTZ(0)) << 16, 7, 0));
}

PG_FUNCTION_INFO_V1(atid_uuid_v7_ceil);
Datum
atid_uuid_v7_ceil(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(make_uuid(bound_unix_ms(PG_GETARG_TIMESTAMPTZ(0)) << 16 | 0xFFFF, 7,
							   PG_UINT64_MAX));
}


/*
 * Making from a given time
 */

/*
 * uuid_v7_make(timestamptz): a version 7 UUID of a time with its microseconds
 * in rand_a.  It holds the first tick that begins in the microsecond, so
 * uuid_extract_timestamp_precise() gives the time back, and greater times give
 * greater values.
 */
PG_FUNCTION_INFO_V1(atid_uuid_v7_make);
Datum
atid_uuid_v7_make(PG_FUNCTION_ARGS)
{
	uint64		us = unix_us(PG_GETARG_TIMESTAMPTZ(0));
	uint64		fraction = ((us % 1000 << 12) + 999) / 1000;

	PG_RETURN_UUID_P(make_uuid((us / 1000) << 16 | fraction, 7, atid_random_bits()));
}

/*
 * A version 7 UUID of a time in whole milliseconds, the other bits zero or
 * random.
 */
static pg_uuid_t *
v7_of_milliseconds(Timestamp ts, bool zero)
{
	uint64		ms = unix_us(ts) / 1000;
	uint64		rand_a;

	if (zero)
		return make_uuid(ms << 16, 7, 0);
	rand_a = atid_random_bits() & 0xFFF;
	return make_uuid(ms << 16 | rand_a, 7, atid_random_bits());
}

/*
 * uuid_timestamptz_to_v7(timestamptz, zero), uuid_timestamp_to_v7(timestamp,
 * zero): as pg_uuidv7 has them.
 */
PG_FUNCTION_INFO_V1(atid_uuid_timestamptz_to_v7);
Datum
atid_uuid_timestamptz_to_v7(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(v7_of_milliseconds(PG_GETARG_TIMESTAMPTZ(0), PG_GETARG_BOOL(1)));
}

PG_FUNCTION_INFO_V1(atid_uuid_timestamp_to_v7);
Datum
atid_uuid_timestamp_to_v7(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(v7_of_milliseconds(PG_GETARG_TIMESTAMP(0), PG_GETARG_BOOL(1)));
}

/*
 * The halves of a UUID that must be of a version.
 */
static Halves
split_version(const pg_uuid_t *uuid, int version)
{
	Halves		h = split_uuid(uuid);

	if (rfc_version(h) != version)
	{
		char	   *text = DatumGetCString(DirectFunctionCall1(uuid_out, UUIDPGetDatum(uuid)));

		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("not a version %d UUID: %s", version, text)));
	}
	return h;
}

/*
 * uuid_v7_to_timestamptz(uuid), uuid_v7_to_timestamp(uuid): the time of a
 * version 7 UUID in whole milliseconds, the latter in UTC.  As pg_uuidv7 has
 * them, but another version is an error.
 */
static int64
v7_milliseconds(const pg_uuid_t *uuid)
{
	Halves		h = split_version(uuid, 7);

	return (int64) (h.high >> 16) * 1000 - ATID_POSTGRES_EPOCH_US;
}

PG_FUNCTION_INFO_V1(atid_uuid_v7_to_timestamptz);
Datum
atid_uuid_v7_to_timestamptz(PG_FUNCTION_ARGS)
{
	PG_RETURN_TIMESTAMPTZ(v7_milliseconds(PG_GETARG_UUID_P(0)));
}

PG_FUNCTION_INFO_V1(atid_uuid_v7_to_timestamp);
Datum
atid_uuid_v7_to_timestamp(PG_FUNCTION_ARGS)
{
	PG_RETURN_TIMESTAMP(v7_milliseconds(PG_GETARG_UUID_P(0)));
}


/*
 * Conversions
 */

/*
 * A v6 is a v1 with its time in order; clock sequence and node stay (section
 * 5.6).
 */
PG_FUNCTION_INFO_V1(atid_uuid_v1_to_v6);
Datum
atid_uuid_v1_to_v6(PG_FUNCTION_ARGS)
{
	Halves		h = split_version(PG_GETARG_UUID_P(0), 1);

	PG_RETURN_UUID_P(make_uuid(high_of_v6(tick_of_v1(h.high)), 6, h.low));
}

PG_FUNCTION_INFO_V1(atid_uuid_v6_to_v1);
Datum
atid_uuid_v6_to_v1(PG_FUNCTION_ARGS)
{
	Halves		h = split_version(PG_GETARG_UUID_P(0), 6);

	PG_RETURN_UUID_P(make_uuid(high_of_v1(tick_of_v6(h.high)), 1, h.low));
}

/*
 * uuid_to_urn(uuid): section 4, figure 4.
 */
PG_FUNCTION_INFO_V1(atid_uuid_to_urn);
Datum
atid_uuid_to_urn(PG_FUNCTION_ARGS)
{
	char	   *hex = DatumGetCString(DirectFunctionCall1(uuid_out, PG_GETARG_DATUM(0)));

	PG_RETURN_TEXT_P(cstring_to_text(psprintf("urn:uuid:%s", hex)));
}

/*
 * uuid_to_ulid(uuid): 26 characters in the same order as the UUIDs.
 */
PG_FUNCTION_INFO_V1(atid_uuid_to_ulid);
Datum
atid_uuid_to_ulid(PG_FUNCTION_ARGS)
{
	char		ulid[ATID_ULID_LEN];

	atid_ulid_to_text(PG_GETARG_UUID_P(0)->data, ulid);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(ulid, ATID_ULID_LEN));
}

/*
 * uuid_from_text(text): the forms that atid_syntax_uuid() takes.
 */
PG_FUNCTION_INFO_V1(atid_uuid_from_text);
Datum
atid_uuid_from_text(PG_FUNCTION_ARGS)
{
	text	   *str = PG_GETARG_TEXT_PP(0);
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	if (!atid_syntax_uuid(VARDATA_ANY(str), VARSIZE_ANY_EXHDR(str), uuid->data))
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"", "uuid",
						atid_quote(VARDATA_ANY(str), VARSIZE_ANY_EXHDR(str))),
				 errdetail("A UUID must be written as 32 hex digits, bare or with dashes after the 8th, 12th, 16th and 20th, either of them in braces or not, or with dashes after \"urn:uuid:\", or as an integer below 2^128 after \"2.25.\", or as the 26 characters of a ULID.")));
	PG_RETURN_UUID_P(uuid);
}

pg_noreturn static void
raise_numeric_out_of_range(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("numeric value out of range for a UUID"),
			 errdetail("A UUID must be an integer from 0 to 2^128 - 1.")));
}

static Datum
two_to_the_32(void)
{
	return NumericGetDatum(int64_to_numeric(INT64CONST(1) << 32));
}

/*
 * uuid_to_numeric(uuid), uuid_from_numeric(numeric): the unsigned integer of
 * section 4, figure 3.  The server's numeric is built of 32 bits at a time.
 */
PG_FUNCTION_INFO_V1(atid_uuid_to_numeric);
Datum
atid_uuid_to_numeric(PG_FUNCTION_ARGS)
{
	Halves		h = split_uuid(PG_GETARG_UUID_P(0));
	const uint32 words[] = {
		(uint32) (h.high >> 32), (uint32) h.high,
		(uint32) (h.low >> 32), (uint32) h.low
	};
	Datum		result = NumericGetDatum(int64_to_numeric(0));

	for (int i = 0; i < 4; i++)
	{
		result = DirectFunctionCall2(numeric_mul, result, two_to_the_32());
		result = DirectFunctionCall2(numeric_add, result,
									 NumericGetDatum(int64_to_numeric(words[i])));
	}
	return result;
}

PG_FUNCTION_INFO_V1(atid_uuid_from_numeric);
Datum
atid_uuid_from_numeric(PG_FUNCTION_ARGS)
{
	Datum		value = PG_GETARG_DATUM(0);
	Datum		zero = NumericGetDatum(int64_to_numeric(0));
	uint64		words[4];

	if (numeric_is_nan(DatumGetNumeric(value)) ||
		numeric_is_inf(DatumGetNumeric(value)) ||
		DatumGetBool(DirectFunctionCall2(numeric_lt, value, zero)) ||
		DatumGetBool(DirectFunctionCall2(numeric_ne, value,
										 DirectFunctionCall2(numeric_trunc, value,
															 Int32GetDatum(0)))))
		raise_numeric_out_of_range();

	for (int i = 3; i >= 0; i--)
	{
		Datum		word = DirectFunctionCall2(numeric_mod, value, two_to_the_32());

		words[i] = (uint64) DatumGetInt64(DirectFunctionCall1(numeric_int8, word));
		value = DirectFunctionCall2(numeric_div_trunc, value, two_to_the_32());
	}
	if (DatumGetBool(DirectFunctionCall2(numeric_ne, value, zero)))
		raise_numeric_out_of_range();
	PG_RETURN_UUID_P(join_uuid(words[0] << 32 | words[1], words[2] << 32 | words[3]));
}

/*
 * uuid_to_oid(uuid): the object identifier of X.667: "2.25." and the
 * integer.
 */
PG_FUNCTION_INFO_V1(atid_uuid_to_oid);
Datum
atid_uuid_to_oid(PG_FUNCTION_ARGS)
{
	Datum		integer = DirectFunctionCall1(atid_uuid_to_numeric, PG_GETARG_DATUM(0));
	char	   *digits = DatumGetCString(DirectFunctionCall1(numeric_out, integer));

	PG_RETURN_TEXT_P(cstring_to_text(psprintf("2.25.%s", digits)));
}

PG_FUNCTION_INFO_V1(atid_uuid_to_bytes);
Datum
atid_uuid_to_bytes(PG_FUNCTION_ARGS)
{
	bytea	   *result = palloc(VARHDRSZ + UUID_LEN);

	SET_VARSIZE(result, VARHDRSZ + UUID_LEN);
	memcpy(VARDATA(result), PG_GETARG_UUID_P(0)->data, UUID_LEN);
	PG_RETURN_BYTEA_P(result);
}

PG_FUNCTION_INFO_V1(atid_uuid_from_bytes);
Datum
atid_uuid_from_bytes(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *result = palloc(sizeof(pg_uuid_t));

	memcpy(result->data, uuid_bytes(PG_GETARG_BYTEA_PP(0))->data, UUID_LEN);
	PG_RETURN_UUID_P(result);
}

/*
 * Turn the bytes of a UUID into those of a GUID as Microsoft's software keeps it
 * (section 4), or back, which is the same: the first three fields, of 4, 2 and 2
 * bytes, are little-endian.
 */
static void
swap_guid_fields(const uint8 *src, uint8 *dst)
{
	static const uint8 place[UUID_LEN] = {
		3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15
	};

	for (int i = 0; i < UUID_LEN; i++)
		dst[i] = src[place[i]];
}

PG_FUNCTION_INFO_V1(atid_uuid_to_guid_bytes);
Datum
atid_uuid_to_guid_bytes(PG_FUNCTION_ARGS)
{
	bytea	   *result = palloc(VARHDRSZ + UUID_LEN);

	SET_VARSIZE(result, VARHDRSZ + UUID_LEN);
	swap_guid_fields(PG_GETARG_UUID_P(0)->data, (uint8 *) VARDATA(result));
	PG_RETURN_BYTEA_P(result);
}

PG_FUNCTION_INFO_V1(atid_uuid_from_guid_bytes);
Datum
atid_uuid_from_guid_bytes(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *result = palloc(sizeof(pg_uuid_t));

	swap_guid_fields(uuid_bytes(PG_GETARG_BYTEA_PP(0))->data, result->data);
	PG_RETURN_UUID_P(result);
}
