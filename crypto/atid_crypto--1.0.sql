/* atid_crypto--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION atid_crypto" to load this file. \quit

-- Every object is named with its schema, which is that of atid.  COST counts cheap
-- operators, of which bench/crypto measures some thousands to a verification, so
-- that the planner calls these last and finds it worth while to share the work.

------------------------------------------------------------------------------
-- keys
------------------------------------------------------------------------------

CREATE FUNCTION atid.did_key_is_valid(key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_key_is_valid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION atid.did_key_is_valid(text) IS
  'is the text a public key of one of the protocol''s curves, as did:key or multikey?';

CREATE FUNCTION atid.did_key_curve(key text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_did_key_curve' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION atid.did_key_curve(text) IS 'the curve of a key: p256 or k256';

CREATE FUNCTION atid.did_key_public_key(key text) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_did_key_public_key' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION atid.did_key_public_key(text) IS 'the compressed point of a key, 33 bytes';

CREATE FUNCTION atid.did_key_make(curve text, bytes bytea) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_did_key_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION atid.did_key_make(text, bytea) IS 'the did:key of a compressed point';

------------------------------------------------------------------------------
-- signatures
------------------------------------------------------------------------------

CREATE FUNCTION atid.signature_is_valid(data bytea, signature bytea, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_signature_is_valid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION atid.signature_is_valid(bytea, bytea, text) IS
  'has the key signed the data?';

CREATE FUNCTION atid.commit_is_signed_by(block bytea, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_commit_is_signed_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION atid.commit_is_signed_by(bytea, text) IS
  'is the block a commit that the key has signed?';

CREATE FUNCTION atid.commit_is_signed_by(block bytea, did text, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_commit_is_signed_by_account' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION atid.commit_is_signed_by(bytea, text, text) IS
  'is the block a commit of this account that the key has signed?';

CREATE FUNCTION atid.repo_is_signed_by(car bytea, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_repo_is_signed_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 17000;
COMMENT ON FUNCTION atid.repo_is_signed_by(bytea, text) IS
  'is the CAR a whole repository, tree and records, as the key has signed it?';

CREATE FUNCTION atid.repo_records_signed_by(
  car bytea, did text, key text,
  OUT collection text, OUT rkey atid.record_key, OUT cid atid.cid_link, OUT block bytea
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_repo_records_signed_by' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 17000;
COMMENT ON FUNCTION atid.repo_records_signed_by(bytea, text, text) IS
  'the records of the whole repository of this account, as the key has signed it';

CREATE FUNCTION atid.label_is_signed_by(label jsonb, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_label_is_signed_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION atid.label_is_signed_by(jsonb, text) IS
  'has the key signed the label?';

CREATE FUNCTION atid.label_is_signed_by(label jsonb, did text, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_label_is_signed_by_account' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION atid.label_is_signed_by(jsonb, text, text) IS
  'is the label of this account, and has the key signed it?';

------------------------------------------------------------------------------
-- PLC
------------------------------------------------------------------------------

CREATE FUNCTION atid.plc_did(operation jsonb) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_plc_did' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION atid.plc_did(jsonb) IS 'the DID that a genesis operation makes';

CREATE FUNCTION atid.plc_operation_problem(operation jsonb) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_plc_operation_problem' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION atid.plc_operation_problem(jsonb) IS
  'why the jsonb is no operation, and where, or NULL';

CREATE FUNCTION atid.plc_operation_is_signed_by(operation jsonb, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_plc_operation_is_signed_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION atid.plc_operation_is_signed_by(jsonb, text) IS
  'has the key signed the operation?';
