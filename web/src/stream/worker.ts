import { createHub, type Hub } from './hub.ts'
import type { ToHub } from './messages.ts'

// One worker serves all tabs of a browser; each tab is a port. Tabs that signed in at
// different times share nothing: each page key has its own hub.
const hubs = new Map<string, Hub>()

const hubFor = (url: string, pageKey: string): Hub => {
  const existing = hubs.get(pageKey)
  if (existing && !existing.isStopped()) return existing
  const created = createHub(url, pageKey)
  hubs.set(pageKey, created)
  return created
}

addEventListener('connect', (event) => {
  const port = event instanceof MessageEvent ? event.ports[0] : undefined
  if (!port) return
  let hub: Hub | undefined
  port.addEventListener('message', ({ data }: MessageEvent<ToHub>) => {
    if (data.type !== 'connect') return hub?.accept(port, data)
    hub = hubFor(data.url, data.pageKey)
    hub.enter(port)
  })
  port.start()
})
