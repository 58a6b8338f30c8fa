import type { Dispatcher } from 'undici';

/**
 * Wraps the dispatcher so that it checks again when a request is written to the connection. undici delays a request
 * while it connects, which may take seconds, or any time in a process that is suspended. A request that is no longer
 * needed fails, and nothing of it has been sent.
 */
export function guardedDispatch(dispatcher: Dispatcher, isNeeded: () => boolean): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => dispatch(options, guarded(handler, isNeeded)));
}

function guarded(handler: Dispatcher.DispatchHandler, isNeeded: () => boolean): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller, context) {
      if (!isNeeded()) throw new Error('the request was cancelled');
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  };
}
