/*-------------------------------------------------------------------------
 *
 * cid.h
 *		What other files need of atid.cid_link, and of bytea.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_CID_H
#define ATID_CID_H

/*
 * A bytea of these bytes; a cid_link, if they are known to be a well-formed CID.
 */
extern Datum atid_bytes_datum(const uint8_t *bytes, size_t len);

/*
 * The blessed CID of a block: the SHA-256 of its bytes.
 */
extern Datum atid_cid_of_block(uint64_t codec, const void *block, size_t len);

#endif							/* ATID_CID_H */
