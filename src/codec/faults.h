/*-------------------------------------------------------------------------
 * faults.h
 *		The list of what can be wrong with a value: a symbol, and the rule in words.
 *
 * Define ATID_FAULT(symbol, words) before including this.  There is no #ifndef, as
 * it is included twice: fault.h makes the enum of it, fault.c the words.
 *
 * The words are a whole sentence that states the rule.  The place is not among
 * them: it is returned next to the fault.  NUMBER() is fault.c's, for a limit of
 * limits.h.  Some words have a %s, for a limit or a name that a schema has, or for
 * another entry of a log.
 *
 *-------------------------------------------------------------------------
 */

ATID_FAULT(ATID_OK, "")
ATID_FAULT(ATID_NO_MEMORY, "Out of memory.")

/* base32.c, of a CID's text */
ATID_FAULT(ATID_BASE32_UPPER, "A CID must not contain upper-case letters.")
ATID_FAULT(ATID_BASE32_PADDING, "A CID must not have padding.")
ATID_FAULT(ATID_BASE32_CHARACTER, "A CID must contain only the characters a-z and 2-7.")
ATID_FAULT(ATID_BASE32_LENGTH, "A CID must have a length that the base32 of whole bytes has.")
ATID_FAULT(ATID_BASE32_SPARE, "The spare bits in the last character of a CID must be zero.")

/* multiformat.c: of a text, and then of bytes */
ATID_FAULT(ATID_CID_MULTIBASE, "A CID must be base32 in lower case and begin with \"b\".")
ATID_FAULT(ATID_VARINT_SHORTEST, "A varint must be in its shortest form.")
ATID_FAULT(ATID_VARINT_LONG, "A varint must have at most " NUMBER(ATID_VARINT_MAX_LEN) " bytes.")
ATID_FAULT(ATID_CID_V0, "A CID must be of version 1, and this is a CIDv0.")
ATID_FAULT(ATID_CID_VERSION, "A CID must be of version 1.")
ATID_FAULT(ATID_CID_TRUNCATED, "A CID must not end before its digest.")
ATID_FAULT(ATID_CID_DIGEST, "The digest of a CID must be as long as the CID says.")
ATID_FAULT(ATID_CID_TRAILING, "A CID must end after its digest.")

/* tid.c */
ATID_FAULT(ATID_TID_LENGTH, "A TID must have exactly 13 characters.")
ATID_FAULT(ATID_TID_FIRST, "The first character of a TID must be one of 234567abcdefghij.")
ATID_FAULT(ATID_TID_CHARACTER, "A TID must have only the characters 234567abcdefghijklmnopqrstuvwxyz.")

/* address.c */
ATID_FAULT(ATID_DID_LENGTH, "A DID must have at most " NUMBER(ATID_DID_MAX) " characters.")
ATID_FAULT(ATID_DID_PREFIX, "A DID must begin with \"did:\".")
ATID_FAULT(ATID_DID_METHOD, "The method of a DID must be lower-case letters, followed by \":\".")
ATID_FAULT(ATID_DID_CHARACTER, "A DID must have only letters, digits and \"._:%-\".")
ATID_FAULT(ATID_DID_END, "A DID must end in an identifier, not in \":\" or \"%\".")
ATID_FAULT(ATID_HANDLE_LENGTH, "A handle must have at most " NUMBER(ATID_HANDLE_MAX) " characters.")
ATID_FAULT(ATID_HANDLE_CHARACTER, "A handle must have only letters, digits, hyphens and periods.")
ATID_FAULT(ATID_HANDLE_SEGMENTS, "A handle must have at least two segments, with a period between them.")
ATID_FAULT(ATID_HANDLE_SEGMENT_LENGTH, "A segment of a handle must have 1 to " NUMBER(ATID_SEGMENT_MAX) " characters.")
ATID_FAULT(ATID_HANDLE_HYPHEN, "A segment of a handle must not begin or end with a hyphen.")
ATID_FAULT(ATID_HANDLE_LAST, "The last segment of a handle must not begin with a digit.")
ATID_FAULT(ATID_NSID_LENGTH, "An NSID must have at most " NUMBER(ATID_NSID_MAX) " characters.")
ATID_FAULT(ATID_NSID_CHARACTER, "An NSID must have only letters, digits, hyphens and periods.")
ATID_FAULT(ATID_NSID_SEGMENTS, "An NSID must have at least three segments, with periods between them.")
ATID_FAULT(ATID_NSID_SEGMENT_LENGTH, "A segment of an NSID must have 1 to " NUMBER(ATID_SEGMENT_MAX) " characters.")
ATID_FAULT(ATID_NSID_HYPHEN, "A segment of an NSID must not begin or end with a hyphen.")
ATID_FAULT(ATID_NSID_FIRST, "The first segment of an NSID must not begin with a digit.")
ATID_FAULT(ATID_NSID_NAME, "The last segment of an NSID must be letters and digits, a letter first.")
ATID_FAULT(ATID_NSID_AUTHORITY_LENGTH, "An NSID must have at most " NUMBER(ATID_NSID_AUTHORITY_MAX) " characters before its last segment.")
ATID_FAULT(ATID_RECORD_KEY_LENGTH, "A record key must have 1 to " NUMBER(ATID_RECORD_KEY_MAX) " characters.")
ATID_FAULT(ATID_RECORD_KEY_CHARACTER, "A record key must have only letters, digits and \".-_:~\".")
ATID_FAULT(ATID_RECORD_KEY_DOTS, "A record key must not be \".\" or \"..\".")
ATID_FAULT(ATID_AT_URI_PREFIX, "An AT URI must begin with \"at://\".")
ATID_FAULT(ATID_AT_URI_EMPTY, "An AT URI must not have an empty part, or end in a slash.")
ATID_FAULT(ATID_AT_URI_PARTS, "An AT URI must not have a part after its record key.")
ATID_FAULT(ATID_AT_URI_EXTRA, "An AT URI must not have a query or a fragment.")

