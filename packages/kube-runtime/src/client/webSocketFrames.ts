import { randomBytes } from 'node:crypto';

/** The frames of RFC 6455, as far as a client that sends and receives binary messages needs them. */

export const opcodes = { binary: 2, close: 8, ping: 9, pong: 10 } as const;
const continuation = 0;
const isFinal = 0x80;
const isMasked = 0x80;

/** A message as one frame; a client masks what it sends. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  const mask = randomBytes(4);
  const masked = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Buffer.concat([header(opcode, payload.length), mask, masked]);
}

function header(opcode: number, length: number): Buffer {
  if (length < 126) return Buffer.of(isFinal | opcode, isMasked | length);
  const long = Buffer.alloc(length < 0x10000 ? 4 : 10);
  long[0] = isFinal | opcode;
  long[1] = isMasked | (length < 0x10000 ? 126 : 127);
  if (length < 0x10000) long.writeUInt16BE(length, 2);
  else long.writeBigUInt64BE(BigInt(length), 2);
  return long;
}

/** A frame of a server, and how many bytes it has; undefined: it has not arrived as a whole. */
function serverFrame(bytes: Buffer) {
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < start) return undefined;
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < start + length) return undefined;
  const payload = bytes.subarray(start, start + length);
  return { opcode: first & 0x0f, isLast: (first & isFinal) !== 0, payload, size: start + length };
}

/** Returns a function that takes the bytes of a server, and calls `onMessage` for each complete message. */
export function frameReader(onMessage: (opcode: number, payload: Buffer) => void): (bytes: Buffer) => void {
  let pending = Buffer.alloc(0);
  let parts: Buffer[] = [];
  let opcodeOfParts = 0;

  return (bytes) => {
    pending = Buffer.concat([pending, bytes]);
    for (let frame = serverFrame(pending); frame !== undefined; frame = serverFrame(pending)) {
      pending = pending.subarray(frame.size);
      const { opcode, isLast, payload } = frame;
      if (opcode >= opcodes.close) {
        onMessage(opcode, payload);
        continue;
      }
      if (opcode !== continuation) opcodeOfParts = opcode;
      parts.push(payload);
      if (!isLast) continue;
      const message = Buffer.concat(parts);
      parts = [];
      onMessage(opcodeOfParts, message);
    }
  };
}
