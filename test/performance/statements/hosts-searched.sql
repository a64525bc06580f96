with
  matching as materialized (
    select
      "hosts".id,
      row_number() over (
        order by
          "hosts"."created_at" asc,
          "live_id"
      ) as position
    from
      app.search_hosts ($1, $2::timestamptz, $3::uuid, $4::integer, array[]::inet[], array[]::inet[], $5::macaddr, $6::macaddr) as "hosts"
    where
      true
  )
select
  measured.*
from
  (
    select
      total."total_count",
      total."beyond",
      record.*,
      page.position as place,
      sum(pg_column_size(record) * 8 / 5 + 600) over (rows unbounded preceding) as bytes_so_far
    from
      (
        select
          (
            select
              count(*)
            from
              matching
          )::int as "total_count",
          (
            select
              app.seen_beyond_settled ()
          ) as "beyond"
      ) as total
      left join (
        select
          *
        from
          matching
        order by
          position
        limit
          $7
        offset
          $8
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
          (
            select
              coalesce(json_agg(child.cells), '[]')
            from
              (
                select
                  json_build_array(
                    "ip_addresses"."id",
                    "ip_addresses"."created_at",
                    "ip_addresses"."updated_at",
                    "ip_addresses"."organization_id",
                    "ip_addresses"."network_id",
                    "ip_addresses"."last_seen_at",
                    "ip_addresses"."valid_from",
                    "ip_addresses"."valid_to",
                    "ip_addresses"."first_discovery_id",
                    "ip_addresses"."last_discovery_id",
                    "ip_addresses"."lineage_id",
                    "ip_addresses"."host_id",
                    "ip_addresses"."subnet_id",
                    "ip_addresses"."name",
                    "ip_addresses"."status",
                    "ip_addresses"."role",
                    "ip_addresses"."position",
                    host("ip_addresses"."address"),
                    upper("ip_addresses"."mac_address"::text)
                  ) as cells
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
              coalesce(json_agg(child.cells), '[]')
            from
              (
                select
                  json_build_array(
                    "ports"."id",
                    "ports"."created_at",
                    "ports"."updated_at",
                    "ports"."organization_id",
                    "ports"."network_id",
                    "ports"."last_seen_at",
                    "ports"."valid_from",
                    "ports"."valid_to",
                    "ports"."first_discovery_id",
                    "ports"."last_discovery_id",
                    "ports"."lineage_id",
                    "ports"."host_id",
                    "ports"."number",
                    "ports"."protocol",
                    exists (
                      select
                      from
                        "bindings"
                      where
                        "bindings"."live_port_id" = "ports"."live_id"
                    )
                  ) as cells
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
              coalesce(json_agg(child.cells), '[]')
            from
              (
                select
                  json_build_array(
                    "interfaces"."id",
                    "interfaces"."created_at",
                    "interfaces"."updated_at",
                    "interfaces"."organization_id",
                    "interfaces"."network_id",
                    "interfaces"."last_seen_at",
                    "interfaces"."valid_from",
                    "interfaces"."valid_to",
                    "interfaces"."first_discovery_id",
                    "interfaces"."last_discovery_id",
                    "interfaces"."lineage_id",
                    "interfaces"."host_id",
                    "interfaces"."if_index",
                    "interfaces"."name",
                    "interfaces"."description",
                    "interfaces"."type",
                    "interfaces"."admin_status",
                    "interfaces"."oper_status",
                    "interfaces"."alias",
                    "interfaces"."native_vlan",
                    "interfaces"."lldp_read_at",
                    "interfaces"."cdp_read_at",
                    "interfaces"."fdb_read_at",
                    "interfaces"."vlans_read_at",
                    to_json("interfaces"."speed_bps"),
                    upper("interfaces"."mac_address"::text),
                    to_json("interfaces"."tagged_vlans"),
                    to_json("interfaces"."ip_address_ids"),
                    (
                      select
                        coalesce(json_agg(child.cells), '[]')
                      from
                        (
                          select
                            json_build_array(
                              "neighbors"."id",
                              "neighbors"."created_at",
                              "neighbors"."updated_at",
                              "neighbors"."organization_id",
                              "neighbors"."network_id",
                              "neighbors"."last_seen_at",
                              "neighbors"."valid_from",
                              "neighbors"."valid_to",
                              "neighbors"."first_discovery_id",
                              "neighbors"."last_discovery_id",
                              "neighbors"."lineage_id",
                              "neighbors"."host_id",
                              "neighbors"."interface_id",
                              "neighbors"."protocol",
                              "neighbors"."system_name",
                              "neighbors"."system_description",
                              "neighbors"."port_description",
                              json_build_object('subtype', "neighbors"."chassis_subtype", 'value', "neighbors"."chassis_value"),
                              case
                                when "neighbors"."port_subtype" is not null then json_build_object('subtype', "neighbors"."port_subtype", 'value', "neighbors"."port_value")
                              end,
                              to_json("neighbors"."management_addresses"),
                              "neighbors"."source"
                            ) as cells
                          from
                            "neighbors"
                          where
                            "neighbors"."live_interface_id" = "interfaces"."live_id"
                          order by
                            "neighbors"."created_at",
                            "neighbors"."live_id"
                        ) as child
                    )
                  ) as cells
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
              coalesce(json_agg(child.cells), '[]')
            from
              (
                select
                  json_build_array(
                    "services"."id",
                    "services"."created_at",
                    "services"."updated_at",
                    "services"."organization_id",
                    "services"."network_id",
                    "services"."last_seen_at",
                    "services"."valid_from",
                    "services"."valid_to",
                    "services"."first_discovery_id",
                    "services"."last_discovery_id",
                    "services"."lineage_id",
                    "services"."host_id",
                    "services"."name",
                    "services"."service_definition",
                    "services"."version",
                    "services"."position",
                    "services"."external_id",
                    "services"."metadata",
                    "services"."virtualization",
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
                    ),
                    "services"."source",
                    (
                      select
                        coalesce(json_agg(child.cells), '[]')
                      from
                        (
                          select
                            json_build_array(
                              "bindings"."id",
                              "bindings"."created_at",
                              "bindings"."updated_at",
                              "bindings"."network_id",
                              "bindings"."last_seen_at",
                              "bindings"."valid_from",
                              "bindings"."valid_to",
                              "bindings"."first_discovery_id",
                              "bindings"."last_discovery_id",
                              "bindings"."lineage_id",
                              "bindings"."type",
                              "bindings"."service_id",
                              "bindings"."port_id",
                              "bindings"."ip_address_id"
                            ) as cells
                          from
                            "bindings"
                          where
                            "bindings"."live_service_id" = "services"."live_id"
                          order by
                            "bindings"."created_at",
                            "bindings"."live_id"
                        ) as child
                    )
                  ) as cells
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
    when measured.bytes_so_far > $9 then app.abort ('request_too_large', $10::jsonb) is null
    else true
  end
order by
  measured.place;
