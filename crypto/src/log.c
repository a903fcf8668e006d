/*-------------------------------------------------------------------------
 *
 * log.c
 *		Logs of the DID method PLC: all operations of an account, verified.
 *
 * A log is an array of entries in the order in which the directory took the operations.
 * An entry is one of the directory's audit log or of its export:
 *
 *		did			the account's, the same in all entries
 *		operation	operation.c
 *		cid			of the operation's block, sig included
 *		createdAt	when the directory took it; later than in the entry before
 *		nullified	has a later operation taken this one's place?  Can be missing or null
 *
 * Other fields are passed over: an export has type and seq.
 *
 * The operations are a tree by their prev, and the last entry is always in force: it follows
 * the one before, or forks from an earlier one and nullifies what had followed that.  The
 * rules are those of did:plc ("Key Rotation & Account Recovery"):
 *
 *		the first entry is the genesis operation and makes the DID; no other one is
 *		prev names an operation that is not nullified, and no tombstone
 *		an operation is signed by a rotation key of the one it follows, the genesis
 *			operation by one of its own
 *		a fork comes at most 72 hours after the first operation that it nullifies, signed by
 *			a key of a lower index than that one's
 *
 * signer.c finds the key that has signed.
 *
 * What is not nullified is a chain from the last entry back by prev.  To find what an
 * operation follows, the chain is walked from its end.  The entries that are passed will be
 * nullified, so all walks together are no longer than the log.
 *
 * Memory: 48 bytes for an entry, which has about 300 in a jsonb, and one operation's block.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "codec/cbor/multiformat.h"
#include "codec/limits.h"
#include "codec/text/datetime.h"
#include "error.h"
#include "keyring.h"
#include "log.h"
#include "object.h"
#include "operation.h"
#include "sha256.h"
#include "signature.h"
#include "signer.h"
#include "strict.h"

#define RECOVERY_WINDOW (ATID_PLC_RECOVERY_HOURS * USECS_PER_HOUR)

/* A log while it is read. */
typedef struct LogReader
{
	AtidLog    *log;
	bool		strict;			/* refuse what only practice takes */
	AtidKeyring *ring;
	JsonbContainer *json;
	int			capacity;
	char	   *problem;
	MemoryContext context;		/* of the caller */
	MemoryContext scratch;		/* emptied for each entry */
} LogReader;

/* An entry while it is read. */
typedef struct EntryReading
{
	int			n;
	AtidLogEntry *entry;
	AtidOperation operation;
	JsonbValue	did;
	JsonbValue	cid;
	uint8_t		digest[ATID_DIGEST_LEN];	/* of the block with sig */
	size_t		len;			/* of the block with sig */
} EntryReading;


/*
 * Note a problem: a path within entry n, and what is wrong there.  Returns false.
 */
static bool
note(LogReader *reader, int n, const char *path, AtidFault fault)
{
	char	   *problem = psprintf("$[%d]%s: %s", n, path, atid_fault_words(fault));

	reader->problem = MemoryContextStrdup(reader->context, problem);
	return false;
}

/*
 * The same, where the words are about another entry.
 */
static bool
note_about(LogReader *reader, int n, const char *path, AtidFault fault, int other)
{
	char	   *words = atid_fault_sentence(fault, psprintf("$[%d]", other));

	reader->problem = MemoryContextStrdup(reader->context, psprintf("$[%d]%s: %s", n, path, words));
	return false;
}


/*
 * The form of an entry
 */

static bool
is_string(const JsonbValue *value, const char *str, int len)
{
	return value->val.string.len == len && memcmp(value->val.string.val, str, len) == 0;
}

static bool
find_field(LogReader *reader, int n, JsonbContainer *object, const char *name, JsonbValue *value)
{
	if (!atid_find_field(object, name, value))
		return note(reader, n, psprintf(".%s", name), ATID_LOG_MISSING);
	return true;
}

