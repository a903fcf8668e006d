/*-------------------------------------------------------------------------
 *
 * packed.c
 *		The forms on disk of a DID and an AT URI.
 *
 * Nearly all DIDs are did:plc: and 24 digits of base32, and most record keys are
 * TIDs.  Both are packed; all else is kept as text, so every text comes back byte
 * for byte.  A text has one packed form only, so values are equal exactly when
 * their bytes are.
 *
 * A DID:
 *
 *		15 bytes	the 24 digits of a did:plc, five bits each
 *		16 bytes	the text of a DID of 15 characters, and a zero byte
 *		else		the text, which begins with 'd'
 *
 * Reserved for later versions: of other lengths than 15, a first byte of 0 to 15.
 *
 * An AT URI: a byte for the shape, and
 *
 *		0			the text after "at://"
 *		1			15 bytes for "did:plc:" and its digits; the text after the slash that
 *					follows, if there is one
 *		2			as 0, with 8 bytes for the 13 characters of a TID at the end
 *		3			as 1, with 8 bytes for the 13 characters of a TID at the end
 *		4 to 15		reserved for later versions: 4 to 7 for 0 to 3 with a path of more than
 *					two parts, such as /space/{type}/{skey}/{author}/{collection}/{rkey},
 *					which is proposed for the protocol
 *
 * Shape 1 and 3 are taken whenever the authority allows it, and 2 and 3 whenever
 * the record key does.  So at://did:plc:<24>/app.bsky.feed.like/<TID> takes
 * 1 + 15 + 18 + 1 + 8 bytes.
 *
 * The digits are "234567abcdefghijklmnopqrstuvwxyz" in this, their ASCII order,
 * for the DID as for the TID, and the packed bytes are big-endian.  So
 * memcmp orders two values of one shape as their texts: it reaches a packed part
 * only if all bytes before it are equal, and the slash that ends a part is kept.
 * Values of two shapes are compared by the texts of the parts in which they can
 * differ.
 *
 * A sort key is 64 bits that never contradict the order of the texts: two bits
 * show whether the text is below, at or above "did:plc:", and 62 bits are taken from
 * the digits that follow, or else from the text.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/packed.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/bytes.h"
#include "codec/text/address.h"
#include "codec/text/base32.h"
#include "codec/text/tid.h"

#define PLC_LEN			ATID_PLC_PACKED_LEN
#define PLC_BLOCKS		3
#define PLC_DIGITS		24
#define PLC_TEXT_LEN	(PLC_PREFIX_LEN + PLC_DIGITS)
#define TID_LEN			8		/* packed */

#define SHAPE_PLC		ATID_AT_URI_OF_PLC
#define SHAPE_TID		(ATID_AT_URI_OF_PLC_AND_TID - ATID_AT_URI_OF_PLC)
#define RESERVED_MAX	15

static const char plc_prefix[] = "did:plc:";

#define PLC_PREFIX_LEN	(sizeof(plc_prefix) - 1)

static bool
plc_pack(const char *s, size_t len, uint8_t *dst)
{
	return len == PLC_TEXT_LEN && memcmp(s, plc_prefix, PLC_PREFIX_LEN) == 0 &&
		atid_base32_decode_sortable(s + PLC_PREFIX_LEN, PLC_BLOCKS, dst);
}

static void
plc_unpack(const uint8_t *packed, char *dst)
{
	memcpy(dst, plc_prefix, PLC_PREFIX_LEN);
	atid_base32_encode_sortable(packed, PLC_BLOCKS, dst + PLC_PREFIX_LEN);
}

static uint64_t
read_word(const uint8_t *bytes, size_t len)
{
	uint64_t	word = 0;

	for (size_t i = 0; i < 8; i++)
		word = word << 8 | (i < len ? bytes[i] : 0);
	return word;
}

static void
write_word(uint64_t word, uint8_t *bytes)
{
	for (int i = 7; i >= 0; i--)
	{
		bytes[i] = (uint8_t) word;
		word >>= 8;
	}
}


