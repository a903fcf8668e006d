/*-------------------------------------------------------------------------
 * at_uri.c
 *		The scanners of AT URIs and of their parts agree with the rules, written once
 *		more in another way; the parts make the text again; normalization changes the
 *		characters that it should; packing gives the text back and keeps the order;
 *		scopes agree with the texts.  Bytes that are no packed AT URI do no harm.
 *
 * The input is two texts, with a zero byte between them.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/address.h"

#include <stdbool.h>
#include <string.h>

#include "codec/text/packed.h"
#include "fuzz.h"
#include "names.h"

static bool
is_authority(const char *s, size_t len)
{
	return is_did(s, len) || is_handle(s, len);
}

/* The place of the last slash, or 0. */
static size_t
last_slash(const char *s, size_t len)
{
	while (len > 0 && s[len - 1] != '/')
		len--;
	return len > 0 ? len - 1 : 0;
}

static bool
is_at_uri(const char *s, size_t len)
{
	size_t		slash[2];
	int			slashes = 0;

	if (len < 5 || len > 8192 || memcmp(s, "at://", 5) != 0)
		return false;
	s += 5;
	len -= 5;
	for (size_t i = 0; i < len; i++)
	{
		if (s[i] != '/')
			continue;
		if (slashes == 2)
			return false;
		slash[slashes++] = i;
	}
	if (slashes == 0)
		return is_authority(s, len);
	if (slashes == 2 && !is_record_key(s + slash[1] + 1, len - slash[1] - 1))
		return false;
	return is_authority(s, slash[0]) &&
		is_nsid(s + slash[0] + 1, (slashes == 2 ? slash[1] : len) - slash[0] - 1);
}

static void
scan(const char *s, size_t len)
{
	AtidAtUri	uri;
	size_t		at = SIZE_MAX;
	AtidFault	fault;

	CLAIM((atid_handle_scan(s, len, &at) == ATID_OK) == is_handle(s, len) && at <= len);
	CLAIM((atid_nsid_scan(s, len, &at) == ATID_OK) == is_nsid(s, len) && at <= len);
	CLAIM((atid_record_key_scan(s, len, &at) == ATID_OK) == is_record_key(s, len));
	CLAIM(at <= len);
	CLAIM(atid_record_key_ok(s, len, true) == is_record_key(s, len));
	CLAIM(atid_record_key_ok(s, len, false) ==
		  (is_record_key(s, len) && memchr(s, ':', len) == NULL));
	CLAIM((atid_identifier_scan(s, len, &at) == ATID_OK) == is_authority(s, len));
	CLAIM(at <= len);

	fault = atid_at_uri_scan(s, len, &uri, &at);
	CLAIM((fault == ATID_OK) == is_at_uri(s, len) && at <= len);
	if (fault == ATID_OK)
	{
		size_t		end = 5 + uri.authority_len;

		CLAIM(uri.authority == s + 5);
		if (uri.collection_len > 0)
		{
			CLAIM(s[end] == '/' && uri.collection == s + end + 1);
			end += 1 + uri.collection_len;
		}
		if (uri.rkey_len > 0)
		{
			CLAIM(s[end] == '/' && uri.rkey == s + end + 1);
			end += 1 + uri.rkey_len;
		}
		CLAIM(end == len);
	}
}

/*
 * Normalization character by character: those that become lower case, and no other,
 * are in a handle, or have a period behind them in the collection.
 */
static void
normalize(const char *s, size_t len)
{
	char	   *copy = exact_memory(len);
	bool		valid = is_at_uri(s, len);
	bool		did = len > 9 && memcmp(s + 5, "did:", 4) == 0;
	int			part = 0;

	memcpy(copy, s, len);
	CLAIM((atid_at_uri_fold_case(copy, len) == ATID_OK) == valid);
	if (!valid)
		CLAIM(memcmp(copy, s, len) == 0);
	else
	{
		CLAIM(memcmp(copy, "at://", 5) == 0);
		for (size_t i = 5; i < len; i++)
		{
			size_t		end = i;
			bool		lower = part == 0 && !did;

			for (; part == 1 && end < len && s[end] != '/'; end++)
				lower = lower || (end > i && s[end] == '.');
			if (s[i] == '/')
				part++;
			CLAIM(copy[i] == (lower && strchr(LETTERS, s[i]) != NULL ? s[i] | 0x20 : s[i]));
		}
	}

	if (is_nsid(s, len))
	{
		size_t		authority = atid_nsid_authority_len(s, len);

		memcpy(copy, s, len);
		atid_nsid_fold_case(copy, len);
		CLAIM(authority < len && s[authority] == '.' &&
			  memchr(s + authority + 1, '.', len - authority - 1) == NULL);
		for (size_t i = 0; i < len; i++)
			CLAIM(copy[i] == (i < authority && strchr(LETTERS, s[i]) != NULL ? s[i] | 0x20 : s[i]));
	}
	free(copy);
}

