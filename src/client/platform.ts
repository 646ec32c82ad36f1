/** What the client asks of the program that it runs in. Tests give their own. */
export interface Platform {
  fetch(url: string, init: RequestInit): Promise<Response>
  now(): number
  /** Runs something later; gives its undo. */
  setTimer(run: () => void, ms: number): () => void
  /** From 0 to 1. */
  random(): number
  /** Tells when the network or the reader is back; gives its undo. */
  onActive(listener: () => void): () => void
}

/** The program itself: a browser’s page or worker, Node, or what is like them. */
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
      listen(documentHere(), 'visibilitychange', () => isSeen() && listener()),
    ]
    return () => {
      for (const each of undo) each()
    }
  },
}

// Not every program has a document, nor do all have the types of one.
const documentHere = (): unknown => Reflect.get(globalThis, 'document')

const isSeen = (): boolean => {
  const page = documentHere()
  return page instanceof EventTarget && Reflect.get(page, 'visibilityState') === 'visible'
}

const listen = (target: unknown, type: string, listener: () => void): (() => void) => {
  if (!(target instanceof EventTarget)) return () => {}
  target.addEventListener(type, listener)
  return () => target.removeEventListener(type, listener)
}

/** Waits, but no longer than until the signal. */
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
