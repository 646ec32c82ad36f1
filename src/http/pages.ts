import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { credentialsOf } from '../auth/gate.ts'
import { dataHeaders, pageHeaders } from '../auth/headers.ts'
import type { AppContext } from './app-context.ts'
import { base } from './routes/index.ts'
import { sendStream } from './send-stream.ts'
import { createWebFiles } from './web-files.ts'

/** What is not the API itself: its reference, the figures, the web app. Loaded when asked for. */
export const mountPages = (app: Hono<{ Bindings: HttpBindings }>, world: AppContext): void => {
  const files = world.webDirectory === undefined ? undefined : createWebFiles(world.webDirectory)
  let document: string | undefined
  let page: string | undefined

  app.get(`${base}/openapi.json`, async ({ env }) => {
    world.gate.checkOrigin(credentialsOf(env.incoming))
    const { openapi } = await import('./reference/openapi.ts')
    document ??= JSON.stringify(openapi(world.version))
    return text(document, 'application/json', dataHeaders)
  })

  app.get('/api/docs', async ({ env }) => {
    world.gate.checkOrigin(credentialsOf(env.incoming))
    const { referencePage } = await import('./reference/page.ts')
    page ??= referencePage(world.version)
    return text(page, 'text/html; charset=utf-8', pageHeaders)
  })

  app.get('/api/docs.css', async ({ env }) => {
    world.gate.checkOrigin(credentialsOf(env.incoming))
    const { referenceStyle } = await import('./reference/style.ts')
    return text(referenceStyle, 'text/css; charset=utf-8', dataHeaders)
  })

  // Behind a proxy everybody comes from the loopback, so that alone opens nothing.
  app.get('/metrics', async ({ env }) => {
    await world.gate.authorize(credentialsOf(env.incoming), 'read')
    return text(await world.figures(), 'text/plain; version=0.0.4; charset=utf-8', dataHeaders)
  })

  app.get('*', async ({ env, req }, next) => {
    if (/^\/(?:api|metrics)(?:\/|$)/.test(req.path)) return next()
    world.gate.checkOrigin(credentialsOf(env.incoming))
    if (!files) return text(hint, 'text/plain; charset=utf-8', dataHeaders)
    const file = await files.get({
      path: req.path,
      acceptEncoding: req.header('accept-encoding') ?? '',
      ifNoneMatch: req.header('if-none-match') ?? '',
    })
    if (!file) return next()
    if (!file.source) return new Response(null, { status: 304, headers: file.headers })
    return sendStream(env.outgoing, file, world.report)
  })
}

const hint = 'Sluice is running. The web app is not built; the API is described at /api/docs.\n'

const text = (body: string, type: string, headers: Readonly<Record<string, string>>): Response =>
  new Response(body, { headers: { ...headers, 'Content-Type': type, 'Cache-Control': 'no-cache' } })
