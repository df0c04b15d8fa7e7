// What was said, without what differs from run to run: times. Members that are undefined count as missing.
const time = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/g;
const timesFrom = 1_600_000_000_000;

export function comparable(said: unknown, url: string): unknown {
  return JSON.parse(
    JSON.stringify(said, (name, value: unknown) => {
      if (name === 'waitMs') return 'a while';
      if (typeof value === 'number' && value > timesFrom) return 'a time';
      return typeof value === 'string'
        ? value.replace(time, 'a time').replaceAll(url, 'URL')
        : value;
    }),
  );
}
