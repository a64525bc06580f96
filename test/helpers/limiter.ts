/** A rate-limiting binding that counts without a time window, and records the counted keys. */
export function fakeLimiter(limit: number) {
  const counted: string[] = [];
  return {
    counted,
    async limit({ key }: { key: string }) {
      counted.push(key);
      return { success: counted.filter((it) => it === key).length <= limit };
    },
  };
}
