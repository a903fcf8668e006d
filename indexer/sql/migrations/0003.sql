-- Migration 3: columns and corrections of 1.3.3.

-- Until 1.3.2 an account that showed a wanted signal in the stream was not found. The lists have these accounts.
UPDATE want SET listed = '', refused = false WHERE what = 'signal';

INSERT INTO migration (n, program) VALUES (3, '1.3.3');
