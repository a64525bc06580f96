select
  measured.*
from
  (
    select
      total."total_count",
      record.*,
      record.row_number as place,
      sum(pg_column_size(record) + 600) over (rows unbounded preceding) as bytes_so_far
    from
      (
        select
          (
            select
              count(*)
            from
              "credentials"
            where
              true
          )::int as "total_count"
      ) as total
      left join (
        select
          *
        from
          (
            select
              "credentials"."id" as "id",
              "credentials"."created_at" as "created_at",
              "credentials"."updated_at" as "updated_at",
              "credentials"."organization_id" as "organization_id",
              "credentials"."name" as "name",
              "credentials"."external_id" as "external_id",
              "credentials"."metadata" as "metadata",
              to_json(
                array(
                  select
                    tag_id
                  from
                    "credential_tags" as child
                  where
                    child.organization_id = "credentials"."organization_id"
                    and child.credential_id = "credentials"."id"
                  order by
                    tag_id
                )
              ) as "tags",
              to_json(
                array(
                  select
                    network_id
                  from
                    "credential_networks" as child
                  where
                    child.organization_id = "credentials"."organization_id"
                    and child.credential_id = "credentials"."id"
                  order by
                    network_id
                )
              ) as "assigned_network_ids",
              to_json(
                array(
                  select
                    concat_ws(
                      ':',
                      host_id,
                      case
                        when is_limited_to_addresses then array_to_string(
                          array(
                            select
                              ip_address_id
                            from
                              "credential_host_ip_addresses" as address
                            where
                              address.organization_id = child.organization_id
                              and address.credential_id = child.credential_id
                              and address.host_id = child.host_id
                            order by
                              ip_address_id
                          ),
                          ','
                        )
                      end
                    )
                  from
                    "credential_hosts" as child
                  where
                    child.organization_id = "credentials"."organization_id"
                    and child.credential_id = "credentials"."id"
                  order by
                    host_id
                )
              ) as "host_assignments",
              "credentials"."settings" as "credential_type",
              app.etag ("credentials".created_at, "credentials".revision) as "etag",
              row_number() over (
                order by
                  "credentials"."created_at" asc,
                  "id"
              ) as row_number
            from
              "credentials"
            where
              true
            order by
              "credentials"."created_at" asc,
              "id"
            limit
              101
          ) as listed
        limit
          $1
      ) as record on true
  ) as measured
where
  case
    when measured.bytes_so_far > 1048576 then app.abort ('request_too_large', '{"max_bytes":1048576}'::jsonb) is null
    else true
  end
order by
  measured.place;
