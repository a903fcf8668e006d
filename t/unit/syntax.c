/*-------------------------------------------------------------------------
 *
 * syntax.c
 *		The forms of a UUID, and ULIDs, with each byte value and of every length.  Strings end
 *		where their memory does, so that reads behind them are found.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/syntax.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "tap.h"

/* RFC 9562 section 4, figure 1 */
#define DASHED	"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
#define BARE	"f81d4fae7dec11d0a76500a0c91e6bf6"

static const uint8_t figure_1[16] = {
	0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0,
	0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6
};

static bool
uuid_of(const char *s, size_t len, uint8_t bytes[16])
{
	char	   *copy = exact(s, len);
	bool		result = atid_syntax_uuid(copy, len, bytes);

	free(copy);
	return result;
}

/* Is it read, and as the UUID of figure 1? */
static bool
uuid(const char *s)
{
	uint8_t		bytes[16] = {0};

	return uuid_of(s, strlen(s), bytes) && memcmp(bytes, figure_1, 16) == 0;
}

/* May c stand in the place of this character of a form? */
static bool
uuid_admits(char form, int c)
{
	static const char digits[] = "0123456789abcdefABCDEF";

	if (form == '-' || form == '{' || form == '}' || form == ':')
		return c == form;
	if (form == 'u' || form == 'r' || form == 'n' || form == 'i')	/* of urn:uuid: */
		return c == form || c == form - 'a' + 'A';
	return c != 0 && strchr(digits, c) != NULL;
}

static void
test_uuid(void)
{
	static const char *const forms[] = {
		(DASHED), (BARE), ("{" DASHED "}"), ("{" BARE "}"), ("urn:uuid:" DASHED)
	};
	int			wrong = 0;
	int			asked = 0;

	ok(uuid(DASHED), "uuid: hex and dash");
	ok(uuid("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"), "uuid: in capitals");
	ok(uuid("f81d4FAE-7dEC-11D0-a765-00A0c91e6Bf6"), "uuid: in both");
	ok(uuid(BARE), "uuid: bare hex");
	ok(uuid("{" DASHED "}"), "uuid: in braces");
	ok(uuid("{" BARE "}"), "uuid: bare hex in braces");
	ok(uuid("urn:uuid:" DASHED), "uuid: a URN");
	ok(uuid("URN:UUID:" DASHED) && uuid("Urn:uUiD:" DASHED), "uuid: a URN in either case");

	ok(!uuid("urn:uuid:" BARE), "uuid: no URN of bare hex");
	ok(!uuid("urn:uuid:{" DASHED "}") && !uuid("{urn:uuid:" DASHED "}"),
	   "uuid: no URN with braces");
	ok(!uuid("uuid:" DASHED) && !uuid("urn:" DASHED), "uuid: no half of a URN");
	ok(!uuid("{" DASHED) && !uuid(DASHED "}") && !uuid("(" DASHED ")") &&
	   !uuid("}" DASHED "{"),
	   "uuid: a pair of braces or none");
	ok(!uuid("{{" BARE "}}") && !uuid("{}"), "uuid: one pair");
	ok(!uuid(" " DASHED) && !uuid(DASHED " ") && !uuid(DASHED "\n"), "uuid: no blanks");
	ok(!uuid("f81d-4fae-7dec-11d0-a765-00a0-c91e-6bf6"), "uuid: dashes where they belong only");
	ok(!uuid("f81d4fae7-dec-11d0-a765-00a0c91e6bf6") &&
	   !uuid("f81d4fae7dec-11d0-a765-00a0c91e6bf6") &&
	   !uuid("f81d4fae-7dec-11d0-a76500a0c91e6bf6"), "uuid: all of them, or none");

	/* each form with each byte value in each of its places */
	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++)
	{
		size_t		len = strlen(forms[f]);

		for (size_t at = 0; at < len; at++)
		{
			for (int c = 0; c < 256; c++)
			{
				char		s[64];
				uint8_t		bytes[16];
				bool		legal = uuid_admits(forms[f][at], c);

				if (len == 45 && at == 7)	/* the d of urn:uuid: is no digit */
					legal = (c == 'd' || c == 'D');
				memcpy(s, forms[f], len);
				s[at] = (char) c;
				asked++;
				if (uuid_of(s, len, bytes) != legal)
				{
					if (wrong++ == 0)
						printf("# byte 0x%02X in place %d of %s\n",
							   (unsigned) c, (int) at, forms[f]);
				}
			}
		}
	}
	is_u64((uint64_t) asked, 256 * (36 + 32 + 38 + 34 + 45), "uuid: all was asked");
	is_u64((uint64_t) wrong, 0,
		   "uuid: each byte in each place is taken or refused as the form has it");

	/* each byte comes out where it went in */
	wrong = 0;
	for (int i = 0; i < 16; i++)
	{
		for (int value = 0; value < 256; value++)
		{
			char		s[33];
			uint8_t		bytes[16];
			uint8_t		want[16] = {0};

			memset(s, '0', 32);
			snprintf(s + 2 * i, 3, value % 2 ? "%02x" : "%02X", (unsigned) value);
			if (i < 15)
				s[2 * i + 2] = '0';
			want[i] = (uint8_t) value;
			if (!uuid_of(s, 32, bytes) || memcmp(bytes, want, 16) != 0)
				wrong++;
		}
	}
	is_u64((uint64_t) wrong, 0, "uuid: each value of each byte comes out as it went in");

	/* each length of each form, cut short and made longer */
	wrong = 0;
	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++)
	{
		for (size_t len = 0; len < 64; len++)
		{
			char		s[64];
			uint8_t		bytes[16];
			size_t		full = strlen(forms[f]);

			memset(s, '0', sizeof(s));
			memcpy(s, forms[f], full);
			if (uuid_of(s, len, bytes) != (len == full))
				wrong++;
		}
	}
	is_u64((uint64_t) wrong, 0, "uuid: no other length");
}

