import { eventLine, statusObject } from '../../support/api/apiCollection.ts';
import { answerWith, type Fault, type ReceivedRequest, statusBody } from '../../support/api/faultyServer.ts';

/** Any status, with the Status object that an API server sends with it. */
export function refusing(code: number, reason: string, headers: Readonly<Record<string, string>> = {}): Fault {
  return answerWith(code, statusBody(code, reason, `${reason} said the faulty server`), headers);
}

/** The API server acts on the request, and the connection breaks before the answer. */
export const losingAnswers: Fault = (answer, _request, proceed) => {
  proceed({ head() {}, write() {}, end: () => answer.cut(), cut: () => answer.cut(), onClose: answer.onClose });
};

/** The headers arrive this much later. Milliseconds. */
export function slowHeaders(ms: number): Fault {
  return (answer, _request, proceed) => {
    const timer = setTimeout(proceed, ms);
    answer.onClose(() => clearTimeout(timer));
  };
}

/** The headers arrive at once, and then a byte a second. */
export const byteBySecond: Fault = (answer, _request, proceed) => {
  let waiting = Buffer.alloc(0);
  let isOver = false;
  const timer = setInterval(() => {
    if (waiting.length > 0) answer.write(waiting.subarray(0, 1));
    waiting = waiting.subarray(1);
    if (waiting.length === 0 && isOver) answer.end();
  }, 1000);
  answer.onClose(() => clearInterval(timer));
  proceed({
    ...answer,
    write: (bytes) => {
      waiting = Buffer.concat([waiting, Buffer.from(bytes)]);
    },
    end: (bytes = '') => {
      waiting = Buffer.concat([waiting, Buffer.from(bytes)]);
      isOver = true;
    },
  });
};

/** A watch that begins with this, followed by what the API server sends. */
export function beginningWith(line: string | Buffer): Fault {
  return (answer, _request, proceed) => {
    let isFirst = true;
    const begin = () => {
      if (isFirst) answer.write(line);
      isFirst = false;
    };
    proceed({
      ...answer,
      head: (status, headers) => {
        answer.head(status, headers);
        begin();
      },
    });
  };
}

/** A watch whose next line is cut in its middle, and the connection with it. */
export const cuttingALine: Fault = (answer, _request, proceed) => {
  proceed({
    ...answer,
    write: (bytes) => {
      answer.write(Buffer.from(bytes).subarray(0, Math.floor(bytes.length / 2)));
      setImmediate(() => answer.cut());
    },
  });
};

/** 410 inside of a watch, as the API server reports that a resourceVersion is too old. */
export const expiredInBand: Fault = (answer) => {
  answer.head(200);
  answer.write(eventLine('ERROR', statusObject(410, 'Expired')));
  answer.end();
};

export const isDelete = ({ method }: ReceivedRequest): boolean => method === 'DELETE';
