/*-------------------------------------------------------------------------
 *
 * horizon.h
 *		The time below which identifiers may be handed out, kept on disk.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_HORIZON_H
#define ATID_HORIZON_H

#include "storage/buf.h"

/*
 * The horizon's page while it is locked: what it says, and what holds it.  The
 * lock of the buffer guards the page's contents.
 */
typedef struct AtidHorizon
{
	uint64		us;				/* the horizon, us since the Unix epoch */
	uint64		life;			/* whose it is; 0 if no generator wrote it */
	Oid			relid;			/* the sequence */
	bool		writable;		/* atid_horizon_write() is allowed */
	struct RelationData *rel;
	Buffer		buffer;
} AtidHorizon;

extern void atid_horizon_lock(AtidHorizon *horizon, bool write);
extern void atid_horizon_write(AtidHorizon *horizon, uint64 us, uint64 life);
extern void atid_horizon_unlock(AtidHorizon *horizon);

#endif							/* ATID_HORIZON_H */
