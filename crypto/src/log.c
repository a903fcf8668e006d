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
 *		nullified	has a later operation taken this one's place?  May be missing or null
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
 * A key that is malformed is refused where it stands in front of the one that signed, as the
 * directory tries them in order, and taken behind it.  This file tries first the key that
 * signed last, and for a fork the one of the highest index that may have signed it.  That
 * gives the same answer: nobody can make a signature that two keys of a list verify, as it is
 * over a hash that depends on the list.  A key that is in the list twice has its lowest index.
 *
 * What is not nullified is a chain from the last entry back by prev.  To find what an
 * operation follows, the chain is walked from its end; what is passed will be nullified, so
 * that all walks together are no longer than the log.
 *
 * Memory: 56 bytes for an entry, which has some 300 in a jsonb, and one operation's block.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "codec/datetime.h"
#include "codec/multiformat.h"
#include "compat.h"
#include "key.h"
#include "keyring.h"
#include "log.h"
#include "operation.h"
#include "sha256.h"
#include "signature.h"

#define DID_KEY "did:key:"

#define RECOVERY_WINDOW (72 * USECS_PER_HOUR)

/* What the specification allows, and practice has exceeded. */
#define OPERATION_LEN_MAX 7500
#define ROTATION_KEYS_MAX 5
#define VERIFICATION_METHODS_MAX 10

/* The microseconds from 1970 to the server's epoch. */
#define EPOCH_US ((POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY)

