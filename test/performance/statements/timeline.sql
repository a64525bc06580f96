select
  *
from
  app.timeline ($1::uuid, $2, $3::uuid, $4, $5::timestamptz, $6, $7::uuid, $8, $9);