/* format.c */
ATID_FAULT(ATID_FORMAT_NULL, "The format must not be NULL.")
ATID_FAULT(ATID_URI_SCHEME, "A URI must begin with a scheme and a colon, such as \"https:\".")
ATID_FAULT(ATID_URI_EMPTY, "A URI must not end after its scheme.")
ATID_FAULT(ATID_URI_CHARACTER, "A URI must have only letters, digits and \"-._~:/?#[]@!$&'()*+,;=%\".")
ATID_FAULT(ATID_URI_ESCAPE, "A \"%\" in a URI must be followed by two hexadecimal digits.")
ATID_FAULT(ATID_URI_FRAGMENT, "A URI must not have more than one \"#\".")
ATID_FAULT(ATID_URI_BRACKET, "A URI must have brackets only in its authority, after \"//\".")
ATID_FAULT(ATID_URI_LENGTH, "A URI must have at most " NUMBER(ATID_URI_MAX) " characters.")
ATID_FAULT(ATID_LANGUAGE_CHARACTER, "A language tag must have only letters, digits and hyphens.")
ATID_FAULT(ATID_LANGUAGE_SUBTAG, "A subtag of a language tag must have 1 to 8 characters.")
ATID_FAULT(ATID_LANGUAGE_FIRST, "A language tag must begin with a language of 2 to 8 letters, or with \"x\".")
ATID_FAULT(ATID_LANGUAGE_PLACE, "A language tag must have script, region, variants and extensions in this order.")
ATID_FAULT(ATID_LANGUAGE_EXTENSION, "An extension of a language tag must have a subtag of 2 to 8 characters.")
ATID_FAULT(ATID_LANGUAGE_PRIVATE, "The \"x\" of a language tag must be followed by a subtag.")
ATID_FAULT(ATID_CID_STRING_LENGTH, "A CID must have " NUMBER(ATID_CID_STRING_MIN) " to " NUMBER(ATID_CID_STRING_MAX) " characters.")
ATID_FAULT(ATID_CID_STRING_CHARACTER, "A CID must have only letters, digits, \"+\" and \"=\".")
ATID_FAULT(ATID_CID_STRING_V0, "A CID must not be of version 0, which begins with \"Qmb\".")

/*
 * datetime.c: first those of a string that is in another form, from
 * ATID_DATETIME_DATE to ATID_DATETIME_FORM
 */
ATID_FAULT(ATID_DATETIME_DATE, "The date must be of the form YYYY-MM-DD.")
ATID_FAULT(ATID_DATETIME_SEPARATOR, "There must be a \"T\" between date and time.")
ATID_FAULT(ATID_DATETIME_TIME, "The time must be of the form hh:mm:ss.")
ATID_FAULT(ATID_DATETIME_FRACTION, "There must be a digit after the point.")
ATID_FAULT(ATID_DATETIME_NO_ZONE, "There must be a time zone, \"Z\" or an offset such as \"+01:00\".")
ATID_FAULT(ATID_DATETIME_ZONE, "The time zone must be \"Z\" or an offset such as \"+01:00\".")
ATID_FAULT(ATID_DATETIME_NEGATIVE_ZERO, "The offset must not be \"-00:00\".")
ATID_FAULT(ATID_DATETIME_TRAILING, "There must be nothing after the time zone.")
ATID_FAULT(ATID_DATETIME_FORM, "The text must be in one of the forms that can be normalized.")
ATID_FAULT(ATID_DATETIME_MONTH, "The month must be one of 01 to 12.")
ATID_FAULT(ATID_DATETIME_DAY, "The day must be one that the month has.")
ATID_FAULT(ATID_DATETIME_HOUR, "The hour must be one of 00 to 23.")
ATID_FAULT(ATID_DATETIME_MINUTE, "The minute must be one of 00 to 59.")
ATID_FAULT(ATID_DATETIME_SECOND, "The second must be one of 00 to 59.")
ATID_FAULT(ATID_DATETIME_OFFSET, "The offset must be one of 00:00 to 23:59.")
ATID_FAULT(ATID_DATETIME_BEFORE_0000, "In UTC, the time must not be before the year 0000.")
ATID_FAULT(ATID_DATETIME_AFTER_9999, "In UTC, the time must not be after the year 9999.")

/* dagcbor.c: the encoding, */
ATID_FAULT(ATID_CBOR_ENDS, "A block must not end before its value does.")
ATID_FAULT(ATID_CBOR_LENGTH, "A string must not be longer than what is left of the block.")
ATID_FAULT(ATID_CBOR_COUNT, "An array or map must not have more items than the block has bytes left.")
ATID_FAULT(ATID_CBOR_TRAILING, "A block must end after its value.")
ATID_FAULT(ATID_CBOR_SHORTEST, "An integer or length must be in its shortest form.")
ATID_FAULT(ATID_CBOR_INDEFINITE, "A string, array or map must be of definite length.")
ATID_FAULT(ATID_CBOR_BREAK, "A block must not contain a break code.")
ATID_FAULT(ATID_CBOR_RESERVED, "A value must not begin with a byte that CBOR reserves.")
ATID_FAULT(ATID_CBOR_DEPTH, "Arrays and maps must be nested at most " NUMBER(ATID_CBOR_DEPTH_MAX) " deep.")

