import { expect, test } from 'vitest'
import { apiBase } from '../../../src/http/endpoints.ts'
import { openapi } from '../../../src/http/reference/openapi.ts'
import { referencePage } from '../../../src/http/reference/page.ts'
import { apiDescription } from '../../../src/http/routes/index.ts'

const document = openapi('1.2.3')
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => ({ path, ...operation })),
)

test('the document lists every route, and nothing else', () => {
  expect(operations).toHaveLength(apiDescription.length)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(apiDescription.length)
})

test('every reference points to a schema', () => {
  const text = JSON.stringify(document)
  const targets = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
  const names = Object.keys(document.components.schemas)
  expect(targets.length).toBeGreaterThan(apiDescription.length)
  expect(targets.map(([, name = '']) => name).filter((name) => !names.includes(name))).toEqual([])
  expect(text).not.toContain('"$ref":"#/$defs')
  expect(text).not.toContain('__shared')
})

test('every path parameter is described', () => {
  for (const { path, parameters } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const described = parameters.filter((each) => each.in === 'path').map(({ name }) => name)
    expect(described, path).toEqual(named)
  }
})

test('operations name their scope, and those that accept an Idempotency-Key say so', () => {
  const paths = document.paths
  expect(paths[`${apiBase}/health`]?.get).toMatchObject({ security: [] })
  expect(paths[`${apiBase}/keys`]?.get?.description).toContain('`admin`')
  const idempotent = operations.filter(({ parameters }) =>
    parameters.some(({ name }) => name === 'Idempotency-Key'),
  )
  expect(idempotent.map(({ operationId }) => operationId).sort()).toEqual([
    'postApprovalsById',
    'postComparisons',
    'postLoops',
    'postSessions',
    'postSessionsByIdFollowUp',
    'postSessionsByIdFork',
    'postSessionsByIdPrompt',
    'postSessionsByIdSteer',
  ])
})

test('the page lists every route, escapes text, and has no dead link', () => {
  const page = referencePage('<1>')
  for (const { endpoint } of apiDescription) expect(page).toContain(`<code>${endpoint.path}</code>`)
  expect(page).toContain('Version &lt;1&gt;.')
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
  expect(links.filter((id) => !ids.includes(id))).toEqual([])
})
