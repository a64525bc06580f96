select
  total."total_count",
  total."beyond",
  record.*
from
  (
    select
      (
        select
          coalesce(sum("count_deltas"."change"), 0)
        from
          "count_deltas"
        where
          "count_deltas"."kind" = 'bindings'
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
          "bindings".id,
          row_number() over (
            order by
              "bindings"."created_at" asc,
              "live_id"
          ) as position
        from
          "bindings"
        where
          "bindings".valid_to is null
        order by
          "bindings"."created_at" asc,
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
      "bindings"."id" as "id",
      "bindings"."created_at" as "created_at",
      "bindings"."updated_at" as "updated_at",
      "bindings"."network_id" as "network_id",
      "bindings"."last_seen_at" as "last_seen_at",
      "bindings"."valid_from" as "valid_from",
      "bindings"."valid_to" as "valid_to",
      "bindings"."first_discovery_id" as "first_discovery_id",
      "bindings"."last_discovery_id" as "last_discovery_id",
      "bindings"."lineage_id" as "lineage_id",
      "bindings"."type" as "type",
      "bindings"."service_id" as "service_id",
      "bindings"."port_id" as "port_id",
      "bindings"."ip_address_id" as "ip_address_id",
      "bindings"."host_id" as "host_id",
      concat_ws(
        ' ',
        (
          select
            known.name
          from
            "services" as known
          where
            known.id = "bindings"."service_id"
        ),
        (
          select
            known.number || '/' || known.protocol
          from
            "ports" as known
          where
            known.id = "bindings"."port_id"
        ),
        (
          select
            host(known.address)
          from
            "ip_addresses" as known
          where
            known.id = "bindings"."ip_address_id"
        )
      ) as "label",
      app.etag ("bindings".created_at, "bindings".revision) as "etag"
    from
      "bindings"
    where
      "bindings".id = page.id
    limit
      1
  ) as "record" on true
order by
  page.position;
