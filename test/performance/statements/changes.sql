select
  *
from
  app.changes (
    $1::uuid,
    $2::timestamptz,
    $3,
    $4::uuid,
    $5,
    $6,
    $7::uuid,
    $8::text[],
    $9::uuid,
    $10::uuid,
    $11::text[],
    $12::timestamptz
  );
