/*-------------------------------------------------------------------------
 *
 * datum.h
 *		Results of SQL functions: bytes and rows.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_DATUM_H
#define ATID_DATUM_H

#include "fmgr.h"

/*
 * A bytea of these bytes; a text, if they are one; a cid_link, if they are known to be a
 * well-formed CID.
 */
extern Datum atid_bytes_datum(const uint8_t *bytes, size_t len);

/*
 * The row that a function returns.  Its descriptor is made with the first call and kept in
 * fn_extra, as to read it from the catalogue takes longer than to split a frame.
 */
extern Datum atid_row_datum(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

#endif							/* ATID_DATUM_H */
