/*-------------------------------------------------------------------------
 *
 * formats.h
 *		The list of Lexicon's string formats.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FORMATS_H
#define ATID_FORMATS_H

/*
 * All formats, in the order of their names: the end of a symbol, the name, and the scanner.
 * What is made of each stands where it is used; the first one can be made something else of.
 */
#define ATID_FORMATS(FIRST, OTHER) \
	FIRST(AT_IDENTIFIER, "at-identifier", atid_identifier_scan) \
	OTHER(AT_URI, "at-uri", scan_at_uri) \
	OTHER(CID, "cid", atid_cid_string_scan) \
	OTHER(DATETIME, "datetime", scan_datetime) \
	OTHER(DID, "did", atid_did_scan) \
	OTHER(HANDLE, "handle", atid_handle_scan) \
	OTHER(LANGUAGE, "language", atid_language_scan) \
	OTHER(NSID, "nsid", atid_nsid_scan) \
	OTHER(RECORD_KEY, "record-key", atid_record_key_scan) \
	OTHER(TID, "tid", atid_tid_scan) \
	OTHER(URI, "uri", atid_uri_scan)

/* All their names, as a list for a message. */
#define ATID_FORMAT_FIRST_NAME(symbol, name, scan) name
#define ATID_FORMAT_OTHER_NAME(symbol, name, scan) ", " name
#define ATID_FORMAT_LIST ATID_FORMATS(ATID_FORMAT_FIRST_NAME, ATID_FORMAT_OTHER_NAME)

#endif							/* ATID_FORMATS_H */
