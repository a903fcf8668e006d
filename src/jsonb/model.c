/*-------------------------------------------------------------------------
 *
 * model.c
 *		What is wrong with a record.
 *
 * carries any value that DAG-CBOR and JSON both can say, any CIDv1 in its
 * links, any value on top.  The model (record_is_valid, record_problem) asks
 * for more ("Data Model"):
 *
 *		the top is an object;
 *		"$type" is a string that is not empty, wherever it stands;
 *		links are blessed (multiformat.h);
 *		a blob, an object of $type "blob", has a ref that is a link of codec raw,
 *		a mimeType that is not empty, and a size that is an integer of 0 or
 *		more.  (The specification says more than 0; there are records with 0.)
 *
 * A legacy blob, an object with cid and mimeType and no $type, is nothing
 * special to the model, and is reported as a blob.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "codec/multiformat.h"
#include "jsonb/model.h"

static const char *
problem_words(AtidProblem problem, const AtidJsonbWalk *walk)
{
	switch (problem)
	{
		case ATID_PROBLEM_NONE:
			return "No problem.";
		case ATID_PROBLEM_CODEC:
			return atid_jsonb_words(walk->fault, walk->cid_fault);
		case ATID_PROBLEM_TOP:
			return "A record is an object.";
		case ATID_PROBLEM_TYPE:
			return "A \"$type\" is a string that is not empty.";
		case ATID_PROBLEM_LINK_BLESSED:
			return "The CID is none that the protocol makes: "
				"codec dag-cbor or raw, SHA-256 of 32 bytes.";
		case ATID_PROBLEM_BLOB_REF:
			return "A blob has a \"ref\", which is a link.";
		case ATID_PROBLEM_BLOB_CODEC:
			return "The \"ref\" of a blob has the codec raw.";
		case ATID_PROBLEM_BLOB_MIME_TYPE:
			return "A blob has a \"mimeType\", which is a string that is not empty.";
		case ATID_PROBLEM_BLOB_SIZE:
			return "A blob has a \"size\", which is an integer of 0 or more.";
	}
	return "Unknown problem.";
}

/*
 * Is the current item at fault, or the object that it is in?
 */
bool
atid_walk_fault_is_of_item(const AtidJsonbWalk *walk)
{
	return walk->fault != ATID_JSONB_LINK_KEYS && walk->fault != ATID_JSONB_BYTES_KEYS;
}

/* The SQLSTATE of a walk's fault. */
int
atid_walk_fault_code(const AtidJsonbWalk *walk)
{
	return walk->fault == ATID_JSONB_DEPTH ?
		ERRCODE_PROGRAM_LIMIT_EXCEEDED : ERRCODE_INVALID_PARAMETER_VALUE;
}

/*
 * What is wrong with a map that ends here, which says that it is a blob?
 */
static AtidProblem
blob_problem(const AtidLevel *level)
{
	if (level->ref.data == NULL)
		return ATID_PROBLEM_BLOB_REF;
	if (level->ref.len == 0)
		return ATID_PROBLEM_BLOB_CODEC;
	if (level->mime_type.data == NULL || level->mime_type.len == 0)
		return ATID_PROBLEM_BLOB_MIME_TYPE;
	if (!level->has_size || level->size < 0)
		return ATID_PROBLEM_BLOB_SIZE;
	return ATID_PROBLEM_NONE;
}

/*
 * The first problem of a record, and where: at the item that the inspector has
 * come to, or at the array or map itself.
 */
AtidProblem
atid_find_problem(AtidInspector *in, bool model, bool *of_item)
{
	*of_item = true;
	for (;;)
	{
		AtidCborEvent event = atid_inspect_next(in);
		AtidLevel  *level = &in->levels[in->depth];

		if (event == ATID_CBOR_FAULT)
		{
			*of_item = atid_walk_fault_is_of_item(in->walk);
			return ATID_PROBLEM_CODEC;
		}
		if (event == ATID_CBOR_END)
			return ATID_PROBLEM_NONE;
		if (model && in->depth == 0 && event != ATID_CBOR_MAP && event != ATID_CBOR_MAP_END)
			return ATID_PROBLEM_TOP;

		switch (event)
		{
			case ATID_CBOR_LINK:
				if (model &&
					!atid_cid_is_blessed(in->item.data, in->item.len))
					return ATID_PROBLEM_LINK_BLESSED;
				/* a ref of another codec counts as one without bytes */
				if (level->map && atid_level_key_is(level, "ref", 3) &&
					in->item.data[1] != ATID_CODEC_RAW)
					level->ref.len = 0;
				break;
			case ATID_CBOR_MAP:
			case ATID_CBOR_ARRAY:
				atid_inspect_enter(in, event);
				break;
			case ATID_CBOR_MAP_END:
				if (model && level->is_blob)
				{
					AtidProblem problem = blob_problem(level);

					if (problem != ATID_PROBLEM_NONE)
					{
						*of_item = false;
						return problem;
					}
				}
				atid_inspect_leave(in);
				break;
			case ATID_CBOR_ARRAY_END:
				atid_inspect_leave(in);
				break;
			default:
				break;
		}

		/* the $type of the level that the value belongs to */
		if (model && level->map && event != ATID_CBOR_KEY && event != ATID_CBOR_MAP_END &&
			atid_level_key_is(level, "$type", 5) &&
			(event != ATID_CBOR_TEXT || in->item.len == 0))
		{
			if (event == ATID_CBOR_MAP || event == ATID_CBOR_ARRAY)
				atid_inspect_leave(in);
			return ATID_PROBLEM_TYPE;
		}
	}
}

/*
 * The first problem of a jsonb as a sentence with its path, or NULL.
 */
char *
atid_describe_problem(Jsonb *jb, bool model)
{
	AtidJsonbWalk walk;
	AtidInspector in;
	bool		of_item;
	AtidProblem problem;

	atid_jsonb_walk_init(&walk, &jb->root);
	atid_inspect_init(&in, NULL, &walk);
	problem = atid_find_problem(&in, model, &of_item);
	if (problem == ATID_PROBLEM_NONE)
		return NULL;
	return psprintf("%s: %s", atid_inspect_path(&in, in.depth, of_item),
					problem_words(problem, &walk));
}
