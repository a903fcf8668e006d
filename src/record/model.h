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

#include "codec/conform.h"
#include "compat.h"
#include "record/inspect.h"

/* The rules that a record is checked by; model.c lists them. */
typedef enum AtidRules
{
	ATID_RULES_CODEC,			/* it has a block */
	ATID_RULES_MODEL,			/* and follows the data model */
	ATID_RULES_STRICT			/* and its advice for new records */
} AtidRules;

extern AtidFault atid_find_problem(AtidInspector *in, AtidRules rules, bool *of_item);
extern AtidFault atid_find_nonconformity(AtidInspector *in, AtidConform *conform, bool *of_item);
extern char *atid_describe_problem(Jsonb *jb, AtidRules rules);
extern char *atid_problem_text(const AtidInspector *in, AtidFault problem, bool of_item);
extern bool atid_level_is_legacy_blob(const AtidLevel *level);
extern bool atid_walk_fault_is_of_item(const AtidJsonbWalk *walk);
pg_noreturn extern void atid_refuse_record(AtidFault fault, const char *what,
										   const char *detail);

#endif							/* ATID_MODEL_H */
