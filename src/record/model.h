/*-------------------------------------------------------------------------
 *
 * model.h
 *		The rules of the data model: what is wrong with a record.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_MODEL_H
#define ATID_MODEL_H

#include "utils/jsonb.h"

#include "codec/lexicon/conform.h"
#include "compat.h"
#include "record/inspector.h"

/* The rules that a record is checked by; model.c lists them. */
typedef enum AtidRules
{
	ATID_RULES_CODEC,			/* it has a block */
	ATID_RULES_MODEL,			/* and follows the data model */
	ATID_RULES_STRICT			/* and its advice for new records */
} AtidRules;

/*
 * Read what the inspector is on to its end, and return the first problem by the rules, or
 * ATID_OK.  *of_item says whether the current item has it, or the array or map that it is in.
 */
extern AtidFault atid_find_problem(AtidInspector *in, AtidRules rules, bool *of_item);

/*
 * The same, by the model and by the schema with which conform has begun.
 */
extern AtidFault atid_find_nonconformity(AtidInspector *in, AtidConform *conform, bool *of_item);

/*
 * The first problem of a jsonb as a sentence with its path, in the current memory context,
 * or NULL.
 */
extern char *atid_describe_problem(Jsonb *jb, AtidRules rules);

/*
 * A problem as a sentence with its path, likewise.  Not for faults of a block, for which the
 * reader has the byte.
 */
extern char *atid_problem_text(const AtidInspector *in, AtidFault problem, bool of_item);

/*
 * Is a map that ends here a legacy blob: without a $type, and with a mimeType and a
 * CID of any kind as a string?
 */
extern bool atid_level_is_legacy_blob(const AtidLevel *level);

/*
 * Is the current item at fault, or the object that it is in?
 */
extern bool atid_walk_fault_is_of_item(const AtidJsonbWalk *walk);

/*
 * Raise a fault as an error: what could not be done, and the place and the rule.
 */
pg_noreturn extern void atid_refuse_record(AtidFault fault, const char *what,
										   const char *detail);

#endif							/* ATID_MODEL_H */
