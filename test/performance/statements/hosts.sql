select
  measured.*
from
  (
    select
      total."total_count",
      total."beyond",
      record.*,
      page.position as place,
      sum(pg_column_size(record) + $1) over (rows unbounded preceding) as bytes_so_far
    from
      (
        select
          (
            select
              count(*)
            from
              "hosts"
            where
              "hosts".valid_to is null
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
          (
            select
              coalesce(json_agg(row_to_json(child)), '[]')
            from
              (
                select
                  "ip_addresses"."id" as "id",
                  to_char("ip_addresses"."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "created_at",
                  to_char("ip_addresses"."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updated_at",
                  "ip_addresses"."organization_id" as "organization_id",
                  "ip_addresses"."network_id" as "network_id",
                  to_char("ip_addresses"."last_seen_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "last_seen_at",
                  to_char("ip_addresses"."valid_from", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "valid_from",
                  to_char("ip_addresses"."valid_to", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "valid_to",
                  "ip_addresses"."first_discovery_id" as "first_discovery_id",
                  "ip_addresses"."last_discovery_id" as "last_discovery_id",
                  "ip_addresses"."lineage_id" as "lineage_id",
                  "ip_addresses"."host_id" as "host_id",
                  "ip_addresses"."subnet_id" as "subnet_id",
                  "ip_addresses"."name" as "name",
                  "ip_addresses"."position" as "position",
                  host("ip_addresses"."address") as "ip_address",
                  upper("ip_addresses"."mac_address"::text) as "mac_address"
                from
                  "ip_addresses"
                where
                  "ip_addresses"."live_host_id" = "hosts"."live_id"
                order by
                  "ip_addresses"."position",
                  "ip_addresses"."created_at",
                  "ip_addresses"."live_id"
              ) as child
          ) as "ip_addresses",
          (
            select
              coalesce(json_agg(row_to_json(child)), '[]')
            from
              (
                select
                  "ports"."id" as "id",
                  to_char("ports"."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "created_at",
                  to_char("ports"."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updated_at",
                  "ports"."organization_id" as "organization_id",
                  "ports"."network_id" as "network_id",
                  to_char("ports"."last_seen_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "last_seen_at",
                  to_char("ports"."valid_from", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "valid_from",
                  to_char("ports"."valid_to", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "valid_to",
                  "ports"."first_discovery_id" as "first_discovery_id",
                  "ports"."last_discovery_id" as "last_discovery_id",
                  "ports"."lineage_id" as "lineage_id",
                  "ports"."host_id" as "host_id",
                  "ports"."number" as "number",
                  "ports"."protocol" as "protocol",
                  exists (
                    select
                    from
                      "bindings"
                    where
                      "bindings"."live_port_id" = "ports"."live_id"
                  ) as "is_open"
                from
                  "ports"
                where
                  "ports"."live_host_id" = "hosts"."live_id"
                order by
                  "ports"."number",
                  "ports"."protocol"
              ) as child
          ) as "ports",
          (
            select
              coalesce(json_agg(row_to_json(child)), '[]')
            from
              (
                select
                  "interfaces"."id" as "id",
                  to_char("interfaces"."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "created_at",
                  to_char("interfaces"."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updated_at",
                  "interfaces"."organization_id" as "organization_id",
                  "interfaces"."network_id" as "network_id",
                  to_char("interfaces"."last_seen_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "last_seen_at",
                  to_char("interfaces"."valid_from", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "valid_from",
                  to_char("interfaces"."valid_to", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "valid_to",
                  "interfaces"."first_discovery_id" as "first_discovery_id",
                  "interfaces"."last_discovery_id" as "last_discovery_id",
                  "interfaces"."lineage_id" as "lineage_id",
                  "interfaces"."host_id" as "host_id",
                  "interfaces"."if_index" as "if_index",
                  "interfaces"."name" as "name",
                  "interfaces"."description" as "description",
                  "interfaces"."type" as "type",
                  "interfaces"."admin_status" as "admin_status",
                  "interfaces"."oper_status" as "oper_status",
                  to_json("interfaces"."speed_bps") as "speed_bps",
                  upper("interfaces"."mac_address"::text) as "mac_address",
                  to_json("interfaces"."ip_address_ids") as "ip_address_ids"
                from
                  "interfaces"
                where
                  "interfaces"."live_host_id" = "hosts"."live_id"
                order by
                  "interfaces"."if_index"
              ) as child
          ) as "interfaces",
          (
            select
              coalesce(json_agg(row_to_json(child)), '[]')
            from
              (
                select
                  "services"."id" as "id",
                  to_char("services"."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "created_at",
                  to_char("services"."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updated_at",
                  "services"."organization_id" as "organization_id",
                  "services"."network_id" as "network_id",
                  to_char("services"."last_seen_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "last_seen_at",
                  to_char("services"."valid_from", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "valid_from",
                  to_char("services"."valid_to", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "valid_to",
                  "services"."first_discovery_id" as "first_discovery_id",
                  "services"."last_discovery_id" as "last_discovery_id",
                  "services"."lineage_id" as "lineage_id",
                  "services"."host_id" as "host_id",
                  "services"."name" as "name",
                  "services"."service_definition" as "service_definition",
                  "services"."version" as "version",
                  "services"."position" as "position",
                  "services"."virtualization" as "virtualization",
                  to_json(
                    array(
                      select
                        "tag_id"
                      from
                        "service_tags" as members
                      where
                        members.organization_id = "services".organization_id
                        and members."service_id" = "services"."live_id"
                      order by
                        "tag_id"
                    )
                  ) as "tags",
                  "services"."source" as "source",
                  (
                    select
                      coalesce(json_agg(row_to_json(child)), '[]')
                    from
                      (
                        select
                          "bindings"."id" as "id",
                          to_char("bindings"."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "created_at",
                          to_char("bindings"."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updated_at",
                          "bindings"."network_id" as "network_id",
                          to_char("bindings"."last_seen_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "last_seen_at",
                          to_char("bindings"."valid_from", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "valid_from",
                          to_char("bindings"."valid_to", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "valid_to",
                          "bindings"."first_discovery_id" as "first_discovery_id",
                          "bindings"."last_discovery_id" as "last_discovery_id",
                          "bindings"."lineage_id" as "lineage_id",
                          "bindings"."type" as "type",
                          "bindings"."service_id" as "service_id",
                          "bindings"."port_id" as "port_id",
                          "bindings"."ip_address_id" as "ip_address_id"
                        from
                          "bindings"
                        where
                          "bindings"."live_service_id" = "services"."live_id"
                        order by
                          "bindings"."created_at",
                          "bindings"."live_id"
                      ) as child
                  ) as "bindings"
                from
                  "services"
                where
                  "services"."live_host_id" = "hosts"."live_id"
                order by
                  "services"."position",
                  "services"."created_at",
                  "services"."live_id"
              ) as child
          ) as "services",
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
