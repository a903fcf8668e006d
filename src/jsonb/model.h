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

#include "jsonb/inspect.h"

typedef enum AtidProblem
{
	ATID_PROBLEM_NONE,
	ATID_PROBLEM_CODEC,				/* the walk's fault */
	ATID_PROBLEM_TOP,
	ATID_PROBLEM_TYPE,
	ATID_PROBLEM_LINK_BLESSED,
	ATID_PROBLEM_BLOB_REF,
	ATID_PROBLEM_BLOB_CODEC,
	ATID_PROBLEM_BLOB_MIME_TYPE,
	ATID_PROBLEM_BLOB_SIZE
} AtidProblem;

extern AtidProblem atid_find_problem(AtidInspector *in, bool model, bool *of_item);
extern char *atid_describe_problem(Jsonb *jb, bool model);
extern bool atid_walk_fault_is_of_item(const AtidJsonbWalk *walk);
extern int	atid_walk_fault_code(const AtidJsonbWalk *walk);

#endif							/* ATID_MODEL_H */
