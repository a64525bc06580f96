-- Which daemons are handed credentials: those of which an Admin has said so. Until now all were.
ALTER TABLE "daemons" ADD COLUMN "receives_credentials" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "daemons" ALTER COLUMN "receives_credentials" SET DEFAULT false;
--> statement-breakpoint
grant update (receives_credentials) on daemons to inventory_api;
--> statement-breakpoint

-- The origin of a stored URL as the URL standard writes it, in lower case and without the scheme's own
-- port: not every URL was stored in that form.
create function app.origin_of(url text) returns text
language sql immutable parallel safe
return regexp_replace(regexp_replace(lower(substring(url from '^[^:]+://[^/?#]+')),
  '^(https://.*):443$', '\1'), '^(http://.*):80$', '\1');
--> statement-breakpoint
grant execute on function app.origin_of(text) to inventory_api;
--> statement-breakpoint

-- Whoever runs a daemon has the credentials that it is handed. So only an Admin, who may change
-- credentials, says that a daemon gets some, and what others lead elsewhere gets none.
create function app.judge_daemon_trust() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    new.receives_credentials := coalesce(app.key_role() >= 'Admin', false);
  elsif coalesce(app.key_role() < 'Admin', true) then
    if new.receives_credentials and not old.receives_credentials then
      perform app.require_role('Admin');
    end if;
    new.receives_credentials := new.receives_credentials
      and app.origin_of(new.url) = app.origin_of(old.url);
  end if;
  return new;
end
$$;
--> statement-breakpoint
create trigger judge_trust_of_new before insert on daemons for each row
  when (current_user = 'inventory_api') execute function app.judge_daemon_trust();
--> statement-breakpoint
create trigger judge_trust before update on daemons for each row
  when (current_user = 'inventory_api'
    and (new.receives_credentials, new.url) is distinct from (old.receives_credentials, old.url))
  execute function app.judge_daemon_trust();
