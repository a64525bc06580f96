/** A rate limiting binding that counts, for ever, and remembers what was counted. */
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
