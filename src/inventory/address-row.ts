/** An address as it is written: left out, its subnet is found by the database. */
export const addressRow = <
  Address extends { ip_address: string; subnet_id?: string | null | undefined },
>({
  ip_address,
  subnet_id,
  ...address
}: Address) => ({
  ...address,
  address: ip_address,
  subnet_id: subnet_id ?? null,
  has_subnet: subnet_id !== undefined,
});
