import { LogFault } from '../log-fault.ts'

/** Repeats a call for as long as the cluster does not answer. Ends with `closed` when the log is closed. */
export const patiently = async <Result>(call: () => Promise<Result>): Promise<Result> => {
  for (;;)
    try {
      return await call()
    } catch (cause) {
      if (!isUnreachable(cause)) throw cause
    }
}

export const isUnreachable = (cause: unknown): boolean =>
  cause instanceof LogFault && cause.code === 'unreachable'

/** Reports errors, but not that the log was closed meanwhile. */
export const unlessClosed =
  (onError: (cause: unknown) => void) =>
  (cause: unknown): void => {
    if (!(cause instanceof LogFault && cause.code === 'closed')) onError(cause)
  }
