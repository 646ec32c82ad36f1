import { expect, test } from 'vitest'
import { openapi } from '../../../src/http/reference/openapi.ts'
import { referencePage } from '../../../src/http/reference/page.ts'
import { base, routes } from '../../../src/http/routes/index.ts'

const document = openapi('1.2.3')
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => ({ path, ...operation })),
)

test('every route is in the document, and only those', () => {
  expect(operations).toHaveLength(routes.length)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length)
})

test('every reference leads to a schema', () => {
  const text = JSON.stringify(document)
  const targets = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
  const known = Object.keys(document.components.schemas)
  expect(targets.length).toBeGreaterThan(routes.length)
  expect(targets.map(([, name = '']) => name).filter((name) => !known.includes(name))).toEqual([])
  expect(text).not.toContain('"$ref":"#/$defs')
  expect(text).not.toContain('__shared')
})

test('every parameter of a path is described', () => {
  for (const { path, parameters } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const described = parameters.filter((each) => each.in === 'path').map(({ name }) => name)
    expect(described, path).toEqual(named)
  }
})

test('what needs a token says which, and what may be sent twice says so', () => {
  const paths = document.paths
  expect(paths[`${base}/health`]?.get).toMatchObject({ security: [] })
  expect(paths[`${base}/keys`]?.get?.description).toContain('`admin`')
  const twice = operations.filter(({ parameters }) =>
    parameters.some(({ name }) => name === 'Idempotency-Key'),
  )
  expect(twice.map(({ operationId }) => operationId).sort()).toEqual([
    'postApprovalsById',
    'postSessionsByIdFollowUp',
    'postSessionsByIdPrompt',
    'postSessionsByIdSteer',
  ])
})

test('the page shows every route, and all that comes from outside is escaped', () => {
  const page = referencePage('<1>')
  for (const { path } of routes) expect(page).toContain(`<code>${base}${path}</code>`)
  expect(page).toContain('Version &lt;1&gt;.')
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
  expect(links.filter((id) => !ids.includes(id))).toEqual([])
})
