/// <reference lib="es2024.string" preserve="true" />
// (Node has isWellFormed and toWellFormed since 20; TypeScript types them from ES2024 on.)
//
// How many bytes a text takes in UTF-8, without encoding it. A lone surrogate counts 3, like the
// replacement character an encoder would write for it.

export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(at + 1))) {
      bytes += 2;
      at += 1;
    } else bytes += 2;
  }
  return bytes;
}

/** Decides without counting where the length in UTF-16 units already settles it. */
export function isLongerThan(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return true;
  return text.length * 3 > bytesMax && utf8Length(text) > bytesMax;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
