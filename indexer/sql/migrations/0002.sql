-- Migration 2: what functions of 1.3.1 leave, whose arguments are other ones now.
DROP FUNCTION IF EXISTS fail(text, int, text, text, bool);

INSERT INTO migration (n, program) VALUES (2, '1.3.2');
