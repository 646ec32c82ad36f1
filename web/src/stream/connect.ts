import { createHub } from './hub.ts'
import type { FromHub, ToHub } from './messages.ts'

/** A page’s end of the channel to the hub. */
export interface HubLink {
  send(message: ToHub): void
  close(): void
}

export interface HubLinkOptions {
  readonly url: string
  readonly pageKey: string
  /** Receives the messages of the hub, in order. */
  readonly onMessage: (message: FromHub) => void
}

/** How long the worker may take to respond. It does so at once, unless its script does not load. */
const workerTimeoutMs = 10_000

/**
 * Connects to the hub: in a worker that all tabs share, or in the page when the browser has no shared
 * workers or this one does not start.
 */
export const connectHub = (options: HubLinkOptions): HubLink => {
  const worker = openWorker()
  if (!worker) return linkInPage(options)
  let followed: ToHub | undefined
  let link = linkOverPort(worker.port, {
    ...options,
    onMessage(message) {
      clearTimeout(timeout)
      options.onMessage(message)
    },
  })
  const fallBack = () => {
    clearTimeout(timeout)
    worker.removeEventListener('error', fallBack)
    link.close()
    link = linkInPage(options)
    if (followed) link.send(followed)
  }
  const timeout = setTimeout(fallBack, workerTimeoutMs)
  // After an upgrade, the server no longer has the script that this page names.
  worker.addEventListener('error', fallBack)
  return {
    send(message) {
      if (message.type === 'follow') followed = message
      link.send(message)
    },
    close() {
      clearTimeout(timeout)
      link.close()
    },
  }
}

const openWorker = (): SharedWorker | undefined => {
  if (!('SharedWorker' in globalThis)) return undefined
  try {
    return new SharedWorker(new URL('./worker.ts', import.meta.url), {
      type: 'module',
      name: 'sluice',
    })
  } catch {
    return undefined
  }
}

const linkOverPort = (port: MessagePort, { url, pageKey, onMessage }: HubLinkOptions): HubLink => {
  port.addEventListener('message', ({ data }: MessageEvent<FromHub>) => onMessage(data))
  port.start()
  const send = (message: ToHub) => port.postMessage(message)
  const disconnect = () => send({ type: 'disconnect' })
  send({ type: 'connect', url, pageKey })
  addEventListener('pagehide', disconnect)
  return {
    send,
    close() {
      removeEventListener('pagehide', disconnect)
      disconnect()
      port.close()
    },
  }
}

const linkInPage = ({ url, pageKey, onMessage }: HubLinkOptions): HubLink => {
  const hub = createHub(url, pageKey)
  const port = { postMessage: onMessage }
  hub.enter(port)
  return { send: (message) => hub.accept(port, message), close: hub.close }
}
