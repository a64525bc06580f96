-- The milestones of onboarding that new records reach.
create or replace function app.reach_milestones() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid;
begin
  for organization in select distinct added.organization_id from added loop
    case tg_table_name
      when 'user_api_keys' then
        perform app.reach_milestone(organization, 'FirstUserApiKeyCreated');
      when 'tags' then
        perform app.reach_milestone(organization, 'FirstTagCreated');
      when 'daemons' then
        perform app.reach_milestone(organization, 'FirstDaemonRegistered');
      when 'credentials' then
        perform app.reach_milestone(organization, 'FirstCredentialCreated');
        if exists (
          select from added where added.organization_id = organization and added.type like 'Snmp%')
        then
          perform app.reach_milestone(organization, 'FirstSnmpCredentialCreated');
        end if;
      when 'networks' then
        -- Two transactions that each add one follow each other, so that the second counts both.
        perform from public.organizations as counting
        where counting.id = organization and 'SecondNetworkCreated' <> all (counting.onboarding)
        for no key update;
        if found and (
          select count(*) from public.networks as network
          where network.organization_id = organization) > 1
        then
          perform app.reach_milestone(organization, 'SecondNetworkCreated');
        end if;
    end case;
  end loop;
  return null;
end
$$;
