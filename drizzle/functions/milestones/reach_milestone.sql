-- Adds an onboarding milestone to an organization that has not reached it.
create or replace function app.reach_milestone(organization uuid, milestone text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.organizations as reaching set onboarding = reaching.onboarding || milestone
  where reaching.id = organization and milestone <> all (reaching.onboarding);
end
$$;
