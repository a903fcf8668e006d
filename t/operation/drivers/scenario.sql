-- The table that every program of this folder works on.
CREATE TABLE record (
  rkey   atid.rkey PRIMARY KEY DEFAULT atid.tid_generate(),
  rev    atid.tid  NOT NULL UNIQUE DEFAULT atid.tid_generate(),
  prev   atid.tid,
  cid    atid.cid_link,
  author atid.did,
  uri    atid.at_uri
);
