/** The fields of a message of Protocol Buffers, by number. */
export interface Message {
  texts(field: number): string[];
  messages(field: number): Message[];
  /** Of `fixed64` and `varint`. */
  integers(field: number): bigint[];
  /** Packed or not. */
  doubles(field: number): number[];
  /** Packed. */
  packed(field: number): bigint[];
  hex(field: number): string;
}

type Field = { readonly bytes: Buffer } | { readonly integer: bigint };

/** Reads the wire format; throws at one that is invalid. */
export function readMessage(data: Buffer): Message {
  const fields = new Map<number, Field[]>();
  let offset = 0;
  const varint = (): bigint => {
    for (let [result, shift] = [0n, 0n]; ; shift += 7n) {
      const byte = data.readUInt8(offset);
      offset += 1;
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
  };
  const take = (length: number): Buffer => {
    offset += length;
    if (offset > data.length) throw new Error('a field is longer than its message');
    return data.subarray(offset - length, offset);
  };
  const field = (wireType: number): Field => {
    if (wireType === 0) return { integer: varint() };
    if (wireType === 1) return { bytes: take(8) };
    if (wireType === 5) return { bytes: take(4) };
    if (wireType === 2) return { bytes: take(Number(varint())) };
    throw new Error(`unexpected wire type ${wireType}`);
  };
  while (offset < data.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    fields.set(number, [...(fields.get(number) ?? []), field(tag & 7)]);
  }
  const bytesOf = (number: number) => (fields.get(number) ?? []).flatMap((each) => ('bytes' in each ? each.bytes : []));
  return {
    texts: (number) => bytesOf(number).map((bytes) => bytes.toString('utf8')),
    messages: (number) => bytesOf(number).map(readMessage),
    integers: (number) =>
      (fields.get(number) ?? []).map((each) => ('integer' in each ? each.integer : each.bytes.readBigUInt64LE())),
    doubles: (number) => bytesOf(number).flatMap((bytes) => eights(bytes).map((each) => each.readDoubleLE())),
    packed: (number) => bytesOf(number).flatMap((bytes) => eights(bytes).map((each) => each.readBigUInt64LE())),
    hex: (number) => bytesOf(number)[0]?.toString('hex') ?? '',
  };
}

function eights(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / 8 }, (_, index) => bytes.subarray(8 * index, 8 * index + 8));
}
