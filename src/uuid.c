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
 *	v5	5.5	SHA-1 of namespace and name, the first 128 bits, overwritten so
 *	v6	5.6	time_high 32 | time_mid 16 | 0110 | time_low 12 | 10 |
 *			clock_seq 14 | node 48
 *	v7	5.7	unix_ts_ms 48 | 0111 | rand_a 12 | 10 | rand_b 62
 *	v8	5.8	custom; here what the caller gives, or SHA-256 (appendix B.2)
 *
 * The time of v1 and v6 is 60 bits of 100 ns since 1582.  rand_a of a v7 holds
 * the fraction of the millisecond (section 6.2, method 3), which is what makes
 * the values of one millisecond rise; rand_b is fresh random bits.
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

#include "codec/syntax.h"
#include "compat.h"
#include "generator/clock.h"
#include "generator/generator.h"
#include "generator/random.h"

#define VERSION_MASK	UINT64CONST(0xF000)
#define VARIANT_MASK	UINT64CONST(0xC000000000000000)
#define VARIANT_RFC		UINT64CONST(0x8000000000000000)

typedef struct Halves
{
	uint64		high;
	uint64		low;
} Halves;


/*
 * Fields
 */

static inline Halves
split(const pg_uuid_t *uuid)
{
	Halves		h;

	memcpy(&h, uuid->data, UUID_LEN);
	h.high = pg_ntoh64(h.high);
	h.low = pg_ntoh64(h.low);
	return h;
}

static inline pg_uuid_t *
join(uint64 high, uint64 low)
{
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));
	Halves		h;

	h.high = pg_hton64(high);
	h.low = pg_hton64(low);
	memcpy(uuid->data, &h, UUID_LEN);
	return uuid;
}

/* A UUID of these bits, but for version and variant. */
static inline pg_uuid_t *
make(uint64 high, int version, uint64 low)
{
	return join((high & ~VERSION_MASK) | (uint64) version << 12,
				(low & ~VARIANT_MASK) | VARIANT_RFC);
}

/* The version, or -1 where the variant is another than the RFC's. */
static inline int
version_of(Halves h)
{
	if ((h.low & VARIANT_MASK) != VARIANT_RFC)
		return -1;
	return (int) ((h.high & VERSION_MASK) >> 12);
}

/* A v1 puts the low 32 bits of its time first, which a v6 does not. */
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

/* The tick of v7, milliseconds << 12 | fraction, is cut by the version alike. */
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
 * Generating: by time and by chance
 */

PG_FUNCTION_INFO_V1(atid_uuid_generate_v1);
Datum
atid_uuid_generate_v1(PG_FUNCTION_ARGS)
{
	uint64		node;
	uint64		tick = atid_generator_next_gregorian(&node);

	PG_RETURN_UUID_P(make(high_of_v1(tick), 1, node));
}

PG_FUNCTION_INFO_V1(atid_uuid_generate_v4);
Datum
atid_uuid_generate_v4(PG_FUNCTION_ARGS)
{
	uint64		high = atid_random_bits();

	PG_RETURN_UUID_P(make(high, 4, atid_random_bits()));
}

PG_FUNCTION_INFO_V1(atid_uuid_generate_v6);
Datum
atid_uuid_generate_v6(PG_FUNCTION_ARGS)
{
	uint64		node;
	uint64		tick = atid_generator_next_gregorian(&node);

	PG_RETURN_UUID_P(make(high_of_v6(tick), 6, node));
}

PG_FUNCTION_INFO_V1(atid_uuid_generate_v7);
Datum
atid_uuid_generate_v7(PG_FUNCTION_ARGS)
{
	uint64		tick = atid_generator_next_v7();

	PG_RETURN_UUID_P(make(high_of_v7(tick), 7, atid_random_bits()));
}

static void
v7_out_of_range(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("%s out of range for a version 7 UUID", what),
			 errdetail("A version 7 UUID holds times from 1970-01-01 to 10889-08-02 05:31:50.655 UTC.")));
}

/*
 * uuid_generate_v7(interval): the interval is added to the value, never to the
 * stream, as timestamptz + interval adds it: months and days go by the calendar
 * of the session's time zone.
 */
