import {
  answerWith,
  eventLine,
  type Fault,
  type ReceivedRequest,
  statusBody,
  statusObject,
} from '@weeder/kube-runtime/testing';

/** Answers with this HTTP status and a Status object. */
export function refuseWith(code: number, reason: string, headers: Readonly<Record<string, string>> = {}): Fault {
  return answerWith(code, statusBody(code, reason, `${reason} said the faulty server`), headers);
}

/** Forwards the request to the API server, and closes the connection in place of the answer. */
export const loseResponse: Fault = (answer, _request, proceed) => {
  proceed({ head() {}, write() {}, end: () => answer.cut(), cut: () => answer.cut(), onClose: answer.onClose });
};

/** Delays the headers by `ms` milliseconds. */
export function slowHeaders(ms: number): Fault {
  return (answer, _request, proceed) => {
    const timer = setTimeout(proceed, ms);
    answer.onClose(() => clearTimeout(timer));
  };
}

/** Sends the headers immediately, and the body at one byte per second. */
export const oneBytePerSecond: Fault = (answer, _request, proceed) => {
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

/** Sends `line` at the start of a watch, followed by what the API server sends. */
export function watchStartingWith(line: string | Buffer): Fault {
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

/** Closes the connection of a watch in the middle of its next line. */
export const cutLine: Fault = (answer, _request, proceed) => {
  proceed({
    ...answer,
    write: (bytes) => {
      answer.write(Buffer.from(bytes).subarray(0, Math.floor(bytes.length / 2)));
      setImmediate(() => answer.cut());
    },
  });
};

/** Sends the event with which the API server ends a watch whose resourceVersion is too old. */
export const expiredInBand: Fault = (answer) => {
  answer.head(200);
  answer.write(eventLine('ERROR', statusObject(410, 'Expired')));
  answer.end();
};

export const isDelete = ({ method }: ReceivedRequest): boolean => method === 'DELETE';
