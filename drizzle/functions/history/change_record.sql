-- Checks and stamps each change to a live version, including its deletion.
create or replace function app.change_record() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed_at timestamptz;
begin
  if tg_op = 'DELETE' then
    -- When an organization is deleted, so is all its history.
    if not app.is_kept(old.organization_id) then
      return old;
    end if;
    if old.valid_to is not null then
      -- Only app.sweep_history deletes closed versions, once requests can no longer read them.
      if old.valid_to <= app.history_from(old.organization_id) and exists (
        select from app.history_sweeps as sweep
        where sweep.organization_id = old.organization_id
          and sweep.transaction_id = pg_current_xact_id_if_assigned())
      then
        return old;
      end if;
      raise exception 'a closed version is history and cannot be deleted'
        using errcode = 'restrict_violation';
    end if;
  else
    if old.valid_to is not null then
      raise exception 'a closed version is history and cannot be changed'
        using errcode = 'restrict_violation';
    end if;
    if (new.id, new.organization_id, new.created_at, new.valid_from, new.valid_to, new.lineage_id)
      is distinct from
      (old.id, old.organization_id, old.created_at, old.valid_from, old.valid_to, old.lineage_id)
    then
      raise exception 'the identity and the interval of a version cannot be written'
        using errcode = 'restrict_violation',
              hint = 'An update of the record starts a new version; a deletion ends the current one.';
    end if;
  end if;
  case tg_argv[0]
    when 'host_id' then
      changed_at := app.change_host(old.organization_id, old.host_id);
      if tg_op = 'UPDATE' and new.host_id <> old.host_id then
        perform app.change_host(old.organization_id, new.host_id);
      end if;
    when 'id' then
      changed_at := app.change_host(old.organization_id, old.id);
    else
      changed_at := app.changed_at(old.organization_id, old.updated_at + interval '1 millisecond');
  end case;
  if old.valid_from > changed_at then
    perform app.refuse_later_change(old.organization_id, changed_at, old.valid_from);
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  new.revision := old.revision + 1;
  new.updated_at := greatest(changed_at, old.updated_at + interval '1 millisecond');
  return new;
end
$$;