PG_FUNCTION_INFO_V1(atid_uuid_generate_v7_interval);
Datum
atid_uuid_generate_v7_interval(PG_FUNCTION_ARGS)
{
	uint64		tick = atid_generator_next_v7();
	TimestampTz drawn;
	TimestampTz shifted;
	int64		us;
	uint64		result = 0;		/* keep compiler quiet */

	drawn = (TimestampTz) atid_tick_to_us(ATID_TICK_V7, tick) - ATID_POSTGRES_EPOCH_US;
	shifted = DatumGetTimestampTz(DirectFunctionCall2(timestamptz_pl_interval,
													  TimestampTzGetDatum(drawn),
													  PG_GETARG_DATUM(0)));

	if (TIMESTAMP_NOT_FINITE(shifted) ||
		pg_sub_s64_overflow(shifted, drawn, &us) ||
		!atid_tick_shift_v7(tick, us, &result))
		v7_out_of_range("shifted timestamp");
	PG_RETURN_UUID_P(make(high_of_v7(result), 7, atid_random_bits()));
}


/*
 * Generating: by name
 */

/*
 * The UUID of a namespace and a name (sections 5.3, 5.5, 6.5): the first 128
 * bits of the hash of the one followed by the other.
 */
static pg_uuid_t *
make_named(pg_cryptohash_type type, int version, const pg_uuid_t *ns,
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
		pg_cryptohash_update(ctx, (const uint8 *) name, len) < 0 ||
		pg_cryptohash_final(ctx, digest, digest_len) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not compute the hash of a version %d UUID: %s",
						version, pg_cryptohash_error(ctx))));
	pg_cryptohash_free(ctx);

	StaticAssertStmt(MD5_DIGEST_LENGTH >= UUID_LEN, "the shortest hash fills a UUID");
	h = split((const pg_uuid_t *) digest);
	return make(h.high, version, h.low);
}

/*
 * A text's canonical octets are its UTF-8, whatever the server's encoding: the
 * same name has the same UUID in all databases.  That goes by the conversion
 * between the two encodings, which is taken to be for ever the same.
 */
static pg_uuid_t *
make_named_text(FunctionCallInfo fcinfo, pg_cryptohash_type type, int version)
{
	text	   *name = PG_GETARG_TEXT_PP(1);
	char	   *raw = VARDATA_ANY(name);
	int			len = VARSIZE_ANY_EXHDR(name);
	char	   *utf8 = pg_server_to_any(raw, len, PG_UTF8);

	return make_named(type, version, PG_GETARG_UUID_P(0), utf8,
					  utf8 == raw ? (size_t) len : strlen(utf8));
}

