import { pageHeaders } from '../auth/headers.ts'
import { Problem } from '../shared/problem.ts'
import type { AppContext, EndpointHandler } from './app-context.ts'
import { type Endpoint, endpoints } from './endpoints.ts'
import type { RouteResponse } from './send-response.ts'
import { createWebFiles } from './web-files.ts'

/** Handlers for what is not JSON: the API reference, the metrics and the web app. */
export const createPages = (context: AppContext): [Endpoint, EndpointHandler][] => {
  const { version, webDirectory } = context
  const files = webDirectory === undefined ? undefined : createWebFiles(webDirectory)
  let openapiText: string | undefined
  let referenceHtml: string | undefined

  return [
    [
      endpoints.openapi,
      async () => {
        const { openapi } = await import('./reference/openapi.ts')
        openapiText ??= JSON.stringify(openapi(version))
        return textResponse(openapiText, 'application/json')
      },
    ],
    [
      endpoints.reference,
      async () => {
        const { referencePage } = await import('./reference/page.ts')
        referenceHtml ??= referencePage(version)
        return textResponse(referenceHtml, 'text/html; charset=utf-8', pageHeaders)
      },
    ],
    [
      endpoints.referenceStyle,
      async () => {
        const { referenceStyle } = await import('./reference/style.ts')
        return textResponse(referenceStyle, 'text/css; charset=utf-8')
      },
    ],
    [
      endpoints.metrics,
      async () =>
        textResponse(await context.metricsText(), 'text/plain; version=0.0.4; charset=utf-8'),
    ],
    [
      endpoints.webApp,
      async ({ path, request: { headers } }) => {
        if (!files) return textResponse(notBuilt, 'text/plain; charset=utf-8')
        const file = await files.get({
          path,
          acceptEncoding: String(headers['accept-encoding'] ?? ''),
          ifNoneMatch: headers['if-none-match'] ?? '',
        })
        if (!file) throw new Problem(404, 'not_found', 'The web app has no file at this path.')
        return file
      },
    ],
  ]
}

const notBuilt =
  'Sluice is running, but the web app is not built. To build it, start the server with `npm start`. The API is at /api/docs.\n'

const textResponse = (
  text: string,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): RouteResponse => ({
  status: 200,
  bytes: text,
  headers: { ...headers, 'Content-Type': type, 'Cache-Control': 'no-cache' },
})
