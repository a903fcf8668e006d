/*-------------------------------------------------------------------------
 *
 * model.h
 *		What is wrong with a record.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_MODEL_H
#define ATID_MODEL_H

#include "utils/jsonb.h"

#include "compat.h"
#include "record/inspect.h"

/* What is asked of a record. */
typedef enum AtidRules
{
	ATID_RULES_CODEC,			/* that it has a block */
	ATID_RULES_MODEL,			/* and is of the data model */
	ATID_RULES_STRICT			/* and keeps to its advice for what is written
								 * anew */
} AtidRules;

typedef enum AtidProblem
{
	ATID_PROBLEM_NONE,
	ATID_PROBLEM_CODEC,			/* the walk's fault */
	ATID_PROBLEM_TOP,
	ATID_PROBLEM_TYPE,
	ATID_PROBLEM_LINK_BLESSED,
	ATID_PROBLEM_BLOB_REF,
	ATID_PROBLEM_BLOB_CODEC,
	ATID_PROBLEM_BLOB_MIME_TYPE,
	ATID_PROBLEM_BLOB_SIZE,
	ATID_PROBLEM_KEY_SPECIAL,	/* only of a block */

	/* only by the strict rules */
	ATID_PROBLEM_KEY_RESERVED,
	ATID_PROBLEM_TYPE_RECORD,
	ATID_PROBLEM_TYPE_NSID,
	ATID_PROBLEM_NO_TYPE,
	ATID_PROBLEM_INTEGER_SAFE,
	ATID_PROBLEM_BLOB_EMPTY,
	ATID_PROBLEM_BLOB_LEGACY
} AtidProblem;

extern AtidProblem atid_find_problem(AtidInspector *in, AtidRules rules, bool *of_item);
extern char *atid_describe_problem(Jsonb *jb, AtidRules rules);
extern char *atid_problem_text(const AtidInspector *in, AtidProblem problem, bool of_item);
extern bool atid_level_is_legacy_blob(const AtidLevel *level);
extern bool atid_walk_fault_is_of_item(const AtidJsonbWalk *walk);
pg_noreturn extern void atid_refuse_record(AtidJsonbFault fault, const char *what,
										   const char *detail);

#endif							/* ATID_MODEL_H */
