import { LogFault } from '../log-fault.ts'

/** Work that waits for its transaction, and the promise that its caller waits for. */
export interface Write {
  /** Runs the work. A `LogFault` becomes the outcome; any other error fails the transaction. */
  attempt(): void
  /** Settles the promise with the outcome of the last attempt. Called when that is durable. */
  settle(): void
  reject(cause: unknown): void
  /** About how much the work writes. */
  readonly bytes: number
  /** Whether the work validates records. */
  readonly needsSchemas: boolean
}

export interface WriteOptions extends Pick<Write, 'bytes' | 'needsSchemas'> {
  /** Called before the promise is settled. */
  onDurable?: (() => void) | undefined
}

export const createWrite = <Result>(
  work: () => Result,
  { bytes, needsSchemas, onDurable }: WriteOptions,
  { resolve, reject }: PromiseWithResolvers<Result>,
): Write => {
  const write: Write = {
    attempt() {
      try {
        const result = work()
        write.settle = () => {
          onDurable?.()
          resolve(result)
        }
      } catch (cause) {
        if (!(cause instanceof LogFault)) throw cause
        write.settle = () => reject(cause)
      }
    },
    settle() {},
    reject,
    bytes,
    needsSchemas,
  }
  return write
}