/* values, */
ATID_FAULT(ATID_CBOR_RANGE, "An integer must fit into 64 bits with a sign.")
ATID_FAULT(ATID_CBOR_FLOAT, "A number must not be a floating-point number.")
ATID_FAULT(ATID_CBOR_UNDEFINED, "A value must not be undefined.")
ATID_FAULT(ATID_CBOR_SIMPLE, "A simple value must be false, true or null.")
ATID_FAULT(ATID_CBOR_UTF8, "A text must be valid UTF-8.")

/* maps, */
ATID_FAULT(ATID_CBOR_KEY_TYPE, "The key of a map must be a text.")
ATID_FAULT(ATID_CBOR_KEY_ORDER, "The keys of a map must be in the order of length and then bytes.")
ATID_FAULT(ATID_CBOR_KEY_TWICE, "A map must not have a key twice.")

/* links, whose CID has faults of its own, */
ATID_FAULT(ATID_CBOR_TAG, "A tag must be 42, that of a link.")
ATID_FAULT(ATID_CBOR_LINK_TYPE, "A link (tag 42) must be a byte string.")
ATID_FAULT(ATID_CBOR_LINK_PREFIX, "The bytes of a link (tag 42) must begin with 0x00.")

/* and the writer's */
ATID_FAULT(ATID_CBOR_SIZE, "A block must not be larger than a bytea can be.")

/* utf8.c */
ATID_FAULT(ATID_TEXT_EQUIVALENT, "A text must have an equivalent in UTF-8.")

/* JSON that cannot become DAG-CBOR */
ATID_FAULT(ATID_JSON_SYNTAX, "A JSON text must follow the grammar of JSON.")
ATID_FAULT(ATID_JSON_FRACTION, "A number must be an integer.")
ATID_FAULT(ATID_JSON_LINK_KEYS, "An object with \"$link\" must have no other key.")
ATID_FAULT(ATID_JSON_LINK_TYPE, "A \"$link\" must be a string.")
ATID_FAULT(ATID_JSON_BYTES_KEYS, "An object with \"$bytes\" must have no other key.")
ATID_FAULT(ATID_JSON_BYTES_TYPE, "A \"$bytes\" must be a string.")
ATID_FAULT(ATID_JSON_BYTES_ALPHABET, "A \"$bytes\" must be base64, which has only the characters A-Z, a-z, 0-9, + and /.")
ATID_FAULT(ATID_JSON_BYTES_SPACE, "A \"$bytes\" must not contain line breaks or other white space.")
ATID_FAULT(ATID_JSON_BYTES_PADDING, "The padding of a \"$bytes\" must be left out, or make its length a multiple of 4.")
ATID_FAULT(ATID_JSON_BYTES_LENGTH, "A \"$bytes\" must have a length that the base64 of whole bytes has.")
ATID_FAULT(ATID_JSON_SURROGATE, "A text must not contain half of a surrogate pair.")

/* record/model.c: what the data model asks for, and then the strict rules */
ATID_FAULT(ATID_RECORD_TOP, "A record must be an object.")
ATID_FAULT(ATID_RECORD_TYPE, "A \"$type\" must be a string that is not empty.")
ATID_FAULT(ATID_RECORD_LINK_BLESSED, "A CID must be one that the protocol makes: codec dag-cbor or raw, SHA-256 of 32 bytes.")
ATID_FAULT(ATID_RECORD_SPECIAL_KEY, "A map must not have the key \"$link\" or \"$bytes\", which in JSON stands for something else.")
ATID_FAULT(ATID_BLOB_REF, "A blob must have a \"ref\" that is a link.")
ATID_FAULT(ATID_BLOB_CODEC, "The \"ref\" of a blob must have the codec raw.")
ATID_FAULT(ATID_BLOB_MIME_TYPE, "A blob must have a \"mimeType\" that is a string and not empty.")
ATID_FAULT(ATID_BLOB_SIZE, "A blob must have a \"size\" that is an integer of 0 or more.")
ATID_FAULT(ATID_RECORD_RESERVED_KEY, "A key must not begin with \"$\", unless it is \"$type\": such names are the protocol's.")
ATID_FAULT(ATID_RECORD_TYPE_TOP, "The \"$type\" of a record must be an NSID.")
ATID_FAULT(ATID_RECORD_TYPE_NSID, "A \"$type\" must be an NSID, alone or with \"#\" and a name other than \"main\", or it must be \"blob\".")
ATID_FAULT(ATID_RECORD_NO_TYPE, "A record must have a \"$type\".")
ATID_FAULT(ATID_RECORD_INTEGER_SAFE, "An integer must fit into 53 bits and a sign.")
ATID_FAULT(ATID_BLOB_EMPTY, "The \"size\" of a blob must be above 0.")
ATID_FAULT(ATID_BLOB_LEGACY, "A blob must be of the present form, not a legacy blob.")

/* car.c */
ATID_FAULT(ATID_CAR_ENDS, "A CAR must not end where a length should be.")
ATID_FAULT(ATID_CAR_LENGTH, "A header or section must not be longer than what is left of the CAR.")
ATID_FAULT(ATID_CAR_FIELDS, "The header of a CAR must be a map of \"roots\" and \"version\", and of nothing else.")
ATID_FAULT(ATID_CAR_ROOTS, "The \"roots\" of a CAR must be an array of links.")
ATID_FAULT(ATID_CAR_MANY_ROOTS, "A CAR must have at most " NUMBER(ATID_CAR_ROOTS_MAX) " roots.")
ATID_FAULT(ATID_CAR_VERSION, "The \"version\" of a CAR must be 1.")

