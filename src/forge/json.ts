import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  endOfString,
  endOfValue,
  NoJson,
  openBrace,
  openBracket,
  quote,
  startOfNext,
} from './scan.js';
import { type Field, type ObjectShape, type Shape, slotOf } from './shape.js';

/**
 * Reads of a JSON text only what its shape wants. Fifty activities carry fifty copies of a whole repository, of which
 * five fields matter: passing over the rest costs less than building it and throwing it away.
 */
export function readJson(bytes: Buffer, shape: Shape): unknown {
  if (shape.kind === 'whole') return JSON.parse(bytes.toString());
  try {
    return new Reader(bytes).whole(shape);
  } catch (error) {
    if (error instanceof NoJson) return JSON.parse(bytes.toString());
    throw error;
  }
}

interface Copy {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
}

const copiesKept = 4;
const zero = 48;
const nine = 57;
const exactDigits = 15;

class Reader {
  private readonly bytes: Buffer;
  private at = 0;
  private readonly copies = new Map<Shape, Copy[]>();

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  whole(shape: Shape): unknown {
    const value = this.read(shape);
    for (; this.at < this.bytes.length; this.at += 1) if ((this.bytes[this.at] ?? 0) > 32) throw new NoJson();
    return value;
  }

  private read(shape: Shape): unknown {
    const first = this.next();
    if (shape.kind === 'either') return this.read(first === openBracket ? shape.bare : shape.wrapped);
    if (shape.kind === 'object' && first === openBrace) return this.repeated(shape);
    if (shape.kind === 'list' && first === openBracket) return this.list(shape.item);
    return this.value(first);
  }

  /** Rows of a page name the same people and repositories over and over: the same bytes are the same value. */
  private repeated(shape: ObjectShape): unknown {
    const start = this.at;
    const copies = this.copies.get(shape) ?? [];
    for (const copy of copies) {
      const end = start + copy.end - copy.start;
      if (end <= this.bytes.length && this.bytes.compare(this.bytes, copy.start, copy.end, start, end) === 0) {
        this.at = end;
        return copy.value;
      }
    }
    const value = this.object(shape);
    copies.unshift({ start, end: this.at, value });
    if (copies.length > copiesKept) copies.pop();
    this.copies.set(shape, copies);
    return value;
  }

  private object(shape: ObjectShape): unknown {
    const { bytes } = this;
    const value: Record<string, unknown> = {};
    this.at += 1;
    if (this.next() === closeBrace) {
      this.at += 1;
      return value;
    }
    for (;;) {
      if (this.next() !== quote) throw new NoJson();
      const start = this.at + 1;
      this.at = endOfString(bytes, this.at);
      const length = this.at - 1 - start;
      this.expect(colon);
      const field = named(shape.wanted[slotOf(length, bytes[start] ?? 0)], bytes, start, length);
      if (field) value[field.name] = this.read(field.shape);
      else this.at = endOfValue(bytes, startOfNext(bytes, this.at));
      if (this.next() === closeBrace) break;
      this.expect(comma);
    }
    this.at += 1;
    return value;
  }

  private list(item: Shape): unknown {
    const values: unknown[] = [];
    this.at += 1;
    if (this.next() !== closeBracket) {
      values.push(this.row(item));
      while (this.next() !== closeBracket) {
        this.expect(comma);
        values.push(this.row(item));
      }
    }
    this.at += 1;
    return values;
  }

  /** Rows themselves differ; only what they hold repeats. */
  private row(item: Shape): unknown {
    return item.kind === 'object' && this.next() === openBrace ? this.object(item) : this.read(item);
  }

  private value(first: number): unknown {
    if (first >= zero && first <= nine) return this.number();
    const start = this.at;
    this.at = endOfValue(this.bytes, start);
    const text = this.bytes.toString('utf8', start, this.at);
    return first === quote && !text.includes('\\') ? text.slice(1, -1) : JSON.parse(text);
  }

  private number(): unknown {
    const start = this.at;
    const end = endOfValue(this.bytes, start);
    this.at = end;
    let number = 0;
    for (let at = start; at < end; at += 1) {
      const digit = this.bytes[at] ?? 0;
      // a fraction, an exponent, or more digits than a sum keeps exactly
      if (digit < zero || digit > nine || end - start > exactDigits)
        return JSON.parse(this.bytes.toString('utf8', start, end));
      number = number * 10 + digit - zero;
    }
    return number;
  }

  private next(): number {
    this.at = startOfNext(this.bytes, this.at);
    return this.bytes[this.at] ?? 0;
  }

  private expect(code: number): void {
    if (this.next() !== code) throw new NoJson();
    this.at += 1;
  }
}

function named(
  fields: readonly Field[] | undefined,
  bytes: Uint8Array,
  start: number,
  length: number,
): Field | undefined {
  if (fields === undefined) return undefined;
  for (const field of fields) {
    const name = field.bytes;
    if (name.length !== length) continue;
    let same = 0;
    while (same < length && name[same] === bytes[start + same]) same += 1;
    if (same === length) return field;
  }
  return undefined;
}
