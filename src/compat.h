/*-------------------------------------------------------------------------
 *
 * compat.h
 *		What differs between the server versions atid supports (15 to 19).
 *
 * The only place in the tree that looks at PG_VERSION_NUM.  A difference is
 * bridged by giving older versions the newer name, or by a macro that states which
 * of two ways a version has.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_COMPAT_H
#define ATID_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "atid needs PostgreSQL 15 or later"
#endif

/* 16 moved the varlena macros into a header of their own. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 16 brought soft errors; before, every input error is raised. */
#if PG_VERSION_NUM < 160000
#define DirectInputFunctionCallSafe(func, str, typioparam, typmod, escontext, result) \
	(*(result) = DirectFunctionCall1(func, CStringGetDatum(str)), true)
#define ereturn(context, dummy_value, ...) \
	do { \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
		return dummy_value; \
	} while (0)
#endif

/*
 * Has this transaction given an older relation a new file?  16 renamed the field.
 */
#if PG_VERSION_NUM >= 160000
#define atid_has_new_file(rel) \
	((rel)->rd_createSubid == InvalidSubTransactionId && \
	 (rel)->rd_firstRelfilelocatorSubid != InvalidSubTransactionId)
#else
#define atid_has_new_file(rel) \
	((rel)->rd_createSubid == InvalidSubTransactionId && \
	 (rel)->rd_firstRelfilenodeSubid != InvalidSubTransactionId)
#endif

/*
 * 17 has a registry of named dynamic shared memory segments; before, a library
 * takes a named piece of the main segment.  19 added an argument to the
 * registry's initialization callback.
 */
#if PG_VERSION_NUM >= 170000
#define ATID_HAVE_DSM_REGISTRY
#if PG_VERSION_NUM >= 190000
#define ATID_SHMEM_INIT_ARGS void *ptr, void *arg
#define atid_named_dsm_segment(name, size, init, found) \
	GetNamedDSMSegment(name, size, init, found, NULL)
#else
#define ATID_SHMEM_INIT_ARGS void *ptr
#define atid_named_dsm_segment(name, size, init, found) \
	GetNamedDSMSegment(name, size, init, found)
#endif
#endif

/* 17 moved the number that the current transaction has in this backend. */
#if PG_VERSION_NUM >= 170000
#define atid_my_lxid() (MyProc->vxid.lxid)
#else
#define atid_my_lxid() (MyProc->lxid)
#endif

/* 17 lets an extension name its wait events. */
#if PG_VERSION_NUM >= 170000
#define atid_wait_event(name) WaitEventExtensionNew(name)
#else
#define atid_wait_event(name) PG_WAIT_EXTENSION
#endif

/* 19 builds a jsonb in a state of its own. */
#if PG_VERSION_NUM >= 190000
#define ATID_HAVE_JSONB_IN_STATE
#endif

/* 18 has pg_noreturn, which stands before the type of a function. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* 17 lets the caller provide the memory of a JSON lexer. */
#if PG_VERSION_NUM >= 170000
#define atid_make_json_lexer(json, len, encoding) \
	makeJsonLexContextCstringLen(NULL, json, len, encoding, false)
#else
#define atid_make_json_lexer(json, len, encoding) \
	makeJsonLexContextCstringLen((char *) (json), len, encoding, false)
#endif

/* 19 has a function with another name, and a soft error. */
#if PG_VERSION_NUM >= 190000
#include "nodes/miscnodes.h"
#include "utils/numeric.h"

static inline int32
numeric_int4_opt_error(Numeric num, bool *have_error)
{
	ErrorSaveContext error = {.type = T_ErrorSaveContext};
	int32		value = numeric_int4_safe(num, (Node *) &error);

	*have_error = error.error_occurred;
	return value;
}
#endif

/*
 * A setting with this flag keeps its value from ALTER DATABASE or SET if the
 * library is first loaded during a parallel query.  15 to 17 have it since 15.9,
 * 16.5 and 17.1.  Older ones warn and use the default, and the generator then refuses
 * to draw (atid_settings_lost).
 */
#include "utils/guc.h"
#ifndef GUC_ALLOW_IN_PARALLEL
#define GUC_ALLOW_IN_PARALLEL 0
#endif

/*
 * May everybody call a function?  16 has one function for the privileges on all kinds of objects.
 */
#include "utils/acl.h"
#if PG_VERSION_NUM >= 160000
#include "catalog/pg_proc.h"
#define atid_public_may_execute(function) \
	(object_aclcheck(ProcedureRelationId, function, ACL_ID_PUBLIC, ACL_EXECUTE) == ACLCHECK_OK)
#else
#define atid_public_may_execute(function) \
	(pg_proc_aclcheck(function, ACL_ID_PUBLIC, ACL_EXECUTE) == ACLCHECK_OK)
#endif

/* 18 lets a library tell its name and version. */
#if PG_VERSION_NUM >= 180000
#define ATID_MODULE_MAGIC(module) \
	PG_MODULE_MAGIC_EXT(.name = module, .version = ATID_VERSION)
#else
#define ATID_MODULE_MAGIC(module) PG_MODULE_MAGIC
#endif

/* 16 left out the kind of failure; 17 and 19 can ask who has locked a page. */
#ifdef USE_ASSERT_CHECKING
#if PG_VERSION_NUM >= 160000
#define atid_exceptional_condition(condition, file, line) \
	ExceptionalCondition(condition, file, line)
#else
#define atid_exceptional_condition(condition, file, line) \
	ExceptionalCondition(condition, "FailedAssertion", file, line)
#endif
#if PG_VERSION_NUM >= 190000
#define atid_page_is_locked(buffer) \
	BufferIsLockedByMeInMode(buffer, BUFFER_LOCK_EXCLUSIVE)
#elif PG_VERSION_NUM >= 170000
#define atid_page_is_locked(buffer) BufferIsExclusiveLocked(buffer)
#else
#include "storage/buf_internals.h"
#define atid_page_is_locked(buffer) \
	LWLockHeldByMeInMode(BufferDescriptorGetContentLock(GetBufferDescriptor((buffer) - 1)), \
						 LW_EXCLUSIVE)
#endif
#endif

#endif							/* ATID_COMPAT_H */
