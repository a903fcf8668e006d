/*-------------------------------------------------------------------------
 *
 * atid.c
 *		AT Protocol identifiers and RFC 9562 UUIDs for PostgreSQL.
 *
 * The module's entry point: what the server must know about it, and its settings.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "utils/guc.h"

#include "codec/text/tid.h"
#include "compat.h"
#include "generator/generator.h"
#include "generator/slots.h"

ATID_MODULE_MAGIC("atid");

/* Values are passed as a Datum, sizes computed as size_t, and nothing is tested with 32 bits. */
StaticAssertDecl(sizeof(void *) == 8, "atid needs a 64-bit server");

int			atid_clock_id = -1;
int			atid_max_drift = 60 * 1000;
int			atid_reserve = 1000;
bool		atid_settings_lost = false;

void		_PG_init(void);

/*
 * Does the server replace such a value by the default, with a warning, in a parallel worker?  It
 * does without the flag, and where it does not know it yet (compat.h): a library can have been
 * built with the headers of a newer minor version than that of the server.
 */
static bool
is_careless(void)
{
	int			version = atoi(GetConfigOption("server_version_num", false, false));

	return GUC_ALLOW_IN_PARALLEL == 0 || version < 150009 ||
		(version >= 160000 && version < 160005) || version == 170000;
}

/* Does the session have a value for a setting that is not defined yet? */
static bool
is_set(const char *name)
{
	return GetConfigOption(name, true, false) != NULL;
}

/*
 * The settings are PGC_SUSET: ALTER DATABASE ... SET reaches every session of a
 * database, and an ordinary role cannot change a stream that others draw from.
 */
void
_PG_init(void)
{
	if (IsInParallelMode() && is_careless())
		atid_settings_lost = is_set("atid.clock_id") || is_set("atid.max_drift") ||
			is_set("atid.reserve");

	DefineCustomIntVariable("atid.clock_id",
							"Sets the clock identifier of generated TIDs.",
							"-1 takes the one that was drawn at random at the first use.",
							&atid_clock_id,
							atid_clock_id, -1, ATID_TID_CLOCK_ID_MAX,
							PGC_SUSET,
							GUC_ALLOW_IN_PARALLEL,
							NULL, NULL, NULL);

	DefineCustomIntVariable("atid.max_drift",
							"Sets how far a burst of identifiers may run ahead of the clock.",
							"A session that would pass it waits.",
							&atid_max_drift,
							atid_max_drift, 1, 24 * 60 * 60 * 1000,
							PGC_SUSET,
							GUC_UNIT_MS | GUC_ALLOW_IN_PARALLEL,
							NULL, NULL, NULL);

	DefineCustomIntVariable("atid.reserve",
							"Sets how much stream time the durable horizon is raised by.",
							"After a restart the streams begin up to this much ahead of the clock.",
							&atid_reserve,
							atid_reserve, 1, 60 * 60 * 1000,
							PGC_SUSET,
							GUC_UNIT_MS | GUC_ALLOW_IN_PARALLEL,
							NULL, NULL, NULL);

	MarkGUCPrefixReserved("atid");

	atid_slots_preload();
}