/*
 * Sort keys
 */

#define KEY_BELOW		UINT64_C(0)
#define KEY_AT			(UINT64_C(1) << 62)
#define KEY_ABOVE		(UINT64_C(2) << 62)

static uint64_t
sort_key_of_plc(const uint8_t *packed)
{
	return KEY_AT | read_word(packed, PLC_LEN) >> 2;
}

/*
 * How many of the 32 digits are below this character, and is it one itself?
 *
 * The order is that of memcmp().  This is the only place where it matters that
 * char is signed on some machines and not on others: elsewhere a character is
 * compared with both ends of a range of ASCII, or is an index as unsigned char.
 */
static unsigned
digits_below(uint8_t c, bool *digit)
{
	*digit = true;
	if (c >= '2' && c <= '7')
		return (unsigned) (c - '2');
	if (c >= 'a' && c <= 'z')
		return (unsigned) (c - 'a') + 6;
	*digit = false;
	return c < '2' ? 0 : c < 'a' ? 6 : 32;
}

/*
 * What comes after "did:plc:", as 62 bits of digits.  Another character becomes
 * the greatest digits that are below it, and the end of the text becomes the
 * least digits.  So two texts may have the same key, but never keys in the
 * wrong order.
 */
static uint64_t
sort_key_of_digits(const char *s, size_t len)
{
	uint64_t	bits = 0;
	unsigned	fill = 0;		/* the digit for all that follow another
								 * character */
	bool		digit = true;

	for (size_t i = 0; i < 13; i++)
	{
		unsigned	value = fill;

		if (digit && i == len)
			digit = false;
		else if (digit)
		{
			value = digits_below((uint8_t) s[i], &digit);
			if (!digit && value > 0)
			{
				value--;
				fill = 31;
			}
		}
		bits = i < 12 ? bits << 5 | value : bits << 2 | value >> 3;
	}
	return bits;
}

static uint64_t
sort_key_of_text(const uint8_t *s, size_t len)
{
	uint64_t	word = read_word(s, len);
	uint64_t	plc = read_word((const uint8_t *) plc_prefix, PLC_PREFIX_LEN);

	if (word == plc)
		return KEY_AT | sort_key_of_digits((const char *) s + PLC_PREFIX_LEN,
										   len - PLC_PREFIX_LEN);
	return (word < plc ? KEY_BELOW : KEY_ABOVE) | word >> 2;
}


/*
 * DIDs
 */

size_t
atid_did_pack(const char *s, size_t len, uint8_t *dst)
{
	if (plc_pack(s, len, dst))
		return PLC_LEN;
	memcpy(dst, s, len);
	if (len != PLC_LEN)
		return len;
	ATID_ASSERT(len + 1 <= ATID_DID_PACKED_MAX(len));
	dst[len] = 0;
	return len + 1;
}

size_t
atid_did_text_len(const uint8_t *packed, size_t len)
{
	if (len == PLC_LEN)
		return PLC_TEXT_LEN;
	return len == PLC_LEN + 1 && packed[PLC_LEN] == 0 ? PLC_LEN : len;
}

void
atid_did_unpack(const uint8_t *packed, size_t len, char *dst)
{
	if (len == PLC_LEN)
		plc_unpack(packed, dst);
	else
		memcpy(dst, packed, atid_did_text_len(packed, len));
}

AtidPackedState
atid_did_state(const uint8_t *packed, size_t len)
{
	if (len == PLC_LEN || (len > 0 && packed[0] == 'd'))
		return ATID_PACKED_OK;
	return len > 0 && packed[0] <= RESERVED_MAX ? ATID_PACKED_NEWER : ATID_PACKED_DAMAGED;
}

int
atid_did_compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	char		plc[PLC_TEXT_LEN];

	if ((a_len == PLC_LEN) == (b_len == PLC_LEN))
		return atid_bytes_cmp(a, a_len, b, b_len);
	if (a_len == PLC_LEN)
	{
		plc_unpack(a, plc);
		return atid_bytes_cmp(plc, PLC_TEXT_LEN, b, b_len);
	}
	plc_unpack(b, plc);
	return atid_bytes_cmp(a, a_len, plc, PLC_TEXT_LEN);
}

