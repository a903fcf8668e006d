/*-------------------------------------------------------------------------
 *
 * address.h
 *		What other rooms need of atid.did and atid.at_uri.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ADDRESS_ROOM_H
#define ATID_ADDRESS_ROOM_H

#include "fmgr.h"
#include "utils/sortsupport.h"

/* Values of texts that are known to be valid */
extern Datum atid_did_datum(const char *s, size_t len);
extern Datum atid_at_uri_datum(const char *s, size_t len);

/* The operators that an index condition may be made of */
extern Datum atid_at_uri_le(PG_FUNCTION_ARGS);
extern Datum atid_at_uri_eq(PG_FUNCTION_ARGS);
extern Datum atid_at_uri_ge(PG_FUNCTION_ARGS);

/* Sort support with abbreviated keys, for either type */
typedef uint64_t (*AtidSortKey) (const uint8_t *packed, size_t len);

extern void atid_address_sort_support(SortSupport ssup,
									  int (*comparator) (Datum x, Datum y, SortSupport ssup),
									  AtidSortKey sort_key);

#endif							/* ATID_ADDRESS_ROOM_H */
