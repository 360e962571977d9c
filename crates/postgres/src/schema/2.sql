-- The worker that delivers the event; null if none does, or one without a term.
ALTER TABLE {schema}.due ADD COLUMN worker bigint;