/* The integer of a decimal text by the compiler's 128 bits; false above them. */
static bool
decimal_128(const char *s, size_t len, unsigned __int128 *value)
{
	const unsigned __int128 max = ~(unsigned __int128) 0;

	*value = 0;
	for (size_t i = 0; i < len; i++)
	{
		unsigned int digit;

		if (s[i] < '0' || s[i] > '9')
			return false;
		digit = (unsigned int) (s[i] - '0');
		if (*value > (max - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	return len > 0 && (len == 1 || s[0] != '0');
}

static bool
oid_is_right(const char *s, size_t len)
{
	unsigned __int128 want;
	unsigned __int128 got = 0;
	uint8_t		bytes[16];
	bool		legal = decimal_128(s + 5, len - 5, &want);

	if (uuid_of(s, len, bytes) != legal)
		return false;
	for (int i = 0; legal && i < 16; i++)
		got = got << 8 | bytes[i];
	return !legal || got == want;
}

#define OID "2.25.329800735698586629295641978511506172918"
#define OID_MAX "2.25.340282366920938463463374607431768211455"

static void
test_uuid_oid(void)
{
	static const char *const texts[] = {
		OID, OID_MAX, "2.25.0", "2.25.1", "2.25.18446744073709551616"
	};
	uint8_t		bytes[16];
	int			wrong = 0;

	ok(uuid(OID), "uuid: an object identifier");
	ok(uuid_of(OID_MAX, strlen(OID_MAX), bytes) && bytes[0] == 0xFF && bytes[15] == 0xFF,
	   "uuid: the greatest object identifier");
	ok(!uuid_of("2.25.340282366920938463463374607431768211456", 44, bytes),
	   "uuid: no object identifier of 2^128");
	ok(!uuid_of("2.25.", 5, bytes) && !uuid_of("2.25", 4, bytes), "uuid: none without an integer");
	ok(!uuid_of("2.25.01", 7, bytes) && !uuid_of("2.25.00", 7, bytes),
	   "uuid: none with a leading zero");
	ok(!uuid_of("2.25.-1", 7, bytes) && !uuid_of("2.25.+1", 7, bytes) &&
	   !uuid_of("2.25.1.2", 8, bytes) && !uuid_of("2.25.1 ", 7, bytes),
	   "uuid: none with anything but digits");
	ok(!uuid_of("2.26.1", 6, bytes) && !uuid_of(".2.25.1", 7, bytes), "uuid: none of another arc");

	/* each byte in each place of the integer, and each length */
	for (size_t n = 0; n < sizeof(texts) / sizeof(texts[0]); n++)
	{
		size_t		len = strlen(texts[n]);
		char		s[64];

		for (size_t at = 5; at < len; at++)
		{
			for (int c = 0; c < 256; c++)
			{
				memcpy(s, texts[n], len);
				s[at] = (char) c;
				if (!oid_is_right(s, len) && wrong++ == 0)
					printf("# byte 0x%02X in place %d of %s\n", (unsigned) c, (int) at, texts[n]);
			}
		}
		for (size_t cut = 5; cut < sizeof(s); cut++)
		{
			memset(s, '9', sizeof(s));
			memcpy(s, texts[n], len);
			if (!oid_is_right(s, cut) && wrong++ == 0)
				printf("# %d bytes of %s\n", (int) cut, texts[n]);
		}
	}
	is_u64((uint64_t) wrong, 0, "uuid: object identifiers as the compiler's integers have them");
}

/* The value of a ULID's character, or -1. */
static int
crockford(int c)
{
	static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz0123456789ABCDEFGHJKMNPQRSTVWXYZ";
	const char *found = c == 0 ? NULL : strchr(digits, c);

	return found == NULL ? -1 : (int) ((found - digits) % 32);
}

/* Is a text of 26 bytes read as the ULID that the compiler's integers make of it, or refused? */
static bool
ulid_is_right(const char *s)
{
	unsigned __int128 want = 0;
	unsigned __int128 got = 0;
	uint8_t		bytes[16];
	bool		legal = true;

	for (int i = 0; i < ATID_ULID_LEN; i++)
	{
		int			value = crockford((unsigned char) s[i]);

		if (value < 0 || (i == 0 && value > 7))
			legal = false;
		want = want << 5 | (unsigned) value;
	}
	if (uuid_of(s, ATID_ULID_LEN, bytes) != legal)
		return false;
	for (int i = 0; legal && i < 16; i++)
		got = got << 8 | bytes[i];
	return !legal || got == want;
}

static bool
is_ulid(const uint8_t bytes[16], const char *want)
{
	char		ulid[ATID_ULID_LEN];

	atid_ulid_to_text(bytes, ulid);
	return memcmp(ulid, want, ATID_ULID_LEN) == 0;
}

/* the one in the specification of ULIDs */
#define ULID	"01ARZ3NDEKTSV4RRFFQ69G5FAV"

static void
test_ulid(void)
{
	static const uint8_t example[16] = {
		0x01, 0x56, 0x3e, 0x3a, 0xb5, 0xd3, 0xd6, 0x76,
		0x4c, 0x61, 0xef, 0xb9, 0x93, 0x02, 0xbd, 0x5b
	};
	static const char *const texts[] = {
		ULID, "00000000000000000000000000", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
		"7zzzzzzzzzzzzzzzzzzzzzzzzz", "01arz3ndektsv4rrffq69g5fav"
	};
	uint8_t		bytes[16];
	uint8_t		all[16];
	char		before[ATID_ULID_LEN];
	char		s[64];
	int			wrong = 0;

	ok(uuid_of(ULID, ATID_ULID_LEN, bytes) && memcmp(bytes, example, 16) == 0, "ulid: read");
	ok(is_ulid(example, ULID), "ulid: written, in upper case");
	ok(uuid_of(texts[4], ATID_ULID_LEN, bytes) && memcmp(bytes, example, 16) == 0 &&
	   uuid_of("01arZ3NDektSV4RRffq69G5fAV", ATID_ULID_LEN, bytes) &&
	   memcmp(bytes, example, 16) == 0, "ulid: in lower case, and in both");
	memset(all, 0, sizeof(all));
	ok(uuid_of(texts[1], ATID_ULID_LEN, bytes) && memcmp(bytes, all, 16) == 0 &&
	   is_ulid(all, texts[1]), "ulid: the lowest");
	memset(all, 0xFF, sizeof(all));
	ok(uuid_of(texts[2], ATID_ULID_LEN, bytes) && memcmp(bytes, all, 16) == 0 &&
	   is_ulid(all, texts[2]), "ulid: the greatest");
	ok(!uuid_of("80000000000000000000000000", ATID_ULID_LEN, bytes) &&
	   !uuid_of("ZZZZZZZZZZZZZZZZZZZZZZZZZZ", ATID_ULID_LEN, bytes), "ulid: none of 2^128 or more");
	ok(!uuid_of("01ARZ3NDEKTSV4RRFFQ69G5FAI", ATID_ULID_LEN, bytes) &&
	   !uuid_of("01ARZ3NDEKTSV4RRFFQ69G5FAL", ATID_ULID_LEN, bytes) &&
	   !uuid_of("O1ARZ3NDEKTSV4RRFFQ69G5FAV", ATID_ULID_LEN, bytes) &&
	   !uuid_of("01ARZ3NDEKTSV4RRFFQ69G5FAU", ATID_ULID_LEN, bytes), "ulid: no I, L, O or U");

	/* each byte in each place */
	for (size_t n = 0; n < sizeof(texts) / sizeof(texts[0]); n++)
	{
		for (int at = 0; at < ATID_ULID_LEN; at++)
		{
			for (int c = 0; c < 256; c++)
			{
				memcpy(s, texts[n], ATID_ULID_LEN);
				s[at] = (char) c;
				if (!ulid_is_right(s) && wrong++ == 0)
					printf("# byte 0x%02X in place %d of %s\n", (unsigned) c, at, texts[n]);
			}
		}
	}
	is_u64((uint64_t) wrong, 0,
		   "ulid: each byte in each place is read as the compiler's integers have it, or refused");

	/* each length but those of the other forms, of digits only */
	wrong = 0;
	memset(s, '1', sizeof(s));
	for (size_t len = 0; len < sizeof(s); len++)
	{
		if (uuid_of(s, len, bytes) != (len == ATID_ULID_LEN || len == 32))
			wrong++;
	}
	is_u64((uint64_t) wrong, 0, "ulid: no other length");

	/* each value of each byte comes back, and greater bytes have a greater text */
	wrong = 0;
	for (int i = 0; i < 16; i++)
	{
		for (int value = 0; value < 256; value++)
		{
			char		ulid[ATID_ULID_LEN];

			for (int j = 0; j < 16; j++)
				all[j] = (uint8_t) (j < i ? 0x5A : j > i ? value * 37 : value);
			atid_ulid_to_text(all, ulid);
			if (!uuid_of(ulid, ATID_ULID_LEN, bytes) || memcmp(bytes, all, 16) != 0)
				wrong++;
			if (value > 0 && memcmp(before, ulid, ATID_ULID_LEN) >= 0)
				wrong++;
			memcpy(before, ulid, ATID_ULID_LEN);
		}
	}
	is_u64((uint64_t) wrong, 0, "ulid: each value of each byte comes back, in the same order");
}

int
main(void)
{
	test_uuid();
	test_uuid_oid();
	test_ulid();
	return done();
}