/* commit.c */
ATID_FAULT(ATID_COMMIT_LARGE, "A commit must have at most " NUMBER(ATID_COMMIT_SIZE_MAX) " bytes.")
ATID_FAULT(ATID_COMMIT_TOP, "A commit must be a map.")
ATID_FAULT(ATID_COMMIT_DID, "A commit must have a \"did\" that is a DID.")
ATID_FAULT(ATID_COMMIT_REV, "A commit must have a \"rev\" that is a TID.")
ATID_FAULT(ATID_COMMIT_SIG, "A commit must have a \"sig\" that is a byte string.")
ATID_FAULT(ATID_COMMIT_DATA, "A commit must have a \"data\" that is a blessed link to a block of DAG-CBOR.")
ATID_FAULT(ATID_COMMIT_PREV, "A commit must have a \"prev\" that is null or a blessed link to a block of DAG-CBOR.")
ATID_FAULT(ATID_COMMIT_VERSION_FIELD, "A commit must have a \"version\" that is 3 or 2.")

/* mst.c, mst_walk.c, mst_build.c: the form of a node, */
ATID_FAULT(ATID_MST_NODE, "A node must be a map of \"e\", an array, and \"l\", a link or null, and of nothing else.")
ATID_FAULT(ATID_MST_ENTRY, "An entry must be a map of \"k\", bytes, \"p\", a number of 0 or more, \"t\", a link or null, and \"v\", a link, and of nothing else.")
ATID_FAULT(ATID_MST_LINK, "A link from node to node must be a blessed CID of codec dag-cbor.")
ATID_FAULT(ATID_MST_MANY_ENTRIES, "A node must have at most " NUMBER(ATID_MST_ENTRIES_MAX) " entries.")

/* keys, */
ATID_FAULT(ATID_MST_KEY_EMPTY, "A key must not be empty.")
ATID_FAULT(ATID_MST_KEY_LONG, "A key must have at most " NUMBER(ATID_MST_KEY_MAX) " bytes.")
ATID_FAULT(ATID_MST_KEY_CHARACTER, "A key must have only printable ASCII characters, and no blanks.")
ATID_FAULT(ATID_MST_PREFIX_FIRST, "The first entry of a node must have the prefix length 0.")
ATID_FAULT(ATID_MST_PREFIX_LONG, "The prefix length of an entry must not be greater than the length of the key before it.")
ATID_FAULT(ATID_MST_PREFIX_SHORT, "The prefix length of an entry must count all bytes that its key shares with the one before it.")
ATID_FAULT(ATID_MST_KEY_ORDER, "A key must be greater than the one before it.")
ATID_FAULT(ATID_MST_KEY_TWICE, "A tree must not have a key twice.")

/* the shape of the tree, */
ATID_FAULT(ATID_MST_KEY_DEPTH, "A key must be in a node whose level is the key's depth.")
ATID_FAULT(ATID_MST_LEVEL_SKIPPED, "A link must lead to a node one level below.")
ATID_FAULT(ATID_MST_BOTTOM, "A node of level 0 must not have links to other nodes.")
ATID_FAULT(ATID_MST_EMPTY, "A node must not be empty, unless it is the root of an empty tree.")
ATID_FAULT(ATID_MST_TOP, "The root must not be a node of nothing but a link to another.")
ATID_FAULT(ATID_MST_DEEP, "The depth of a key must be at most " NUMBER(ATID_MST_DEPTH_MAX) ".")

/* and blocks that are missing or wrong */
ATID_FAULT(ATID_MST_MISSING, "The CAR must have the block of the node.")
ATID_FAULT(ATID_MST_BLOCK, "The block of a node must be the one of its CID.")
ATID_FAULT(ATID_MST_NEEDED, "The CAR must have the block of each node that is needed.")

/* and what operations do not fit */
ATID_FAULT(ATID_MST_ABSENT, "The tree must have a key that was created or updated.")
ATID_FAULT(ATID_MST_OTHER_VALUE, "The tree must have the new value at a key that was created or updated.")
ATID_FAULT(ATID_MST_STILL_THERE, "The tree must not have a key that was deleted.")

/* repository/: the blocks of a CAR, */
ATID_FAULT(ATID_BLOCK_HASH, "A block must have the hash that its CID says.")
ATID_FAULT(ATID_BLOCK_IDENTITY, "The CID of a block must be a hash of it, not an identity.")
ATID_FAULT(ATID_BLOCK_HASH_KIND, "The hash in the CID of a block must be a SHA-256 of 32 bytes, as others cannot be checked.")

/* and a repository in it */
ATID_FAULT(ATID_REPO_NO_ROOT, "The CAR must have a root, which is the commit.")
ATID_FAULT(ATID_REPO_ROOT, "The first root, the commit, must be a blessed CID of codec dag-cbor.")
ATID_FAULT(ATID_REPO_COMMIT_MISSING, "The CAR must have the block of its first root.")
ATID_FAULT(ATID_REPO_PATH, "A path must be a collection, a slash and a record key.")
ATID_FAULT(ATID_REPO_RECORD_MISSING, "The CAR must have the block of the record.")
ATID_FAULT(ATID_REPO_REPEATED, "Blocks that several paths refer to must not be too large, each counted as often as it is referred to again.")

