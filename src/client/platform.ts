/** What the client needs from the program that it runs in. Each part can be replaced. */
export interface Platform {
  /** Sends an HTTP request. */
  fetch(url: string, init: RequestInit): Promise<Response>
  /** The current time, in ms since 1970. */
  now(): number
  /** Runs a function once after a delay; returns its cancellation. */
  setTimer(run: () => void, ms: number): () => void
  /** A random number from 0 to 1. */
  random(): number
  /** Runs the listener when the network is back or the page becomes visible; returns its undo. */
  onActive(listener: () => void): () => void
}

/** A browser’s page or worker, or Node. */
export const defaultPlatform: Platform = {
  fetch: (url, init) => fetch(url, init),
  now: Date.now,
  setTimer(run, ms) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
  random: Math.random,
  onActive(listener) {
    const undo = [
      listen(globalThis, 'online', listener),
      listen(currentDocument(), 'visibilitychange', () => isVisible() && listener()),
    ]
    return () => {
      for (const each of undo) each()
    }
  },
}

// Workers and Node have no document, and Node’s types have none either.
const currentDocument = (): unknown => Reflect.get(globalThis, 'document')

const isVisible = (): boolean => {
  const page = currentDocument()
  return page instanceof EventTarget && Reflect.get(page, 'visibilityState') === 'visible'
}

const listen = (target: unknown, type: string, listener: () => void): (() => void) => {
  if (!(target instanceof EventTarget)) return () => {}
  target.addEventListener(type, listener)
  return () => target.removeEventListener(type, listener)
}

/** Resolves after a delay, or as soon as the signal aborts. */
export const wait = (platform: Platform, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = platform.setTimer(done, ms)
    signal?.addEventListener('abort', done)
  })