static pg_uuid_t *
make_named_bytea(FunctionCallInfo fcinfo, pg_cryptohash_type type, int version)
{
	bytea	   *name = PG_GETARG_BYTEA_PP(1);

	return make_named(type, version, PG_GETARG_UUID_P(0),
					  VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

PG_FUNCTION_INFO_V1(atid_uuid_generate_v3);
Datum
atid_uuid_generate_v3(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(make_named_text(fcinfo, PG_MD5, 3));
}

PG_FUNCTION_INFO_V1(atid_uuid_generate_v3_bytea);
Datum
atid_uuid_generate_v3_bytea(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(make_named_bytea(fcinfo, PG_MD5, 3));
}

PG_FUNCTION_INFO_V1(atid_uuid_generate_v5);
Datum
atid_uuid_generate_v5(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(make_named_text(fcinfo, PG_SHA1, 5));
}

PG_FUNCTION_INFO_V1(atid_uuid_generate_v5_bytea);
Datum
atid_uuid_generate_v5_bytea(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(make_named_bytea(fcinfo, PG_SHA1, 5));
}

PG_FUNCTION_INFO_V1(atid_uuid_generate_v8_text);
Datum
atid_uuid_generate_v8_text(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(make_named_text(fcinfo, PG_SHA256, 8));
}

PG_FUNCTION_INFO_V1(atid_uuid_generate_v8_bytea);
Datum
atid_uuid_generate_v8_bytea(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(make_named_bytea(fcinfo, PG_SHA256, 8));
}


/*
 * Generating: from given bytes, and the constants
 */

static const pg_uuid_t *
uuid_of_bytea(bytea *bytes)
{
	if (VARSIZE_ANY_EXHDR(bytes) != UUID_LEN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid length for a UUID"),
				 errdetail("A UUID has %d bytes, not %d.",
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
	Halves		h = split(uuid_of_bytea(PG_GETARG_BYTEA_PP(0)));

	PG_RETURN_UUID_P(make(h.high, 8, h.low));
}

PG_FUNCTION_INFO_V1(atid_uuid_nil);
Datum
atid_uuid_nil(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(join(0, 0));
}

PG_FUNCTION_INFO_V1(atid_uuid_max);
Datum
atid_uuid_max(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(join(PG_UINT64_MAX, PG_UINT64_MAX));
}

/* The namespaces of section 6.6 differ in one octet. */
static pg_uuid_t *
well_known_namespace(uint64 octet)
{
	return join(UINT64CONST(0x6ba7b8009dad11d1) | octet << 32,
				UINT64CONST(0x80b400c04fd430c8));
}

PG_FUNCTION_INFO_V1(atid_uuid_ns_dns);
Datum
atid_uuid_ns_dns(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(well_known_namespace(0x10));
}

PG_FUNCTION_INFO_V1(atid_uuid_ns_url);
Datum
atid_uuid_ns_url(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(well_known_namespace(0x11));
}

PG_FUNCTION_INFO_V1(atid_uuid_ns_oid);
Datum
atid_uuid_ns_oid(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(well_known_namespace(0x12));
}

PG_FUNCTION_INFO_V1(atid_uuid_ns_x500);
Datum
atid_uuid_ns_x500(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(well_known_namespace(0x14));
}


/*
 * Inspecting
 */

/*
 * uuid_extract_version(uuid): NULL where the variant is not the RFC's, which is
 * the only one that has versions.
 */
PG_FUNCTION_INFO_V1(atid_uuid_extract_version);
Datum
atid_uuid_extract_version(PG_FUNCTION_ARGS)
{
	int			version = version_of(split(PG_GETARG_UUID_P(0)));

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
	Halves		h = split(PG_GETARG_UUID_P(0));
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
 * The time of a UUID that has one, in us since the Unix epoch.  A v7's is whole
 * milliseconds, unless the caller knows that rand_a holds a fraction.
 */
static bool
time_of(Halves h, bool precise, int64 *us)
{
	switch (version_of(h))
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
timestamp_of(FunctionCallInfo fcinfo, bool precise)
{
	int64		us;

	if (!time_of(split(PG_GETARG_UUID_P(0)), precise, &us))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(us - ATID_POSTGRES_EPOCH_US);
}

PG_FUNCTION_INFO_V1(atid_uuid_extract_timestamp);
Datum
atid_uuid_extract_timestamp(PG_FUNCTION_ARGS)
{
	return timestamp_of(fcinfo, false);
}

/*
 * uuid_extract_timestamp_precise(uuid): the fraction of a v7's millisecond, too,
 * which is there if its maker used section 6.2, method 3, as this one does.
 */
PG_FUNCTION_INFO_V1(atid_uuid_extract_timestamp_precise);
Datum
atid_uuid_extract_timestamp_precise(PG_FUNCTION_ARGS)
{
	return timestamp_of(fcinfo, true);
}


/*
 * Ranges
 */

/*
 * Milliseconds since the Unix epoch of a time that a v7 can hold.
 */
static uint64
v7_ms(TimestampTz ts)
{
	int64		us = 0;			/* keep compiler quiet */

	if (TIMESTAMP_NOT_FINITE(ts) ||
		pg_add_s64_overflow(ts, ATID_POSTGRES_EPOCH_US, &us) ||
		us < 0 || us / 1000 >= INT64CONST(1) << 48)
		v7_out_of_range("timestamp");
	return (uint64) us / 1000;
}

/*
 * The same for the bounds of a range: the infinities are the first and the
 * last millisecond.
 */
static uint64
v7_bound_ms(TimestampTz ts)
{
	if (TIMESTAMP_IS_NOBEGIN(ts))
		return 0;
	if (TIMESTAMP_IS_NOEND(ts))
		return (UINT64CONST(1) << 48) - 1;
	return v7_ms(ts);
}

/*
 * uuid_v7_floor(timestamptz), uuid_v7_ceil(timestamptz): the lowest and the
 * highest version 7 UUID of a millisecond, whoever made it.
 */
PG_FUNCTION_INFO_V1(atid_uuid_v7_floor);
Datum
atid_uuid_v7_floor(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(make(v7_bound_ms(PG_GETARG_TIMESTAMPTZ(0)) << 16, 7, 0));
}

PG_FUNCTION_INFO_V1(atid_uuid_v7_ceil);
Datum
atid_uuid_v7_ceil(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(make(v7_bound_ms(PG_GETARG_TIMESTAMPTZ(0)) << 16 | 0xFFFF, 7,
						  PG_UINT64_MAX));
}

/*
 * uuid_timestamptz_to_v7(timestamptz, zero): a version 7 UUID of a time, whole
 * milliseconds, the rest random or zero.  As pg_uuidv7 has it.
 */
PG_FUNCTION_INFO_V1(atid_uuid_timestamptz_to_v7);
Datum
atid_uuid_timestamptz_to_v7(PG_FUNCTION_ARGS)
{
	uint64		ms = v7_ms(PG_GETARG_TIMESTAMPTZ(0));
	uint64		rand_a;

	if (PG_GETARG_BOOL(1))
		PG_RETURN_UUID_P(make(ms << 16, 7, 0));
	rand_a = atid_random_bits() & 0xFFF;
	PG_RETURN_UUID_P(make(ms << 16 | rand_a, 7, atid_random_bits()));
}

static void
require_version(Halves h, int version)
{
	if (version_of(h) != version)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("not a version %d UUID: %s", version,
						DatumGetCString(DirectFunctionCall1(uuid_out,
															UUIDPGetDatum(join(h.high, h.low)))))));
}

PG_FUNCTION_INFO_V1(atid_uuid_v7_to_timestamptz);
Datum
atid_uuid_v7_to_timestamptz(PG_FUNCTION_ARGS)
{
	Halves		h = split(PG_GETARG_UUID_P(0));

	require_version(h, 7);
	PG_RETURN_TIMESTAMPTZ((int64) (h.high >> 16) * 1000 - ATID_POSTGRES_EPOCH_US);
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
	Halves		h = split(PG_GETARG_UUID_P(0));

	require_version(h, 1);
	PG_RETURN_UUID_P(make(high_of_v6(tick_of_v1(h.high)), 6, h.low));
}

PG_FUNCTION_INFO_V1(atid_uuid_v6_to_v1);
Datum
atid_uuid_v6_to_v1(PG_FUNCTION_ARGS)
{
	Halves		h = split(PG_GETARG_UUID_P(0));

	require_version(h, 6);
	PG_RETURN_UUID_P(make(high_of_v1(tick_of_v6(h.high)), 1, h.low));
}

/* Section 4, figure 4. */
PG_FUNCTION_INFO_V1(atid_uuid_to_urn);
Datum
atid_uuid_to_urn(PG_FUNCTION_ARGS)
{
	char	   *hex = DatumGetCString(DirectFunctionCall1(uuid_out, PG_GETARG_DATUM(0)));

	PG_RETURN_TEXT_P(cstring_to_text(psprintf("urn:uuid:%s", hex)));
}

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
						text_to_cstring(str)),
				 errdetail("A UUID is written as 32 hex digits, bare or with dashes after the 8th, 12th, 16th and 20th, either of them in braces or not, or with dashes after \"urn:uuid:\".")));
	PG_RETURN_UUID_P(uuid);
}