static bool
find_string(LogReader *reader, int n, JsonbContainer *object, const char *name, JsonbValue *value)
{
	if (!find_field(reader, n, object, name, value))
		return false;
	return value->type == jbvString ||
		note(reader, n, psprintf(".%s", name), ATID_CONFORM_NOT_STRING);
}

/*
 * An operation, which stands where an entry should, has these fields itself.
 */
static bool
is_operation(JsonbContainer *object)
{
	JsonbValue	value;

	return !atid_find_field(object, "operation", &value) &&
		atid_find_field(object, "prev", &value) && atid_find_field(object, "sig", &value);
}

static bool
read_created(LogReader *reader, EntryReading *reading, JsonbContainer *object)
{
	JsonbValue	value;
	int64_t		us;
	size_t		at;

	if (!find_string(reader, reading->n, object, "createdAt", &value))
		return false;
	if (atid_datetime_parse(value.val.string.val, (size_t) value.val.string.len, &us,
							&at) != ATID_OK)
		return note(reader, reading->n, ".createdAt", ATID_LOG_DATETIME);
	reading->entry->created = us - ATID_POSTGRES_EPOCH_US;
	return true;
}

static bool
read_claim(LogReader *reader, EntryReading *reading, JsonbContainer *object)
{
	JsonbValue	value;

	reading->entry->claim = -1;
	if (!atid_find_field(object, "nullified", &value) || value.type == jbvNull)
		return true;
	if (value.type != jbvBool)
		return note(reader, reading->n, ".nullified", ATID_LOG_BOOL);
	reading->entry->claim = value.val.boolean;
	return true;
}

static bool
read_operation(LogReader *reader, EntryReading *reading, JsonbContainer *object)
{
	JsonbValue	value;
	char	   *problem;

	if (!find_field(reader, reading->n, object, "operation", &value))
		return false;
	if (value.type != jbvBinary)
		return note(reader, reading->n, ".operation", ATID_CONFORM_NOT_OBJECT);
	problem = atid_operation_read(value.val.binary.data, &reading->operation);
	if (problem != NULL)
	{
		/* its path, which begins with $ too, and its rule */
		problem = psprintf("$[%d].operation%s", reading->n, problem + 1);
		reader->problem = MemoryContextStrdup(reader->context, problem);
		return false;
	}
	reading->entry->operation = value.val.binary.data;
	reading->entry->type = reading->operation.type;
	return true;
}

/*
 * Read the form of an entry.
 */
static bool
read_form(LogReader *reader, EntryReading *reading)
{
	JsonbValue *item = getIthJsonbValueFromContainer(reader->json, (uint32) reading->n);
	JsonbContainer *object;

	if (!atid_is_object(item))
		return note(reader, reading->n, "", ATID_CONFORM_NOT_OBJECT);
	object = item->val.binary.data;
	if (is_operation(object))
		return note(reader, reading->n, "", ATID_LOG_BARE);
	return find_string(reader, reading->n, object, "did", &reading->did) &&
		find_string(reader, reading->n, object, "cid", &reading->cid) &&
		read_created(reader, reading, object) &&
		read_claim(reader, reading, object) &&
		read_operation(reader, reading, object);
}


/*
 * The place of an entry
 */

/*
 * Check what the hash of the operation shows: its CID, and the DID.
 */
static bool
check_hash(LogReader *reader, EntryReading *reading)
{
	uint8_t    *block = atid_operation_block(&reading->operation, true, &reading->len);
	uint8_t		cid[ATID_CID_BLESSED_LEN] = {
		1, ATID_CODEC_DAG_CBOR, ATID_HASH_SHA2_256, ATID_SHA2_256_LEN
	};
	char		cid_text[ATID_LOG_CID_LEN];

	atid_sha256_once(block, reading->len, reading->digest);
	pfree(block);
	memcpy(cid + sizeof(cid) - ATID_SHA2_256_LEN, reading->digest, ATID_SHA2_256_LEN);
	atid_cid_to_text(cid, sizeof(cid), cid_text);
	if (!is_string(&reading->cid, cid_text, sizeof(cid_text)))
		return note(reader, reading->n, ".cid", ATID_LOG_CID);
	reading->entry->cid = reading->cid.val.string.val;
	return true;
}

