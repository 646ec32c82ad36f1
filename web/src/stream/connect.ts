import { createHub } from './hub.ts'
import type { FromHub, ToHub } from './messages.ts'

/** The way to the hub: in a worker that all tabs share, or in the page where there is none. */
export interface HubLink {
  send(message: ToHub): void
  close(): void
}

interface Listening {
  readonly url: string
  readonly token: string
  /** Takes what the hub says, in order. */
  readonly onMessage: (message: FromHub) => void
}

/** A hub answers at once. One that has not in this time is stuck, and the page does without it. */
const patienceMs = 10_000

/** Begins to listen to the server. */
export const connectHub = (listening: Listening): HubLink => {
  const worker = openWorker()
  if (!worker) return inPage(listening)
  let wanted: ToHub | undefined
  let link = overPort(worker.port, {
    ...listening,
    onMessage(message) {
      clearTimeout(patience)
      listening.onMessage(message)
    },
  })
  const doWithout = () => {
    clearTimeout(patience)
    worker.removeEventListener('error', doWithout)
    link.close()
    link = inPage(listening)
    if (wanted) link.send(wanted)
  }
  const patience = setTimeout(doWithout, patienceMs)
  // Its script may be gone, after the server was replaced by a newer one.
  worker.addEventListener('error', doWithout)
  return {
    send(message) {
      if (message.type === 'want') wanted = message
      link.send(message)
    },
    close() {
      clearTimeout(patience)
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

const overPort = (port: MessagePort, { url, token, onMessage }: Listening): HubLink => {
  port.addEventListener('message', ({ data }: MessageEvent<FromHub>) => onMessage(data))
  port.start()
  const send = (message: ToHub) => port.postMessage(message)
  const leave = () => send({ type: 'leave' })
  send({ type: 'hello', url, token })
  addEventListener('pagehide', leave)
  return {
    send,
    close() {
      removeEventListener('pagehide', leave)
      leave()
      port.close()
    },
  }
}

const inPage = ({ url, token, onMessage }: Listening): HubLink => {
  const hub = createHub(url, token)
  const port = { postMessage: onMessage }
  hub.enter(port)
  return { send: (message) => hub.take(port, message), close: () => hub.close() }
}
