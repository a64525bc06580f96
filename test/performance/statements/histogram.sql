select
  *
from
  app.histogram ($1::timestamptz, $2::timestamptz, $3, $4::uuid[], $5::text[], $6::uuid);
