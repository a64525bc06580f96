alter table idempotency_keys enable row level security;