/* frame.c */
ATID_FAULT(ATID_FRAME_LARGE, "A frame must have at most " NUMBER(ATID_FRAME_SIZE_MAX) " bytes.")
ATID_FAULT(ATID_FRAME_HEADER, "The header of a frame must be a map.")
ATID_FAULT(ATID_FRAME_OP, "The header of a frame must have an \"op\" that is an integer.")
ATID_FAULT(ATID_FRAME_T, "The \"t\" of a header must be a name in printable ASCII, and a message must have one.")
ATID_FAULT(ATID_FRAME_NO_BODY, "A frame must have a body after its header.")
ATID_FAULT(ATID_FRAME_BODY, "The body of a frame must be a map.")
ATID_FAULT(ATID_FRAME_ERROR_NAME, "The body of an error must have an \"error\" that is a name in printable ASCII.")

/* event.c: the form of an event, */
ATID_FAULT(ATID_EVENT_LARGE, "An event must have at most " NUMBER(ATID_EVENT_SIZE_MAX) " bytes.")
ATID_FAULT(ATID_EVENT_TOP, "An event must be a map.")
ATID_FAULT(ATID_EVENT_SEQ, "An event must have a \"seq\" that is an integer from 1 to 2^53 - 1.")
ATID_FAULT(ATID_EVENT_TIME, "An event must have a \"time\" that is a datetime.")
ATID_FAULT(ATID_EVENT_REPO, "A #commit must have a \"repo\" that is a DID.")
ATID_FAULT(ATID_EVENT_DID, "A #sync must have a \"did\" that is a DID.")
ATID_FAULT(ATID_EVENT_REV, "An event must have a \"rev\" that is a TID.")
ATID_FAULT(ATID_EVENT_SINCE, "A #commit must have a \"since\" that is a TID or null.")
ATID_FAULT(ATID_EVENT_COMMIT, "A #commit must have a \"commit\" that is a blessed link to a block of DAG-CBOR.")
ATID_FAULT(ATID_EVENT_PREV_DATA, "The \"prevData\" of a #commit must be a blessed link to a block of DAG-CBOR.")
ATID_FAULT(ATID_EVENT_BLOCKS, "An event must have \"blocks\" that are a byte string.")
ATID_FAULT(ATID_EVENT_OPERATIONS, "A #commit must have \"ops\" that are an array.")
ATID_FAULT(ATID_EVENT_COMMIT_BLOCKS_LARGE, "The \"blocks\" of a #commit must have at most " NUMBER(ATID_COMMIT_BLOCKS_MAX) " bytes.")
ATID_FAULT(ATID_EVENT_SYNC_BLOCKS_LARGE, "The \"blocks\" of a #sync must have at most " NUMBER(ATID_SYNC_BLOCKS_MAX) " bytes.")
ATID_FAULT(ATID_EVENT_MANY_OPERATIONS, "A #commit must have at most " NUMBER(ATID_EVENT_OPERATIONS_MAX) " operations.")
ATID_FAULT(ATID_EVENT_OPERATION, "An operation must be a map.")
ATID_FAULT(ATID_EVENT_ACTION, "An operation must have an \"action\": create, update or delete.")
ATID_FAULT(ATID_EVENT_PATH, "An operation must have a \"path\": a collection, a slash and a record key.")
ATID_FAULT(ATID_EVENT_CID, "An operation must have a \"cid\" that is null in a delete and else a link.")
ATID_FAULT(ATID_EVENT_PREV, "The \"prev\" of an operation must be a link, and a create must not have one.")
ATID_FAULT(ATID_EVENT_PREV_SAME, "The \"prev\" of an update must not be its \"cid\".")

/* and what the CAR in it must show */
ATID_FAULT(ATID_EVENT_NOT_AFTER, "The \"rev\" of an event must not be of a time after \"not_after\".")
ATID_FAULT(ATID_EVENT_ROOT, "The \"commit\" of an event must be the first root of its CAR.")
ATID_FAULT(ATID_EVENT_COMMIT_VERSION, "The commit of an event must be of version 3.")
ATID_FAULT(ATID_EVENT_COMMIT_ACCOUNT, "The commit of an event must be of the event's account.")
ATID_FAULT(ATID_EVENT_COMMIT_REV, "The \"rev\" of an event must be that of its commit.")
ATID_FAULT(ATID_EVENT_SINCE_LATE, "The \"since\" of an event must be before its \"rev\".")
ATID_FAULT(ATID_EVENT_PATH_TWICE, "A path must have at most one operation.")
ATID_FAULT(ATID_EVENT_NO_PREV_DATA, "An event must have a \"prevData\", unless its \"since\" is null.")
ATID_FAULT(ATID_EVENT_RECORD_LARGE, "A record must have at most " NUMBER(ATID_EVENT_RECORD_MAX) " bytes.")
ATID_FAULT(ATID_EVENT_NO_PREV, "An update or delete must have a \"prev\".")
ATID_FAULT(ATID_EVENT_NOT_ALL, "Without a \"prevData\" the operations must be all that the tree has.")
ATID_FAULT(ATID_EVENT_INVERSION, "The operations, undone in the tree, must lead to the \"prevData\".")

