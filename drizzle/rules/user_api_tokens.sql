-- Only functions read and write this table.
alter table user_api_tokens enable row level security;