int
atid_did_compare_text(const uint8_t *packed, size_t len, const char *s, size_t s_len)
{
	char		plc[PLC_TEXT_LEN];

	if (len != PLC_LEN)
		return atid_bytes_cmp(packed, atid_did_text_len(packed, len), s, s_len);
	plc_unpack(packed, plc);
	return atid_bytes_cmp(plc, PLC_TEXT_LEN, s, s_len);
}

uint64_t
atid_did_sort_key(const uint8_t *packed, size_t len)
{
	return len == PLC_LEN ? sort_key_of_plc(packed) : sort_key_of_text(packed, len);
}


/*
 * AT URIs
 */

size_t
atid_at_uri_pack(const char *s, size_t len, uint8_t *dst)
{
	const char *end = s + len;
	const char *slash;
	uint8_t    *p = dst + 1;
	uint64_t	tid;

	s += ATID_SCHEME_LEN;
	dst[0] = 0;

	slash = memchr(s, '/', (size_t) (end - s));
	if (plc_pack(s, (size_t) ((slash ? slash : end) - s), p))
	{
		dst[0] |= SHAPE_PLC;
		p += PLC_LEN;
		s = slash ? slash + 1 : end;
	}
	if (slash)
		slash = memchr(slash + 1, '/', (size_t) (end - slash - 1));
	if (slash && end - slash - 1 == ATID_TID_TEXT_LEN && atid_tid_from_text(slash + 1, &tid))
	{
		dst[0] |= SHAPE_TID;
		end = slash + 1;
	}
	memcpy(p, s, (size_t) (end - s));
	p += end - s;
	if (dst[0] & SHAPE_TID)
	{
		write_word(tid, p);
		p += TID_LEN;
	}
	ATID_ASSERT((size_t) (p - dst) <= ATID_AT_URI_PACKED_MAX(len));
	return (size_t) (p - dst);
}

/* Are there as many bytes as the shape needs? */
static inline bool
is_whole(const uint8_t *packed, size_t len)
{
	static const size_t least[] = {1, 1 + PLC_LEN, 2 + TID_LEN, 2 + PLC_LEN + TID_LEN};

	return len > 0 && packed[0] <= (SHAPE_PLC | SHAPE_TID) && len >= least[packed[0]];
}

bool
atid_at_uri_open(const uint8_t *packed, size_t len, AtidPackedUri *uri)
{
	const char *s = (const char *) packed + 1;
	const char *end;
	const char *slash;

	if (!is_whole(packed, len))
		return false;
	uri->plc = (packed[0] & SHAPE_PLC) != 0;
	uri->tid = (packed[0] & SHAPE_TID) != 0;
	end = (const char *) packed + len - (uri->tid ? TID_LEN : 0);

	uri->authority = packed + 1;
	if (uri->plc)
	{
		uri->authority_len = PLC_LEN;
		s += PLC_LEN;
	}
	else
	{
		slash = memchr(s, '/', (size_t) (end - s));
		uri->authority_len = (size_t) ((slash ? slash : end) - s);
		s = slash ? slash + 1 : end;
	}

	slash = memchr(s, '/', (size_t) (end - s));
	uri->collection = s;
	uri->collection_len = (size_t) ((slash ? slash : end) - s);
	uri->rkey = slash ? slash + 1 : end;
	uri->rkey_len = (size_t) (end - uri->rkey);
	if (uri->tid)
	{
		if (slash == NULL || uri->rkey_len != 0)
			return false;
		uri->rkey_len = TID_LEN;
	}
	return true;
}