/* lexicon/compile.c: a set and its documents, */
ATID_FAULT(ATID_LEXICON_SET, "A set must be a map of documents by their NSIDs.")
ATID_FAULT(ATID_LEXICON_DOCUMENT, "A document must be an object.")
ATID_FAULT(ATID_LEXICON_VERSION, "A document must have a \"lexicon\" that is 1.")
ATID_FAULT(ATID_LEXICON_ID, "A document must have an \"id\" that is an NSID.")
ATID_FAULT(ATID_LEXICON_ID_KEY, "The \"id\" of a document must be the NSID that it has in its set.")
ATID_FAULT(ATID_LEXICON_DEFS, "A document must have \"defs\", an object of at least one definition.")
ATID_FAULT(ATID_LEXICON_NAME, "The name of a definition must not be empty or contain \"#\" or U+0000.")

/* types, */
ATID_FAULT(ATID_LEXICON_SCHEMA, "A schema must be an object.")
ATID_FAULT(ATID_LEXICON_TYPE, "A schema must have a \"type\" that the language has.")
ATID_FAULT(ATID_LEXICON_MAIN, "A record, query, procedure, subscription or permission set must be named main.")
ATID_FAULT(ATID_LEXICON_DEFINED, "A definition must not be of type ref, union, unknown, params or permission.")
ATID_FAULT(ATID_LEXICON_FIELD, "A property or an item must not be a token, record, query, procedure, subscription, params or permission set.")
ATID_FAULT(ATID_LEXICON_PARAMETER, "A parameter must be a boolean, an integer, a string, or an array of one of these.")
ATID_FAULT(ATID_LEXICON_RECORD, "A record must have a \"record\" that is a schema of type object.")
ATID_FAULT(ATID_LEXICON_PARAMETERS, "The \"parameters\" must be a schema of type params.")
ATID_FAULT(ATID_LEXICON_BODY_SCHEMA, "The \"schema\" of an input or output must be of type object, ref or union.")
ATID_FAULT(ATID_LEXICON_MESSAGE, "A subscription must have a \"message\" with a \"schema\" of type union.")

/* fields, */
ATID_FAULT(ATID_LEXICON_DESCRIPTION, "A \"description\", \"title\" or \"detail\" must be a string.")
ATID_FAULT(ATID_LEXICON_TRANSLATIONS, "A \"title:lang\" or \"detail:lang\" must be an object of strings by their language.")
ATID_FAULT(ATID_LEXICON_KEY, "A record must have a \"key\" that is any, nsid, tid, or literal: and a record key.")
ATID_FAULT(ATID_LEXICON_ITEMS, "An array must have \"items\".")
ATID_FAULT(ATID_LEXICON_PROPERTIES, "An object or params must have \"properties\" that are an object.")
ATID_FAULT(ATID_LEXICON_NAMES, "A \"required\" or \"nullable\" must be an array of strings.")
ATID_FAULT(ATID_LEXICON_NO_PROPERTY, "A \"required\" or \"nullable\" must name properties of its schema.")
ATID_FAULT(ATID_LEXICON_CONSTANT, "A \"default\" or \"const\" must be of the type of its schema.")
ATID_FAULT(ATID_LEXICON_DEFAULT_CONST, "A schema must not have both \"default\" and \"const\".")
ATID_FAULT(ATID_LEXICON_ENUM, "An \"enum\" must be an array of values of the type of its schema.")
ATID_FAULT(ATID_LEXICON_KNOWN_VALUES, "The \"knownValues\" must be an array of strings.")
ATID_FAULT(ATID_LEXICON_LIMIT, "A \"minimum\" or \"maximum\" must be an integer.")
ATID_FAULT(ATID_LEXICON_LENGTH, "A limit of a length or size must be an integer of 0 or more.")
ATID_FAULT(ATID_LEXICON_RANGE, "A minimum must not be above the maximum.")
ATID_FAULT(ATID_LEXICON_FORMAT, "A \"format\" must be one of " ATID_FORMAT_LIST ".")
ATID_FAULT(ATID_LEXICON_ACCEPT, "An \"accept\" must be an array of strings.")
ATID_FAULT(ATID_LEXICON_BODY, "An input or output must be an object with an \"encoding\" that is a string.")
ATID_FAULT(ATID_LEXICON_ERRORS, "The \"errors\" must be an array of objects that have a \"name\" without white space.")

/* references, */
ATID_FAULT(ATID_LEXICON_REF, "A reference must be an NSID, an NSID with \"#\" and a name, or \"#\" and a name.")
ATID_FAULT(ATID_LEXICON_REF_NONE, "A reference within a document must be to one of its definitions.")
ATID_FAULT(ATID_LEXICON_REF_TYPE, "A ref must name a record, or a definition that is not a token, query, procedure, subscription or permission set.")
ATID_FAULT(ATID_LEXICON_MEMBER, "A member of a union must be an object or a record.")
ATID_FAULT(ATID_LEXICON_REFS, "A union must have \"refs\" that are an array of strings.")
ATID_FAULT(ATID_LEXICON_CLOSED_TYPE, "A \"closed\" must be a boolean.")
ATID_FAULT(ATID_LEXICON_CLOSED_EMPTY, "A closed union must have a member.")

/* and permissions */
ATID_FAULT(ATID_LEXICON_PERMISSIONS, "A permission set must have \"permissions\" that are an array.")
ATID_FAULT(ATID_LEXICON_PERMISSION, "A permission must be an object of type permission with a \"resource\" that is a string and not empty.")
ATID_FAULT(ATID_LEXICON_COLLECTION, "A permission for repo must have a \"collection\", an array of at least one string, each once.")
ATID_FAULT(ATID_LEXICON_ACTION, "The \"action\" of a permission must be an array of create, update and delete, each at most once.")
ATID_FAULT(ATID_LEXICON_LXM, "A permission for rpc must have an \"lxm\", an array of at least one string.")
ATID_FAULT(ATID_LEXICON_AUD, "The \"aud\" of a permission must be a string, and its \"inheritAud\" a boolean.")