/*
 * Section 4, figure 3: the unsigned integer, as the server's numeric, 32 bits at
 * a time.
 */
static void
uuid_out_of_range(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("numeric value out of range for a UUID"),
			 errdetail("A UUID is an integer from 0 to 2^128 - 1.")));
}

static Datum
two_to_the_32(void)
{
	return NumericGetDatum(int64_to_numeric(INT64CONST(1) << 32));
}

PG_FUNCTION_INFO_V1(atid_uuid_to_numeric);
Datum
atid_uuid_to_numeric(PG_FUNCTION_ARGS)
{
	Halves		h = split(PG_GETARG_UUID_P(0));
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
		uuid_out_of_range();

	for (int i = 3; i >= 0; i--)
	{
		Datum		word = DirectFunctionCall2(numeric_mod, value, two_to_the_32());

		words[i] = (uint64) DatumGetInt64(DirectFunctionCall1(numeric_int8, word));
		value = DirectFunctionCall2(numeric_div_trunc, value, two_to_the_32());
	}
	if (DatumGetBool(DirectFunctionCall2(numeric_ne, value, zero)))
		uuid_out_of_range();
	PG_RETURN_UUID_P(join(words[0] << 32 | words[1], words[2] << 32 | words[3]));
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

	memcpy(result->data, uuid_of_bytea(PG_GETARG_BYTEA_PP(0))->data, UUID_LEN);
	PG_RETURN_UUID_P(result);
}

/*
 * The layout of a GUID in memory and in Microsoft's files (section 4): the first
 * three fields, of 4, 2 and 2 bytes, are little-endian.  Its own inverse.
 */
static void
swap_guid(const uint8 *src, uint8 *dst)
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
	swap_guid(PG_GETARG_UUID_P(0)->data, (uint8 *) VARDATA(result));
	PG_RETURN_BYTEA_P(result);
}

PG_FUNCTION_INFO_V1(atid_uuid_from_guid_bytes);
Datum
atid_uuid_from_guid_bytes(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *result = palloc(sizeof(pg_uuid_t));

	swap_guid(uuid_of_bytea(PG_GETARG_BYTEA_PP(0))->data, result->data);
	PG_RETURN_UUID_P(result);
}