AtidPackedState
atid_at_uri_state(const uint8_t *packed, size_t len)
{
	AtidPackedUri uri;

	if (atid_at_uri_open(packed, len, &uri))
		return ATID_PACKED_OK;
	return len > 0 && packed[0] > (SHAPE_PLC | SHAPE_TID) && packed[0] <= RESERVED_MAX ?
		ATID_PACKED_NEWER : ATID_PACKED_DAMAGED;
}

const uint8_t *
atid_at_uri_plc(const uint8_t *packed, size_t len)
{
	return is_whole(packed, len) && (packed[0] & SHAPE_PLC) ? packed + 1 : NULL;
}

uint64_t
atid_packed_tid(const AtidPackedUri *uri)
{
	return read_word((const uint8_t *) uri->rkey, TID_LEN);
}

size_t
atid_at_uri_scope(const uint8_t *packed, const AtidPackedUri *uri, bool collection, uint8_t *dst)
{
	const uint8_t *end = collection ? (const uint8_t *) uri->collection + uri->collection_len :
		uri->authority + uri->authority_len;
	size_t		len = (size_t) (end - packed);

	memcpy(dst, packed, len);
	dst[0] &= SHAPE_PLC;
	return len;
}

/* Write the text after the authority's slash, of a value of shape 1 or 3.  Returns its length. */
static size_t
unpack_path(const uint8_t *packed, size_t len, char *dst)
{
	size_t		head = 1 + PLC_LEN;
	size_t		copied;

	if ((packed[0] & SHAPE_TID) == 0)
	{
		memcpy(dst, packed + head, len - head);
		return len - head;
	}
	copied = len - head - TID_LEN;
	memcpy(dst, packed + head, copied);
	atid_tid_to_text(read_word(packed + len - TID_LEN, TID_LEN), dst + copied);
	return copied + ATID_TID_TEXT_LEN;
}

size_t
atid_at_uri_text_len(const uint8_t *packed, size_t len)
{
	size_t		result = ATID_SCHEME_LEN + len - 1;

	if (packed[0] & SHAPE_PLC)
		result += PLC_TEXT_LEN - PLC_LEN + (len > 1 + PLC_LEN ? 1 : 0);
	if (packed[0] & SHAPE_TID)
		result += ATID_TID_TEXT_LEN - TID_LEN;
	return result;
}

void
atid_at_uri_unpack(const uint8_t *packed, size_t len, char *dst)
{
	memcpy(dst, ATID_SCHEME, ATID_SCHEME_LEN);
	dst += ATID_SCHEME_LEN;
	if (packed[0] & SHAPE_PLC)
	{
		plc_unpack(packed + 1, dst);
		if (len > 1 + PLC_LEN)
		{
			dst += PLC_TEXT_LEN;
			*dst++ = '/';
			unpack_path(packed, len, dst);
		}
	}
	else if (packed[0] & SHAPE_TID)
	{
		memcpy(dst, packed + 1, len - 1 - TID_LEN);
		atid_tid_to_text(read_word(packed + len - TID_LEN, TID_LEN),
						 dst + len - 1 - TID_LEN);
	}
	else
		memcpy(dst, packed + 1, len - 1);
}

/* Compare values of two shapes, one without a packed authority, by their texts. */
static int
compare_texts(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	char		a_text[ATID_AT_URI_LONGEST];
	char		b_text[ATID_AT_URI_LONGEST];

	ATID_ASSERT(atid_at_uri_text_len(a, a_len) <= sizeof(a_text) &&
				atid_at_uri_text_len(b, b_len) <= sizeof(b_text));
	atid_at_uri_unpack(a, a_len, a_text);
	atid_at_uri_unpack(b, b_len, b_text);
	return atid_bytes_cmp(a_text, atid_at_uri_text_len(a, a_len),
						  b_text, atid_at_uri_text_len(b, b_len));
}

/* Compare values of two shapes, both with a packed authority: by it, then by their paths. */
static int
compare_paths(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	char		a_path[ATID_AT_URI_LONGEST];
	char		b_path[ATID_AT_URI_LONGEST];
	int			result = memcmp(a + 1, b + 1, PLC_LEN);

	if (result == 0)
	{
		a_len = unpack_path(a, a_len, a_path);
		b_len = unpack_path(b, b_len, b_path);
		result = atid_bytes_cmp(a_path, a_len, b_path, b_len);
	}
	return result;
}

