/*-------------------------------------------------------------------------
 *
 * cid.h
 *		What other files need of atid.cid_link.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_CID_H
#define ATID_CID_H

/*
 * The blessed CID of a block: the SHA-256 of its bytes.
 */
extern Datum atid_cid_of_block(uint64_t codec, const void *block, size_t len);

#endif							/* ATID_CID_H */
