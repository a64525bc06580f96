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
              coalesce(sum("count_deltas"."change"), 0)
            from
              "count_deltas"
            where
              "count_deltas"."kind" = 'services'
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
          (
            select
              "services".id,
              row_number() over (
                order by
                  "services"."created_at" asc,
                  "live_id"
              ) as position
            from
              "services"
            where
              "services".valid_to is null
            order by
              "services"."created_at" asc,
              "live_id"
            limit
              101
            offset
              0
          ) as listed
        limit
          $1
      ) as page on true
      left join lateral (
        select
          "services"."id" as "id",
          "services"."created_at" as "created_at",
          "services"."updated_at" as "updated_at",
          "services"."organization_id" as "organization_id",
          "services"."network_id" as "network_id",
          "services"."last_seen_at" as "last_seen_at",
          "services"."valid_from" as "valid_from",
          "services"."valid_to" as "valid_to",
          "services"."first_discovery_id" as "first_discovery_id",
          "services"."last_discovery_id" as "last_discovery_id",
          "services"."lineage_id" as "lineage_id",
          "services"."host_id" as "host_id",
          "services"."name" as "name",
          "services"."service_definition" as "service_definition",
          "services"."version" as "version",
          "services"."position" as "position",
          "services"."external_id" as "external_id",
          "services"."metadata" as "metadata",
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
          ) as "bindings",
          app.etag ("services".created_at, "services".revision) as "etag"
        from
          "services"
        where
          "services".id = page.id
        limit
          1
      ) as "record" on true
  ) as measured
where
  case
    when measured.bytes_so_far > 1048576 then app.abort ('request_too_large', '{"max_bytes":1048576}'::jsonb) is null
    else true
  end
order by
  measured.place;