static bool
check_did(LogReader *reader, EntryReading *reading)
{
	char		did[ATID_PLC_DID_LEN];

	if (reading->n > 0)
		return is_string(&reading->did, reader->log->did, ATID_PLC_DID_LEN) ||
			note(reader, reading->n, ".did", ATID_LOG_DID_OTHER);
	atid_operation_did(reading->digest, did);
	reader->log->did = reading->did.val.string.val;
	return is_string(&reading->did, did, sizeof(did)) ||
		note(reader, reading->n, ".did", ATID_LOG_DID);
}

/*
 * Note why an operation that is not in the chain cannot be followed.
 */
static bool
note_prev(LogReader *reader, const EntryReading *reading, const JsonbValue *prev)
{
	for (int i = 0; i < reading->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (is_string(prev, reader->log->entries[i].cid, ATID_LOG_CID_LEN))
			return note_about(reader, reading->n, ".operation.prev", ATID_LOG_PREV_NULLIFIED,
							  reader->log->entries[i].nullifier);
	}
	return note(reader, reading->n, ".operation.prev", ATID_LOG_PREV);
}

/*
 * Find the entry that the operation follows, and the first one that it nullifies, if any.
 */
static bool
find_prev(LogReader *reader, EntryReading *reading, int *first)
{
	AtidLogEntry *entries = reader->log->entries;
	int			at = reading->n - 1;	/* the end of the chain */
	JsonbValue	prev;

	*first = ATID_LOG_NONE;
	if (reading->operation.genesis)
		return reading->n == 0 ||
			note(reader, reading->n, ".operation.prev", ATID_LOG_PREV_NULL);
	if (reading->n == 0)
		return note(reader, reading->n, ".operation.prev", ATID_LOG_PREV_FIRST);

	atid_operation_field(reading->operation.object, "prev", &prev);
	while (at != ATID_LOG_NONE && !is_string(&prev, entries[at].cid, ATID_LOG_CID_LEN))
	{
		CHECK_FOR_INTERRUPTS();
		*first = at;
		at = entries[at].prev;
	}
	if (at == ATID_LOG_NONE)
		return note_prev(reader, reading, &prev);
	if (atid_operation_is_last(entries[at].type))
		return note_about(reader, reading->n, ".operation.prev", ATID_LOG_PREV_TOMBSTONE, at);
	reading->entry->prev = at;
	return true;
}

static bool
check_times(LogReader *reader, const EntryReading *reading, int first)
{
	const AtidLogEntry *entries = reader->log->entries;

	if (reading->n > 0 && reading->entry->created <= entries[reading->n - 1].created)
		return note(reader, reading->n, ".createdAt", ATID_LOG_ORDER);
	if (first != ATID_LOG_NONE &&
		reading->entry->created - entries[first].created > RECOVERY_WINDOW)
		return note_about(reader, reading->n, ".createdAt", ATID_LOG_WINDOW, first);
	return true;
}

static bool
check_rules_of_strict(LogReader *reader, const EntryReading *reading)
{
	AtidFault	fault;
	const char *path;

	if (!reader->strict)
		return true;
	fault = atid_check_strict(reader->ring, &reading->operation, reading->len, &path);
	return fault == ATID_OK ||
		note(reader, reading->n, psprintf(".operation%s", path), fault);
}

/*
 * Verify the signature.  If the entry nullifies others, the argument is the first of them, and
 * the key must stand before the one that has signed it.
 */
