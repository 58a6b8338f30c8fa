/** Splits a stream of bytes into lines. */
interface LineSplitter {
  /**
   * Passes each line that ends in `chunk`, without its line feed, to `onLine` until that returns false. A line is a
   * view that is valid only during the call. Returns `tooLong` if a line exceeds the limit.
   */
  push(chunk: Buffer, onLine: (line: Buffer) => boolean): 'more' | 'stopped' | 'tooLong';
  /** The number of buffered bytes of an incomplete line. */
  readonly pending: number;
}

const lineFeed = 0x0a;
/** A buffer that grew beyond this for one line is not reused. */
const retainedBytes = 1 << 20;

export function lineSplitter(longest: number): LineSplitter {
  let buffered = Buffer.alloc(0);
  let length = 0;

  /**
   * Copies into a buffer that doubles in size, so that a line that arrives byte by byte costs no more than its length.
   * The buffer never exceeds the longest allowed line.
   */
  function hold(piece: Buffer): void {
    if (length + piece.length > buffered.length) {
      const larger = Buffer.allocUnsafe(Math.min(longest, Math.max(4_096, 2 * (length + piece.length))));
      buffered.copy(larger, 0, 0, length);
      buffered = larger;
    }
    piece.copy(buffered, length);
    length += piece.length;
  }

  /** The line that ends with `piece`; it is copied only if it began in an earlier chunk. */
  function complete(piece: Buffer): Buffer {
    if (length === 0) return piece;
    hold(piece);
    const line = buffered.subarray(0, length);
    length = 0;
    if (buffered.length > retainedBytes) buffered = Buffer.alloc(0);
    return line;
  }

  return {
    push(chunk, onLine) {
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        if (length + end - start > longest) return 'tooLong';
        const line = complete(chunk.subarray(start, end));
        start = end + 1;
        if (line.length > 0 && !onLine(line)) return 'stopped';
      }
      if (length + chunk.length - start > longest) return 'tooLong';
      if (start < chunk.length) hold(chunk.subarray(start));
      return 'more';
    },
    get pending() {
      return length;
    },
  };
}
