-- A version 7 UUID (RFC 9562, section 5.7), in the format of src/uuid.ts. Records written together have neighboring
-- ids, and so share pages of every index on them. The milliseconds are followed by 12 bits for the fraction of a
-- millisecond (section 6.2, method 3), so ids are in the order in which a statement creates its rows. The other 62 bits
-- are random. The variant is taken from gen_random_uuid, since it is the same in every UUID version.
create or replace function app.uuid_v7() returns uuid
language sql volatile parallel safe
return (
  -- 48 bits of milliseconds and 12 bits for the fraction, in hex, with the version between them.
  overlay(
    lpad(to_hex(floor(date_part('epoch', clock_timestamp()) * 4096000)::bigint), 15, '0')
    placing '7' from 13 for 0)
  || substr(gen_random_uuid()::text, 20))::uuid;

grant execute on function app.uuid_v7 to inventory_api, inventory_poller;
