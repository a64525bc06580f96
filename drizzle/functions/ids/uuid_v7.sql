-- A UUID of version 7 (RFC 9562, section 5.7), in the form of src/uuid.ts. Records written together have neighbouring
-- ids, and so share pages of every index on them. After the millisecond come its 4,096ths (section 6.2, method 3), so
-- the rows of a statement have ids in their order. The other 62 bits are random. The variant is the one that
-- gen_random_uuid has, since it is the same in every version.
create or replace function app.uuid_v7() returns uuid
language sql volatile parallel safe
return (
  -- 48 bits of milliseconds and 12 bits of their fractions, in hex, with the version between them.
  overlay(
    lpad(to_hex(floor(date_part('epoch', clock_timestamp()) * 4096000)::bigint), 15, '0')
    placing '7' from 13 for 0)
  || substr(gen_random_uuid()::text, 20))::uuid;

grant execute on function app.uuid_v7() to inventory_api, inventory_poller;