int
atid_at_uri_compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	if ((a_len > 0 && b_len > 0 && a[0] == b[0]) ||
		!is_whole(a, a_len) || atid_at_uri_text_len(a, a_len) > ATID_AT_URI_LONGEST ||
		!is_whole(b, b_len) || atid_at_uri_text_len(b, b_len) > ATID_AT_URI_LONGEST)
		return atid_bytes_cmp(a, a_len, b, b_len);
	if (a[0] & b[0] & SHAPE_PLC)
		return compare_paths(a, a_len, b, b_len);
	return compare_texts(a, a_len, b, b_len);
}

int
atid_at_uri_compare_text(const uint8_t *packed, size_t len, const char *s, size_t s_len)
{
	char		whole[ATID_AT_URI_LONGEST];

	if (!is_whole(packed, len) || atid_at_uri_text_len(packed, len) > ATID_AT_URI_LONGEST)
		return atid_bytes_cmp(packed, len, s, s_len);
	atid_at_uri_unpack(packed, len, whole);
	return atid_bytes_cmp(whole, atid_at_uri_text_len(packed, len), s, s_len);
}

uint64_t
atid_at_uri_sort_key(const uint8_t *packed, size_t len)
{
	if (!is_whole(packed, len))
		return len > 0 && packed[0] > (SHAPE_PLC | SHAPE_TID) ? UINT64_MAX : 0;
	if (packed[0] & SHAPE_PLC)
		return sort_key_of_plc(packed + 1);

	/*
	 * a packed TID is left out: it follows a slash, and a key ends there at
	 * the latest
	 */
	return sort_key_of_text(packed + 1, len - 1 - (packed[0] & SHAPE_TID ? TID_LEN : 0));
}

bool
atid_at_uri_within(const uint8_t *uri, size_t uri_len, const uint8_t *scope, size_t scope_len)
{
	AtidPackedUri u;
	AtidPackedUri s;

	if (!atid_at_uri_open(uri, uri_len, &u) || !atid_at_uri_open(scope, scope_len, &s))
		return false;
	if (u.plc != s.plc || u.authority_len != s.authority_len ||
		memcmp(u.authority, s.authority, s.authority_len) != 0)
		return false;
	if (s.collection_len == 0)
		return true;
	if (u.collection_len != s.collection_len ||
		memcmp(u.collection, s.collection, s.collection_len) != 0)
		return false;
	if (s.rkey_len == 0)
		return true;
	return u.tid == s.tid && u.rkey_len == s.rkey_len &&
		memcmp(u.rkey, s.rkey, s.rkey_len) == 0;
}

bool
atid_at_uri_within_did(const uint8_t *uri, size_t uri_len, const uint8_t *did, size_t did_len)
{
	AtidPackedUri parts;

	if (!atid_at_uri_open(uri, uri_len, &parts) || parts.plc != (did_len == PLC_LEN))
		return false;
	return parts.authority_len == (parts.plc ? PLC_LEN : atid_did_text_len(did, did_len)) &&
		memcmp(parts.authority, did, parts.authority_len) == 0;
}

bool
atid_at_uri_within_text(const uint8_t *uri, size_t uri_len, const char *scope, size_t scope_len)
{
	char		whole[ATID_AT_URI_LONGEST];
	size_t		len;

	if (scope_len <= ATID_SCHEME_LEN || !is_whole(uri, uri_len))
		return false;
	len = atid_at_uri_text_len(uri, uri_len);
	if (scope_len > len || len > ATID_AT_URI_LONGEST)
		return false;
	atid_at_uri_unpack(uri, uri_len, whole);
	return memcmp(whole, scope, scope_len) == 0 && (scope_len == len || whole[scope_len] == '/');
}