static uint8_t *
pack(const char *s, size_t len, size_t *packed_len)
{
	uint8_t    *packed = exact_memory(ATID_AT_URI_PACKED_MAX(len));
	uint8_t    *tight;
	char	   *text = exact_memory(len);
	AtidPackedUri uri;

	*packed_len = atid_at_uri_pack(s, len, packed);
	CLAIM(*packed_len <= ATID_AT_URI_PACKED_MAX(len));
	tight = exact_memory(*packed_len);
	memcpy(tight, packed, *packed_len);
	free(packed);

	CLAIM(atid_at_uri_open(tight, *packed_len, &uri));
	CLAIM(atid_at_uri_text_len(tight, *packed_len) == len);
	atid_at_uri_unpack(tight, *packed_len, text);
	CLAIM(memcmp(text, s, len) == 0);
	CLAIM((uri.rkey_len > 0) == (memchr(s + 5, '/', len - 5) != NULL && last_slash(s, len) >
		  (size_t) ((const char *) memchr(s + 5, '/', len - 5) - s)));
	free(text);
	return tight;
}

static bool
is_within(const char *s, size_t len, const char *scope, size_t scope_len)
{
	return len >= scope_len && memcmp(s, scope, scope_len) == 0 &&
		(len == scope_len || s[scope_len] == '/');
}

static void
pair(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t		pa_len;
	size_t		pb_len;
	uint8_t    *pa = pack(a, a_len, &pa_len);
	uint8_t    *pb = pack(b, b_len, &pb_len);
	int			order = text_order(a, a_len, b, b_len);
	uint64_t	ka = atid_at_uri_sort_key(pa, pa_len);
	uint64_t	kb = atid_at_uri_sort_key(pb, pb_len);

	CLAIM(sign(atid_at_uri_compare(pa, pa_len, pb, pb_len)) == order);
	CLAIM((order == 0) == (pa_len == pb_len && memcmp(pa, pb, pa_len) == 0));
	CLAIM(order < 0 ? ka <= kb : order > 0 ? ka >= kb : ka == kb);
	CLAIM(atid_at_uri_within(pa, pa_len, pb, pb_len) == is_within(a, a_len, b, b_len));
	CLAIM(atid_at_uri_within(pb, pb_len, pa, pa_len) == is_within(b, b_len, a, a_len));
	free(pa);
	free(pb);
}

/* Bytes that may be no packed AT URI. */
static void
bytes(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	AtidPackedUri uri;

	if (atid_at_uri_open(a, a_len, &uri))
	{
		size_t		len = atid_at_uri_text_len(a, a_len);
		char	   *text = exact_memory(len);

		atid_at_uri_unpack(a, a_len, text);
		CLAIM(memcmp(text, "at://", 5) == 0);
		free(text);
		for (int i = 0; i < 2; i++)
		{
			uint8_t    *scope = exact_memory(a_len);
			size_t		scope_len = atid_at_uri_scope(a, &uri, i > 0, scope);

			CLAIM(scope_len <= a_len && atid_at_uri_within(a, a_len, scope, scope_len));
			free(scope);
		}
	}
	CLAIM((atid_at_uri_state(a, a_len) == ATID_PACKED_OK) == atid_at_uri_open(a, a_len, &uri));
	(void) atid_at_uri_compare(a, a_len, b, b_len);
	(void) atid_at_uri_sort_key(a, a_len);
	(void) atid_at_uri_within(a, a_len, b, b_len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = memchr(data, 0, size);
	const char *a = (const char *) data;
	size_t		a_len = zero ? (size_t) (zero - data) : size;
	const char *b = a + a_len + (zero ? 1 : 0);
	size_t		b_len = size - (size_t) (b - a);

	scan(a, size);
	scan(a, a_len);
	scan(b, b_len);
	normalize(a, a_len);
	normalize(b, b_len);
	if (is_at_uri(a, a_len) && is_at_uri(b, b_len))
		pair(a, a_len, b, b_len);
	bytes(data, size, data + size / 2, size - size / 2);
	bytes(data + size / 2, size - size / 2, data, size / 2);
	return 0;
}