/* Half the order of each curve's group, rounded down: its first 8 bytes. */
static const uint8_t half_order_head[][8] = {
	[ATID_CURVE_P256] = {0x7F, 0xFF, 0xFF, 0xFF, 0x80, 0x00, 0x00, 0x00},
	[ATID_CURVE_K256] = {0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
};

/* A log while it is read. */
typedef struct Reader
{
	AtidLog    *log;
	bool		strict;			/* refuse what only practice takes */
	AtidKeyring *ring;
	JsonbContainer *json;
	int			capacity;
	char	   *problem;
	MemoryContext context;		/* of the caller */
	MemoryContext scratch;		/* emptied for each entry */
} Reader;

/* An entry while it is read. */
typedef struct Reading
{
	int			n;
	AtidLogEntry *entry;
	AtidOperation operation;
	JsonbValue	did;
	JsonbValue	cid;
	uint8_t		digest[ATID_DIGEST_LEN];	/* of the block with sig */
	size_t		len;			/* of the block with sig */
} Reading;


/*
 * Note a problem: its place, the path within entry n, and the rule that is broken.
 * Returns false.
 */
static bool
note(Reader *reader, int n, const char *path, const char *rule)
{
	char	   *problem = psprintf("$[%d]%s: %s", n, path, rule);

	reader->problem = MemoryContextStrdup(reader->context, problem);
	return false;
}


/*
 * Parts of an operation
 */

static bool
find_value(JsonbContainer *object, const char *key, JsonbValue *value)
{
	return getKeyJsonValueFromContainer(object, key, (int) strlen(key), value) != NULL;
}

/*
 * A field of the operation.  It has it: the form was checked.
 */
void
atid_log_field(const AtidLogEntry *entry, const char *name, JsonbValue *value)
{
	if (!find_value(entry->operation, name, value))
		elog(ERROR, "operation without %s", name);
}

/*
 * How many rotation keys has the operation?
 */
int
atid_log_key_count(const AtidLogEntry *entry)
{
	JsonbValue	keys;

	switch (entry->type)
	{
		case ATID_OPERATION_CREATE:
			return 2;
		case ATID_OPERATION_TOMBSTONE:
			return 0;
		case ATID_OPERATION_UPDATE:
			break;
	}
	atid_log_field(entry, "rotationKeys", &keys);
	return (int) JsonContainerSize(keys.val.binary.data);
}

/*
 * The rotation key with this index, as it stands.
 */
void
atid_log_key(const AtidLogEntry *entry, int index, JsonbValue *key)
{
	JsonbValue	keys;
	JsonbValue *item;

	if (entry->type == ATID_OPERATION_CREATE)
	{
		atid_log_field(entry, index == 0 ? "recoveryKey" : "signingKey", key);
		return;
	}
	atid_log_field(entry, "rotationKeys", &keys);
	item = getIthJsonbValueFromContainer(keys.val.binary.data, (uint32) index);
	*key = *item;
	pfree(item);
}

static bool
same_string(const JsonbValue *a, const char *str, int len)
{
	return a->val.string.len == len && memcmp(a->val.string.val, str, len) == 0;
}


/*
 * Signatures
 */

/* Why no key of a list has signed. */
typedef enum Verdict
{
	SIGNED,
	SIGNED_BY_NONE,
	SIGNED_BEHIND_MALFORMED		/* a malformed key stands in front, and none
								 * before it signed */
} Verdict;

/*
 * The key of a did:key in a log; NULL where the text is none of a curve that the protocol
 * has.  A multikey alone is none, and every did:key has the same length.
 */
static AtidVerifier *
verifier_of_key(AtidKeyring *ring, const JsonbValue *key)
{
	AtidFault	fault;
	size_t		at;

	if (key->val.string.len != ATID_DID_KEY_TEXT_LEN ||
		memcmp(key->val.string.val, DID_KEY, strlen(DID_KEY)) != 0)
		return NULL;
	return atid_keyring_find(ring, key->val.string.val, ATID_DID_KEY_TEXT_LEN, &fault, &at);
}

static bool
key_signed(Reader *reader, const JsonbValue *key, const uint8_t *block, size_t len,
		   const uint8_t *signature, bool *malformed)
{
	AtidVerifier *verifier = verifier_of_key(reader->ring, key);

	*malformed = verifier == NULL;
	CHECK_FOR_INTERRUPTS();
	return verifier != NULL &&
		atid_key_has_signed(verifier, block, len, signature, ATID_SIGNATURE_LEN);
}

/*
 * Which of the first so many keys of a list would likely have signed?
 */
static int
likely_signer(const AtidKeyring *ring, const AtidLogEntry *keys, int limit)
{
	for (int i = 0; i < limit; i++)
	{
		JsonbValue	key;

		CHECK_FOR_INTERRUPTS();
		atid_log_key(keys, i, &key);
		if (same_string(&key, ring->signer, sizeof(ring->signer)))
			return i;
	}
	return ring->signer_index < limit ? ring->signer_index : 0;
}

/*
 * Which of the first so many rotation keys of an operation has signed another one?
 */
static Verdict
find_signer(Reader *reader, const AtidLogEntry *keys, int limit, const AtidOperation *operation,
			int *signer)
{
	AtidKeyring *ring = reader->ring;
	int			likely = likely_signer(ring, keys, limit);
	bool		likely_did;
	bool		likely_malformed;
	JsonbValue	likely_key;
	JsonbValue	key;
	size_t		len;
	uint8_t    *block;

	if (limit == 0)
		return SIGNED_BY_NONE;
	block = atid_operation_block(operation, false, &len);
	atid_log_key(keys, likely, &likely_key);
	likely_did = key_signed(reader, &likely_key, block, len, operation->signature,
							&likely_malformed);

	for (int i = 0; i < limit; i++)
	{
		bool		did;
		bool		malformed;

		CHECK_FOR_INTERRUPTS();
		atid_log_key(keys, i, &key);
		if (same_string(&key, likely_key.val.string.val, likely_key.val.string.len))
		{
			did = likely_did;
			malformed = likely_malformed;
		}
		else if (likely_did)
		{
			did = false;
			malformed = verifier_of_key(ring, &key) == NULL;
		}
		else
			did = key_signed(reader, &key, block, len, operation->signature, &malformed);
		if (did)
		{
			memcpy(ring->signer, key.val.string.val, sizeof(ring->signer));
			ring->signer_index = i;
			*signer = i;
			pfree(block);
			return SIGNED;
		}
		if (malformed)
		{
			pfree(block);
			return SIGNED_BEHIND_MALFORMED;
		}
	}
	pfree(block);
	return SIGNED_BY_NONE;
}

/*
 * Which of the first so many rotation keys of an operation has signed a fork?  They are
 * well-formed.  Those that were tried for one fork are not tried for the next, which needs a
 * lower one: so all forks together try each key of the operation once.
 */
static Verdict
find_signer_of_fork(Reader *reader, const AtidLogEntry *keys, int limit,
					const AtidOperation *operation, int *signer)
{
	JsonbValue	key;
	JsonbValue	other;
	bool		malformed;
	size_t		len;
	uint8_t    *block = atid_operation_block(operation, false, &len);
	int			found = limit;
	int			lowest = 0;

	do
	{
		CHECK_FOR_INTERRUPTS();
		if (found-- == 0)
		{
			pfree(block);
			return SIGNED_BY_NONE;
		}
		atid_log_key(keys, found, &key);
	} while (!key_signed(reader, &key, block, len, operation->signature, &malformed));
	pfree(block);

	for (; lowest < found; lowest++)
	{
		CHECK_FOR_INTERRUPTS();
		atid_log_key(keys, lowest, &other);
		if (same_string(&other, key.val.string.val, key.val.string.len))
			break;
	}
	memcpy(reader->ring->signer, key.val.string.val, sizeof(reader->ring->signer));
	reader->ring->signer_index = lowest;
	*signer = lowest;
	return SIGNED;
}

/*
 * Is the signature one in DER, of 64 bytes by chance?
 */
static bool
is_der(const uint8_t *signature)
{
	int			r_len = signature[3];

	return signature[0] == 0x30 && signature[1] == ATID_SIGNATURE_LEN - 2 &&
		signature[2] == 0x02 && r_len < ATID_SIGNATURE_LEN - 6 &&
		signature[4 + r_len] == 0x02 &&
		signature[5 + r_len] == ATID_SIGNATURE_LEN - 6 - r_len;
}

/*
 * Is s above half the order of the curve, for each key of the list?
 */
static bool
is_high(Reader *reader, const AtidLogEntry *keys, const uint8_t *signature)
{
	int			count = atid_log_key_count(keys);
	bool		high = false;

	for (int i = 0; i < count; i++)
	{
		JsonbValue	key;
		AtidVerifier *verifier;

		CHECK_FOR_INTERRUPTS();
		atid_log_key(keys, i, &key);
		verifier = verifier_of_key(reader->ring, &key);
		if (verifier == NULL)
			continue;
		high = memcmp(signature + ATID_SCALAR_LEN, half_order_head[verifier->key.curve],
					  sizeof(half_order_head[0])) > 0;
		if (!high)
			break;
	}
	return high;
}

/*
 * Note that no key has signed.
 */
static bool
note_signature(Reader *reader, const Reading *reading, int keys_of, Verdict verdict)
{
	const AtidLogEntry *keys = &reader->log->entries[keys_of];

	if (is_der(reading->operation.signature))
		return note(reader, reading->n, ".operation.sig",
					"The signature must be r and s in 32 bytes each, and not in DER.");
	if (is_high(reader, keys, reading->operation.signature))
		return note(reader, reading->n, ".operation.sig",
					"The s of the signature must be at most half the order of the curve "
					"(low-S).");
	if (verdict == SIGNED_BEHIND_MALFORMED)
		return note(reader, reading->n, ".operation.sig",
					psprintf("The signature must be by a rotation key of $[%d].operation with no "
							 "malformed key before it.", keys_of));
	return note(reader, reading->n, ".operation.sig",
				psprintf("The signature must be by a rotation key of $[%d].operation.", keys_of));
}

/*
 * Verify the signature of an entry that follows another one, and nullifies first if that
 * is an entry.
 */
static bool
check_signature(Reader *reader, Reading *reading, int first)
{
	AtidLogEntry *entries = reader->log->entries;
	int			keys_of = reading->entry->prev == ATID_LOG_NONE ? reading->n : reading->entry->prev;
	Verdict		verdict;

	if (first == ATID_LOG_NONE)
	{
		verdict = find_signer(reader, &entries[keys_of], atid_log_key_count(&entries[keys_of]),
							  &reading->operation, &reading->entry->signer);
		return verdict == SIGNED || note_signature(reader, reading, keys_of, verdict);
	}

	/* those in front of a key that has signed are well-formed */
	verdict = find_signer_of_fork(reader, &entries[keys_of], entries[first].signer,
								  &reading->operation, &reading->entry->signer);
	return verdict == SIGNED ||
		note(reader, reading->n, ".operation.sig",
			 psprintf("The signature must be by a rotation key of $[%d].operation of a "
					  "lower index than that of $[%d], which is nullified.", keys_of, first));
}


/*
 * The rules of strict
 */

/* Is it "did:key:z" and digits of base58? */
static bool
is_did_key(const JsonbValue *value)
{
	static const char prefix[] = "did:key:z";
	static const char digits[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
	int			len = value->val.string.len;
	const char *str = value->val.string.val;

	if (len <= (int) strlen(prefix) || memcmp(str, prefix, strlen(prefix)) != 0)
		return false;
	for (int i = (int) strlen(prefix); i < len; i++)
	{
		if (str[i] == '\0' || strchr(digits, str[i]) == NULL)
			return false;
	}
	return true;
}

static bool
check_strict_keys(Reader *reader, const Reading *reading)
{
	int			count = atid_log_key_count(reading->entry);

	if (count < 1 || count > ROTATION_KEYS_MAX)
		return note(reader, reading->n, ".operation.rotationKeys",
					psprintf("There must be 1 to %d keys.", ROTATION_KEYS_MAX));
	for (int i = 0; i < count; i++)
	{
		JsonbValue	key;
		JsonbValue	other;

		atid_log_key(reading->entry, i, &key);
		if (verifier_of_key(reader->ring, &key) == NULL)
			return note(reader, reading->n, psprintf(".operation.rotationKeys[%d]", i),
						"The value must be a did:key of curve K-256 or P-256.");
		for (int j = 0; j < i; j++)
		{
			atid_log_key(reading->entry, j, &other);
			if (same_string(&key, other.val.string.val, other.val.string.len))
				return note(reader, reading->n, psprintf(".operation.rotationKeys[%d]", i),
							"A key must not be there twice.");
		}
	}
	return true;
}

static bool
check_strict_methods(Reader *reader, const Reading *reading)
{
	JsonbValue	methods;
	JsonbValue	item;
	JsonbIterator *iterator;
	JsonbIteratorToken token;

	atid_log_field(reading->entry, "verificationMethods", &methods);
	if (JsonContainerSize(methods.val.binary.data) > VERIFICATION_METHODS_MAX)
		return note(reader, reading->n, ".operation.verificationMethods",
					psprintf("There must be at most %d.", VERIFICATION_METHODS_MAX));
	iterator = JsonbIteratorInit(methods.val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		if (token == WJB_VALUE && !is_did_key(&item))
			return note(reader, reading->n, ".operation.verificationMethods",
						"Each value must be a did:key in base58btc.");
	}
	return true;
}

static bool
check_strict(Reader *reader, const Reading *reading)
{
	if (!reader->strict)
		return true;
	if (reading->len > OPERATION_LEN_MAX)
		return note(reader, reading->n, ".operation",
					psprintf("The DAG-CBOR of an operation must be at most %d bytes.",
							 OPERATION_LEN_MAX));
	return reading->entry->type != ATID_OPERATION_UPDATE ||
		(check_strict_keys(reader, reading) && check_strict_methods(reader, reading));
}


/*
 * The form of an entry
 */

static bool
find_field(Reader *reader, int n, JsonbContainer *object, const char *name, JsonbValue *value)
{
	if (!find_value(object, name, value))
		return note(reader, n, psprintf(".%s", name),
					"An entry must have this field.");
	return true;
}

static bool
find_string(Reader *reader, int n, JsonbContainer *object, const char *name, JsonbValue *value)
{
	if (!find_field(reader, n, object, name, value))
		return false;
	return value->type == jbvString ||
		note(reader, n, psprintf(".%s", name),
			 "The value must be a string.");
}

/*
 * An operation, which stands where an entry should, has these fields itself.
 */
static bool
is_operation(JsonbContainer *object)
{
	JsonbValue	value;

	return !find_value(object, "operation", &value) &&
		find_value(object, "prev", &value) && find_value(object, "sig", &value);
}

static bool
read_created(Reader *reader, Reading *reading, JsonbContainer *object)
{
	JsonbValue	value;
	int64_t		us;
	size_t		at;

	if (!find_string(reader, reading->n, object, "createdAt", &value))
		return false;
	if (atid_datetime_parse(value.val.string.val, (size_t) value.val.string.len, &us,
							&at) != ATID_OK)
		return note(reader, reading->n, ".createdAt",
					"The value must be a datetime, such as \"2024-02-22T04:31:08.867Z\".");
	reading->entry->created = us - EPOCH_US;
	return true;
}

static bool
read_claim(Reader *reader, Reading *reading, JsonbContainer *object)
{
	JsonbValue	value;

	reading->entry->claim = -1;
	if (!find_value(object, "nullified", &value) || value.type == jbvNull)
		return true;
	if (value.type != jbvBool)
		return note(reader, reading->n, ".nullified",
					"The value must be true or false.");
	reading->entry->claim = value.val.boolean;
	return true;
}

static bool
read_operation(Reader *reader, Reading *reading, JsonbContainer *object)
{
	JsonbValue	value;
	char	   *problem;

	if (!find_field(reader, reading->n, object, "operation", &value))
		return false;
	if (value.type != jbvBinary)
		return note(reader, reading->n, ".operation",
					"The value must be an object.");
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
read_form(Reader *reader, Reading *reading)
{
	JsonbValue *item = getIthJsonbValueFromContainer(reader->json, (uint32) reading->n);
	JsonbContainer *object;

	if (item->type != jbvBinary || !JsonContainerIsObject(item->val.binary.data))
		return note(reader, reading->n, "",
					"The value must be an object.");
	object = item->val.binary.data;
	if (is_operation(object))
		return note(reader, reading->n, "",
					"An entry must be one of the audit log or of an export, and not an "
					"operation alone.");
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
check_hash(Reader *reader, Reading *reading)
{
	uint8_t    *block = atid_operation_block(&reading->operation, true, &reading->len);
	uint8_t		cid[ATID_CID_BLESSED_LEN] = {
		1, ATID_CODEC_DAG_CBOR, ATID_HASH_SHA2_256, ATID_SHA2_256_LEN
	};
	char		text[ATID_LOG_CID_LEN];

	atid_sha256_once(block, reading->len, reading->digest);
	pfree(block);
	memcpy(cid + sizeof(cid) - ATID_SHA2_256_LEN, reading->digest, ATID_SHA2_256_LEN);
	atid_cid_to_text(cid, sizeof(cid), text);
	if (!same_string(&reading->cid, text, sizeof(text)))
		return note(reader, reading->n, ".cid",
					"The value must be the CID of the operation.");
	reading->entry->cid = reading->cid.val.string.val;
	return true;
}

static bool
check_did(Reader *reader, Reading *reading)
{
	char		did[ATID_PLC_DID_LEN];

	if (reading->n > 0)
		return same_string(&reading->did, reader->log->did, ATID_PLC_DID_LEN) ||
			note(reader, reading->n, ".did",
				 "The value must be the same in all entries.");
	atid_operation_did(reading->digest, did);
	reader->log->did = reading->did.val.string.val;
	return same_string(&reading->did, did, sizeof(did)) ||
		note(reader, reading->n, ".did",
			 "The value must be the DID that the genesis operation makes.");
}

/*
 * Note why an operation that is not in the chain cannot be followed.
 */
static bool
note_prev(Reader *reader, const Reading *reading, const JsonbValue *prev)
{
	for (int i = 0; i < reading->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (same_string(prev, reader->log->entries[i].cid, ATID_LOG_CID_LEN))
			return note(reader, reading->n, ".operation.prev",
						psprintf("The operation must not follow $[%d], which $[%d] has nullified.",
								 i, reader->log->entries[i].nullifier));
	}
	return note(reader, reading->n, ".operation.prev",
				"The value must be the CID of an operation before.");
}

/*
 * Find the entry that the operation follows, and the first one that it nullifies, if any.
 */
static bool
find_prev(Reader *reader, Reading *reading, int *first)
{
	AtidLogEntry *entries = reader->log->entries;
	int			at = reading->n - 1;	/* the end of the chain */
	JsonbValue	prev;

	*first = ATID_LOG_NONE;
	if (reading->operation.genesis)
		return reading->n == 0 ||
			note(reader, reading->n, ".operation.prev",
				 "The value must not be null after the first operation.");
	if (reading->n == 0)
		return note(reader, reading->n, ".operation.prev",
					"The value must be null in the first operation.");

	atid_log_field(reading->entry, "prev", &prev);
	while (at != ATID_LOG_NONE && !same_string(&prev, entries[at].cid, ATID_LOG_CID_LEN))
	{
		CHECK_FOR_INTERRUPTS();
		*first = at;
		at = entries[at].prev;
	}
	if (at == ATID_LOG_NONE)
		return note_prev(reader, reading, &prev);
	if (entries[at].type == ATID_OPERATION_TOMBSTONE)
		return note(reader, reading->n, ".operation.prev",
					psprintf("The operation must not follow $[%d], which is a tombstone.", at));
	reading->entry->prev = at;
	return true;
}

static bool
check_times(Reader *reader, const Reading *reading, int first)
{
	const AtidLogEntry *entries = reader->log->entries;

	if (reading->n > 0 && reading->entry->created <= entries[reading->n - 1].created)
		return note(reader, reading->n, ".createdAt",
					"The time must be later than that of the entry before.");
	if (first != ATID_LOG_NONE &&
		reading->entry->created - entries[first].created > RECOVERY_WINDOW)
		return note(reader, reading->n, ".createdAt",
					psprintf("The time must be at most 72 hours after that of $[%d], which is "
							 "nullified.", first));
	return true;
}

static void
nullify(Reader *reader, const Reading *reading)
{
	AtidLogEntry *entries = reader->log->entries;

	for (int at = reading->n - 1; at != reading->entry->prev; at = entries[at].prev)
	{
		CHECK_FOR_INTERRUPTS();
		entries[at].nullifier = reading->n;
	}
}

static bool
read_entry(Reader *reader, int n)
{
	Reading		reading = {.n = n};
	int			first;

	reading.entry = &reader->log->entries[n];
	reading.entry->prev = ATID_LOG_NONE;
	reading.entry->signer = ATID_LOG_NONE;
	reading.entry->nullifier = ATID_LOG_NONE;
	if (!read_form(reader, &reading) ||
		!check_hash(reader, &reading) ||
		!find_prev(reader, &reading, &first) ||
		!check_did(reader, &reading) ||
		!check_times(reader, &reading, first) ||
		!check_strict(reader, &reading) ||
		!check_signature(reader, &reading, first))
		return false;
	nullify(reader, &reading);
	return true;
}

/*
 * Compare which operations are nullified with what the log says, where it does.
 */
static bool
check_claims(Reader *reader)
{
	for (int i = 0; i < reader->log->count; i++)
	{
		const AtidLogEntry *entry = &reader->log->entries[i];

		CHECK_FOR_INTERRUPTS();
		if (entry->claim == 0 && entry->nullifier != ATID_LOG_NONE)
			return note(reader, i, ".nullified",
						psprintf("The value must be true, as $[%d] nullifies the operation.",
								 entry->nullifier));
		if (entry->claim == 1 && entry->nullifier == ATID_LOG_NONE)
			return note(reader, i, ".nullified",
						"The value must be false, as no entry nullifies the operation.");
	}
	return true;
}

static bool
read_entries(Reader *reader)
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

/*
 * Read a log and verify it.  Returns NULL, or why it is not valid: the place, and the rule
 * that is broken; then the log has no meaning.
 */
char *
atid_log_read(AtidLog *log, JsonbContainer *json, bool strict, AtidKeyring *ring)
{
	Reader		reader = {.log = log,.strict = strict,.ring = ring,.json = json,.capacity = 16};

	if (!JsonContainerIsArray(json) || JsonContainerIsScalar(json))
		return pstrdup("$: The value must be an array.");
	if (JsonContainerSize(json) == 0)
		return pstrdup("$: A log must have an operation.");

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
