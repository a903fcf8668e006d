-- Migration 3: columns and corrections of 1.3.3.

INSERT INTO migration (n, program) VALUES (3, '1.3.3');
