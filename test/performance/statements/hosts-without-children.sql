select
  measured.*
from
  (
    select
      total."total_count",
      total."beyond",
      record.*,
      page.position as place,
      sum(pg_column_size(record) + 600) over (rows unbounded preceding) as bytes_so_far
    from
      (
        select
          (
            select
              coalesce(sum("count_deltas"."change"), 0)
            from
              "count_deltas"
            where
              "count_deltas"."kind" = $1
          )::int as "total_count",
          (
            select
              app.seen_beyond_settled ()
          ) as "beyond"
      ) as total
      left join (
        select
          "hosts".id,
          row_number() over (
            order by
              "hosts"."created_at" asc,
              "live_id"
          ) as position
        from
          "hosts"
        where
          "hosts".valid_to is null
        order by
          "hosts"."created_at" asc,
          "live_id"
        limit
          $2
        offset
          $3
      ) as page on true
      left join lateral (
        select
          "hosts"."id" as "id",
          "hosts"."created_at" as "created_at",
          "hosts"."updated_at" as "updated_at",
          "hosts"."organization_id" as "organization_id",
          "hosts"."network_id" as "network_id",
          "hosts"."last_seen_at" as "last_seen_at",
          "hosts"."valid_from" as "valid_from",
          "hosts"."valid_to" as "valid_to",
          "hosts"."first_discovery_id" as "first_discovery_id",
          "hosts"."last_discovery_id" as "last_discovery_id",
          "hosts"."lineage_id" as "lineage_id",
          "hosts"."name" as "name",
          "hosts"."hostname" as "hostname",
          "hosts"."description" as "description",
          "hosts"."hidden" as "hidden",
          "hosts"."is_stale" as "is_stale",
          "hosts"."external_id" as "external_id",
          "hosts"."metadata" as "metadata",
          "hosts"."sys_name" as "sys_name",
          "hosts"."sys_descr" as "sys_descr",
          "hosts"."sys_object_id" as "sys_object_id",
          "hosts"."sys_location" as "sys_location",
          "hosts"."sys_contact" as "sys_contact",
          "hosts"."management_url" as "management_url",
          "hosts"."chassis_id" as "chassis_id",
          "hosts"."manufacturer" as "manufacturer",
          "hosts"."model" as "model",
          "hosts"."serial_number" as "serial_number",
          "hosts"."operating_system" as "operating_system",
          "hosts"."virtualization" as "virtualization",
          "hosts"."source" as "source",
          (
            select
              coalesce(
                json_agg(
                  json_build_object(
                    'credential_id',
                    assignment.credential_id,
                    'ip_address_ids',
                    case
                      when assignment.is_limited_to_addresses then to_json(
                        array(
                          select
                            address.ip_address_id
                          from
                            "credential_host_ip_addresses" as address
                          where
                            address.organization_id = assignment.organization_id
                            and address.credential_id = assignment.credential_id
                            and address.host_id = assignment.host_id
                          order by
                            address.ip_address_id
                        )
                      )
                    end
                  )
                  order by
                    assignment.credential_id
                ),
                '[]'
              )
            from
              "credential_hosts" as assignment
            where
              assignment.organization_id = "hosts"."organization_id"
              and assignment.host_id = "hosts"."live_id"
          ) as "credential_assignments",
          to_json(
            array(
              select
                "tag_id"
              from
                "host_tags" as members
              where
                members.organization_id = "hosts".organization_id
                and members."host_id" = "hosts"."live_id"
              order by
                "tag_id"
            )
          ) as "tags",
          null as "ip_addresses",
          null as "ports",
          null as "interfaces",
          null as "services",
          app.etag ("hosts".created_at, "hosts".revision) as "etag"
        from
          "hosts"
        where
          "hosts".id = page.id
        limit
          1
      ) as "record" on true
  ) as measured
where
  case
    when measured.bytes_so_far > $4 then app.abort ('request_too_large', $5::jsonb) is null
    else true
  end
order by
  measured.place;
