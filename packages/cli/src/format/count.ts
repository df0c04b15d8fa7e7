// Numbers in sentences.

/** `1 event`, `1,204 events`. */
export function count(number: number, one: string, more = `${one}s`): string {
  return `${thousands(number)} ${number === 1 ? one : more}`;
}

export function thousands(number: number): string {
  return number.toLocaleString('en-US');
}

const sizes = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytes(number: number): string {
  let value = number;
  let size = 0;
  while (value >= 1024 && size < sizes.length - 1) {
    value /= 1024;
    size += 1;
  }
  return `${size === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${sizes[size] ?? ''}`;
}
