-- Where the claim is one of several statements that are sent as one, whose answer has
-- no insert id: 0 means that the record was there.
SELECT LAST_INSERT_ID();
