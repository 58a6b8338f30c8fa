import type { Dispatcher } from 'undici';

/**
 * The dispatcher, which asks once more at the moment in which a request is written: undici keeps a request back while
 * a connection is being made, which may take seconds, and a process that is stopped then, any time. A request that is
 * not wanted any more fails, and nothing of it was sent.
 */
export function guardedDispatch(dispatcher: Dispatcher, isWanted: () => boolean): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => dispatch(options, guarded(handler, isWanted)));
}

function guarded(handler: Dispatcher.DispatchHandler, isWanted: () => boolean): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller, context) {
      if (!isWanted()) throw new Error('the request is not wanted any more');
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  };
}
