select
  *
from
  app.diff (
    $1::timestamptz,
    $2::uuid,
    $3::timestamptz,
    $4::uuid,
    $5::uuid,
    $6::text[],
    $7::uuid,
    $8,
    $9::integer,
    $10,
    $11
  );
