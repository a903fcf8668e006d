-- The numbers of accounts by state, and of loads. No view or function in this folder reads a whole
-- table of accounts, records or frames: accounts are counted when they change, and at most 10,000
-- rows of a queue are counted.
CREATE OR REPLACE VIEW account_counts AS
SELECT s.what, coalesce(t.n, 0)::bigint AS n
FROM (SELECT state AS what, place FROM account_state UNION ALL SELECT 'loads', NULL) AS s
     LEFT JOIN (SELECT what, sum(n) AS n FROM tally GROUP BY what) AS t ON t.what = s.what
ORDER BY s.place;

CREATE OR REPLACE VIEW status_accounts AS
SELECT what AS state, n FROM account_counts WHERE what <> 'loads';