static bool
check_signature(LogReader *reader, EntryReading *reading, int first)
{
	AtidLogEntry *entries = reader->log->entries;
	int			keys_of = reading->n == 0 ? 0 : reading->entry->prev;
	AtidRotationKeys keys = atid_rotation_keys(entries[keys_of].operation, entries[keys_of].type);
	AtidFault	fault;

	if (first == ATID_LOG_NONE)
		fault = atid_find_signer(reader->ring, &keys, &reading->operation, &reading->entry->signer);
	else
	{
		/* they are well-formed, as they stand before one that has signed */
		keys.count = entries[first].signer;
		fault = atid_find_signer_of_fork(reader->ring, &keys, &reading->operation,
										 &reading->entry->signer);
	}
	switch (fault)
	{
		case ATID_OK:
			return true;
		case ATID_LOG_SIGNER_LOWER:
			return note_about(reader, reading->n, ".operation.sig", fault, first);
		case ATID_LOG_SIGNER:
		case ATID_LOG_SIGNER_MALFORMED:
			return note_about(reader, reading->n, ".operation.sig", fault, keys_of);
		default:
			return note(reader, reading->n, ".operation.sig", fault);
	}
}

static void
nullify(LogReader *reader, const EntryReading *reading)
{
	AtidLogEntry *entries = reader->log->entries;

	for (int at = reading->n - 1; at != reading->entry->prev; at = entries[at].prev)
	{
		CHECK_FOR_INTERRUPTS();
		entries[at].nullifier = reading->n;
	}
}

static bool
read_entry(LogReader *reader, int n)
{
	EntryReading reading = {.n = n};
	int			first;

	reading.entry = &reader->log->entries[n];
	reading.entry->prev = ATID_LOG_NONE;
	reading.entry->signer = 0;
	reading.entry->nullifier = ATID_LOG_NONE;
	if (!read_form(reader, &reading) ||
		!check_hash(reader, &reading) ||
		!find_prev(reader, &reading, &first) ||
		!check_did(reader, &reading) ||
		!check_times(reader, &reading, first) ||
		!check_rules_of_strict(reader, &reading) ||
		!check_signature(reader, &reading, first))
		return false;
	nullify(reader, &reading);
	return true;
}

/*
 * Compare which operations are nullified with what the log says, where it does.
 */
static bool
check_claims(LogReader *reader)
{
	for (int i = 0; i < reader->log->count; i++)
	{
		const AtidLogEntry *entry = &reader->log->entries[i];

		CHECK_FOR_INTERRUPTS();
		if (entry->claim == 0 && entry->nullifier != ATID_LOG_NONE)
			return note_about(reader, i, ".nullified", ATID_LOG_NULLIFIED, entry->nullifier);
		if (entry->claim == 1 && entry->nullifier == ATID_LOG_NONE)
			return note(reader, i, ".nullified", ATID_LOG_NOT_NULLIFIED);
	}
	return true;
}

static bool
read_entries(LogReader *reader)
{
	AtidLog    *log = reader->log;
	int			count = (int) JsonContainerSize(reader->json);

	for (int n = 0; n < count; n++)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(reader->scratch);
		if (n == reader->capacity)
		{
			reader->capacity *= 2;
			log->entries = repalloc_huge(log->entries,
										 sizeof(AtidLogEntry) * (size_t) reader->capacity);
		}
		if (!read_entry(reader, n))
			return false;
		log->count++;
	}
	return check_claims(reader);
}

char *
atid_log_read(AtidLog *log, JsonbContainer *json, bool strict, AtidKeyring *ring)
{
	LogReader	reader = {.log = log,.strict = strict,.ring = ring,.json = json,.capacity = 16};

	if (!JsonContainerIsArray(json) || JsonContainerIsScalar(json))
		return psprintf("$: %s", atid_fault_words(ATID_CONFORM_NOT_ARRAY));
	if (JsonContainerSize(json) == 0)
		return psprintf("$: %s", atid_fault_words(ATID_LOG_EMPTY));

	reader.context = CurrentMemoryContext;
	reader.scratch = AllocSetContextCreate(CurrentMemoryContext, "operation of a PLC log",
										   ALLOCSET_DEFAULT_SIZES);
	log->did = NULL;
	log->count = 0;
	log->entries = palloc(sizeof(AtidLogEntry) * (size_t) reader.capacity);
	MemoryContextSwitchTo(reader.scratch);
	(void) read_entries(&reader);
	MemoryContextSwitchTo(reader.context);
	MemoryContextDelete(reader.scratch);
	return reader.problem;
}
