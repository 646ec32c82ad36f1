import { createHub, type Hub } from './hub.ts'
import type { ToHub } from './messages.ts'

// One of these runs for all tabs of a browser; each tab is a port. Tabs with different tokens share
// nothing: each token has its own hub.
const hubs = new Map<string, Hub>()

const hubFor = (url: string, token: string): Hub => {
  const known = hubs.get(token)
  if (known && !known.isOver()) return known
  const made = createHub(url, token)
  hubs.set(token, made)
  return made
}

addEventListener('connect', (event) => {
  const port = event instanceof MessageEvent ? event.ports[0] : undefined
  if (!port) return
  let hub: Hub | undefined
  port.addEventListener('message', ({ data }: MessageEvent<ToHub>) => {
    if (data.type !== 'hello') return hub?.take(port, data)
    hub = hubFor(data.url, data.token)
    hub.enter(port)
  })
  port.start()
})