/* src/lexicon/ */
ATID_FAULT(ATID_LEXICON_TOP, "A lexicon must be a document, which is an object, or an array of documents.")
ATID_FAULT(ATID_LEXICON_TWICE, "Documents with the same NSID must be the same.")

/* conform.c: types of values, */
ATID_FAULT(ATID_CONFORM_NOT_BOOLEAN, "The value must be a boolean.")
ATID_FAULT(ATID_CONFORM_NOT_INTEGER, "The value must be an integer.")
ATID_FAULT(ATID_CONFORM_NOT_STRING, "The value must be a string.")
ATID_FAULT(ATID_CONFORM_NOT_BYTES, "The value must be bytes.")
ATID_FAULT(ATID_CONFORM_NOT_LINK, "The value must be a link.")
ATID_FAULT(ATID_CONFORM_NOT_BLOB, "The value must be a blob.")
ATID_FAULT(ATID_CONFORM_NOT_ARRAY, "The value must be an array.")
ATID_FAULT(ATID_CONFORM_NOT_OBJECT, "The value must be an object.")
ATID_FAULT(ATID_CONFORM_UNKNOWN_BLOB, "The value must be an object that is not a blob.")
ATID_FAULT(ATID_CONFORM_NULL, "The value must not be null.")
ATID_FAULT(ATID_CONFORM_ENUM, "The value must be in the enum of its schema.")
ATID_FAULT(ATID_CONFORM_ACCEPT, "The \"mimeType\" of a blob must be one that its schema accepts.")

/* the same with what they state in place of the %s, */
ATID_FAULT(ATID_CONFORM_CONST, "The value must be %s.")
ATID_FAULT(ATID_CONFORM_MINIMUM, "The integer must be at least %s.")
ATID_FAULT(ATID_CONFORM_MAXIMUM, "The integer must not be more than %s.")
ATID_FAULT(ATID_CONFORM_SHORT_STRING, "The length of the string in bytes must be at least %s.")
ATID_FAULT(ATID_CONFORM_LONG_STRING, "The length of the string in bytes must not be more than %s.")
ATID_FAULT(ATID_CONFORM_FEW_GRAPHEMES, "The length of the string in graphemes must be at least %s.")
ATID_FAULT(ATID_CONFORM_MANY_GRAPHEMES, "The length of the string in graphemes must not be more than %s.")
ATID_FAULT(ATID_CONFORM_SHORT_BYTES, "The length of the byte string must be at least %s.")
ATID_FAULT(ATID_CONFORM_LONG_BYTES, "The length of the byte string must not be more than %s.")
ATID_FAULT(ATID_CONFORM_SHORT_ARRAY, "The length of the array must be at least %s.")
ATID_FAULT(ATID_CONFORM_LONG_ARRAY, "The length of the array must not be more than %s.")
ATID_FAULT(ATID_CONFORM_LARGE_BLOB, "The size of the blob must not be more than %s.")
ATID_FAULT(ATID_CONFORM_REQUIRED, "The object must have the property %s.")
ATID_FAULT(ATID_CONFORM_MISSING, "The lexicons must define %s.")
ATID_FAULT(ATID_CONFORM_TYPE, "The \"$type\" must be %s.")

/* "$type" and references */
ATID_FAULT(ATID_CONFORM_OTHER_RECORD, "The \"$type\" of the record must be the one that is asked for.")
ATID_FAULT(ATID_CONFORM_NO_LEXICON, "The lexicons must define the \"$type\" of the record.")
ATID_FAULT(ATID_CONFORM_NO_RECORD, "The \"$type\" of a record must be the type of a record.")
ATID_FAULT(ATID_CONFORM_UNION_NO_TYPE, "An object in a union must have a \"$type\".")
ATID_FAULT(ATID_CONFORM_UNION_CLOSED, "The \"$type\" must be one that the closed union lists.")
ATID_FAULT(ATID_CONFORM_NO_VALUES, "A reference must not name a token, query, procedure, subscription or permission set.")

/* queries, procedures and subscriptions */
ATID_FAULT(ATID_XRPC_NO_LEXICON, "The lexicons must define the query, procedure or subscription.")
ATID_FAULT(ATID_XRPC_KIND, "The NSID must be that of a query, procedure or subscription.")
ATID_FAULT(ATID_XRPC_NO_PART, "The query, procedure or subscription must have the part that is asked for.")
ATID_FAULT(ATID_XRPC_ENCODING, "The \"encoding\" of an input or output without a \"schema\" must include application/json.")

/* lexicon/validate.c: what a value is checked as */
ATID_FAULT(ATID_CONFORM_REF, "The reference must be an NSID, or an NSID with \"#\" and the name of a definition.")
ATID_FAULT(ATID_CONFORM_NULL_LEXICONS, "The lexicons must not be NULL.")
ATID_FAULT(ATID_CONFORM_NULL_NAME, "The NSID or reference must not be NULL.")
ATID_FAULT(ATID_CONFORM_NULL_PART, "The part must not be NULL.")

