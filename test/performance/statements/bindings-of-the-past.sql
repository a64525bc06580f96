select
  total."total_count",
  record.*
from
  (
    select
      (
        (
          select
            count(*)
          from
            "bindings"
          where
            "bindings".valid_to is null
            and "bindings".valid_from <= $1::timestamptz
        ) + (
          select
            count(*)
          from
            "bindings"
          where
            "bindings".valid_to > $2::timestamptz
            and "bindings".valid_from <= $3::timestamptz
        )
      )::int as "total_count"
  ) as total
  left join (
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
      (
        "bindings".valid_from <= $4::timestamptz
        and case
          when "bindings".valid_to is null then 'infinity'::timestamptz
          else "bindings".valid_to
        end > $5::timestamptz
      )
    order by
      "bindings"."created_at" asc,
      "live_id"
    limit
      $6
    offset
      $7
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
      (
        select
          known.host_id
        from
          "services" as known
        where
          known.live_id = "bindings"."service_id"
          and (
            "known".valid_from <= $8::timestamptz
            and case
              when "known".valid_to is null then 'infinity'::timestamptz
              else "known".valid_to
            end > $9::timestamptz
          )
        limit
          1
      ) as "host_id",
      concat_ws(
        ' ',
        (
          select
            known.name
          from
            "services" as known
          where
            known.live_id = "bindings"."service_id"
            and (
              "known".valid_from <= $10::timestamptz
              and case
                when "known".valid_to is null then 'infinity'::timestamptz
                else "known".valid_to
              end > $11::timestamptz
            )
          limit
            1
        ),
        (
          select
            known.number || '/' || known.protocol
          from
            "ports" as known
          where
            known.live_id = "bindings"."port_id"
            and (
              "known".valid_from <= $12::timestamptz
              and case
                when "known".valid_to is null then 'infinity'::timestamptz
                else "known".valid_to
              end > $13::timestamptz
            )
          limit
            1
        ),
        (
          select
            host(known.address)
          from
            "ip_addresses" as known
          where
            known.live_id = "bindings"."ip_address_id"
            and (
              "known".valid_from <= $14::timestamptz
              and case
                when "known".valid_to is null then 'infinity'::timestamptz
                else "known".valid_to
              end > $15::timestamptz
            )
          limit
            1
        )
      ) as "label"
    from
      "bindings"
    where
      "bindings".id = page.id
    limit
      1
  ) as "record" on true
order by
  page.position;

select
  app.require_history ($1::timestamptz, $2::text);