/* atid_crypto's: base58.c, multikey.c */
ATID_FAULT(ATID_BASE58_CHARACTER, "A key must have only characters of base58btc after its \"z\".")
ATID_FAULT(ATID_BASE58_LENGTH, "A key must not be longer than any public key is.")
ATID_FAULT(ATID_MULTIKEY_MULTIBASE, "A key must begin with \"did:key:z\" or with \"z\", for base58btc.")
ATID_FAULT(ATID_MULTIKEY_CODEC, "The codec of a key must be p256-pub (0x1200) or secp256k1-pub (0xe7).")
ATID_FAULT(ATID_MULTIKEY_LEGACY, "A key must have a codec in front of its point, unlike in the legacy form of DID documents.")
ATID_FAULT(ATID_MULTIKEY_PRIVATE, "The codec of a key must not be that of a private key.")
ATID_FAULT(ATID_MULTIKEY_UNCOMPRESSED, "The point of a key must be compressed, and have 33 bytes and not 65.")
ATID_FAULT(ATID_MULTIKEY_LENGTH, "The point of a key must have the 33 bytes of a compressed one.")
ATID_FAULT(ATID_MULTIKEY_PARITY, "The first byte of a key's point must be 02 or 03.")
ATID_FAULT(ATID_MULTIKEY_OFF_CURVE, "The point of a key must be on the curve.")

/* atid_crypto's: signature.c, and what is signed */
ATID_FAULT(ATID_SIGNATURE_RANGE, "The numbers r and s of a signature must be at least 1, and less than the order of the curve.")
ATID_FAULT(ATID_SIGNATURE_HIGH_S, "The number s of a signature must not be more than half the order of the curve.")
ATID_FAULT(ATID_SIGNATURE_DER, "A signature must be r and s in 32 bytes each, and not in DER.")

/* atid_crypto's: operation.c, next to ATID_CONFORM_NOT_OBJECT, _ARRAY and _STRING */
ATID_FAULT(ATID_OPERATION_MISSING, "An operation of this type must have this field.")
ATID_FAULT(ATID_OPERATION_EXTRA, "An operation of this type must not have this field.")
ATID_FAULT(ATID_OPERATION_SERVICE_MISSING, "A service must have this field.")
ATID_FAULT(ATID_OPERATION_SERVICE_EXTRA, "A service must have no fields but \"type\" and \"endpoint\".")
ATID_FAULT(ATID_OPERATION_PREV, "The value must be null or the CID of an operation.")
ATID_FAULT(ATID_OPERATION_PREV_NULL, "The value must be null.")
ATID_FAULT(ATID_OPERATION_PREV_CID, "The value must be the CID of an operation.")
ATID_FAULT(ATID_OPERATION_SIG, "The value must be 64 bytes in base64url without padding, its spare bits zero.")

/* atid_crypto's: strict.c */
ATID_FAULT(ATID_STRICT_LARGE, "The DAG-CBOR of an operation must be at most " NUMBER(ATID_PLC_SIZE_MAX) " bytes.")
ATID_FAULT(ATID_STRICT_KEYS, "There must be 1 to " NUMBER(ATID_PLC_KEYS_MAX) " keys.")
ATID_FAULT(ATID_STRICT_KEY, "The value must be a did:key of curve K-256 or P-256.")
ATID_FAULT(ATID_STRICT_KEY_REPEATED, "A key must not be there twice.")
ATID_FAULT(ATID_STRICT_METHODS, "There must be at most " NUMBER(ATID_PLC_METHODS_MAX) ".")
ATID_FAULT(ATID_STRICT_METHOD, "Each value must be a did:key in base58btc.")

/* atid_crypto's: log.c */
ATID_FAULT(ATID_LOG_EMPTY, "A log must have an operation.")
ATID_FAULT(ATID_LOG_BARE, "An entry must be one of the audit log or of an export, and not an operation alone.")
ATID_FAULT(ATID_LOG_MISSING, "An entry must have this field.")
ATID_FAULT(ATID_LOG_DATETIME, "The value must be a datetime, such as \"2024-02-22T04:31:08.867Z\".")
ATID_FAULT(ATID_LOG_BOOL, "The value must be true or false.")
ATID_FAULT(ATID_LOG_CID, "The value must be the CID of the operation.")
ATID_FAULT(ATID_LOG_DID, "The value must be the DID that the genesis operation makes.")
ATID_FAULT(ATID_LOG_DID_OTHER, "The value must be the same in all entries.")
ATID_FAULT(ATID_LOG_PREV_FIRST, "The value must be null in the first operation.")
ATID_FAULT(ATID_LOG_PREV_NULL, "The value must not be null after the first operation.")
ATID_FAULT(ATID_LOG_PREV, "The value must be the CID of an earlier operation.")
ATID_FAULT(ATID_LOG_ORDER, "The time must be later than that of the entry before.")
ATID_FAULT(ATID_LOG_NOT_NULLIFIED, "The value must be false, as no entry nullifies the operation.")

/* the same, about another entry in place of the %s */
ATID_FAULT(ATID_LOG_NULLIFIED, "The value must be true, as %s nullifies the operation.")
ATID_FAULT(ATID_LOG_PREV_NULLIFIED, "The operation must not follow one that %s has nullified.")
ATID_FAULT(ATID_LOG_PREV_TOMBSTONE, "The operation must not follow %s, which is a tombstone.")
ATID_FAULT(ATID_LOG_WINDOW, "The time must be at most " NUMBER(ATID_PLC_RECOVERY_HOURS) " hours after that of %s, which is nullified.")
ATID_FAULT(ATID_LOG_SIGNER_MALFORMED, "The signature must be by a rotation key of %s.operation with no malformed key before it.")
ATID_FAULT(ATID_LOG_SIGNER_LOWER, "The signature must be by a rotation key that stands before the one that signed %s, which is nullified.")
ATID_FAULT(ATID_LOG_SIGNER, "The signature must be by a rotation key of %s.operation.")
