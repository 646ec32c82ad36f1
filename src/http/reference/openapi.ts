import type { z } from 'zod'
import { problems, problemType } from '../../shared/problem.ts'
import { base, routes } from '../routes/index.ts'
import type { Route } from '../routes/route.ts'
import { refusalsOf } from './refusals.ts'
import { type JsonSchema, namedSchemas, schemaOf, wholeSchema } from './schemas.ts'

/** The API as an OpenAPI 3.1 document, from the same table that serves it. */
export const openapi = (version: string) => ({
  openapi: '3.1.0',
  info: {
    title: 'Sluice',
    version,
    description: 'One live event stream for every coding agent.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
  security: [{ bearer: [] }],
  paths: pathsOf(),
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or a short token.' },
    },
    schemas: namedSchemas(),
  },
})

type Operation = ReturnType<typeof operationOf>

const pathsOf = () => {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const path = base + route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return paths
}

const operationOf = (route: Route) => {
  const { summary, tag, description, scope, parts } = route
  return {
    operationId: operationIdOf(route),
    summary,
    description: [description, scopeWords(scope)].filter((text) => text).join('\n\n'),
    tags: [tag],
    ...(scope === null && { security: [] }),
    parameters: [
      ...parametersOf(parts.params, 'path'),
      ...parametersOf(parts.query, 'query'),
      ...(route.isIdempotent ? [idempotencyKey] : []),
      ...(tag === 'Streams' ? [lastEventId] : []),
    ],
    ...(parts.body && {
      requestBody: {
        required: route.isBodyOptional !== true,
        content: { 'application/json': { schema: schemaOf(parts.body) } },
      },
    }),
    responses: { ...replyOf(route), ...problemsOf(route) },
  }
}

/** What a token must allow, in words. */
export const scopeWords = (scope: Route['scope']): string => {
  if (scope === null) return 'No token is needed.'
  return scope === 'any' ? 'Any token will do.' : `The token needs the scope \`${scope}\`.`
}

/** The status of an answer when all is well. */
export const statusWords = ({ reply: { status, or } }: Route): string =>
  or === undefined ? String(status) : `${status} or ${or}`

/** `GET /sessions/:id/turn-diff` → `getSessionsByIdTurnDiff`. */
const operationIdOf = ({ method, path }: Route): string => {
  const words = path.replaceAll('/:', '/by-').split(/[/-]/)
  return (
    method.toLowerCase() +
    words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  )
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
}

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key, path and body are done once, and answered the same, for ten minutes.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const lastEventId: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The cursor: the id of the last frame that was seen.',
  schema: { type: 'string' },
}

const parametersOf = (schema: z.ZodType | undefined, place: 'path' | 'query'): Parameter[] => {
  const { properties = {}, required = [] } = schema ? wholeSchema(schema) : {}
  return Object.entries(properties).map(([name, each]) => {
    const { description, ...rest } = typeof each === 'object' ? each : {}
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })
}

const replyOf = ({ reply }: Route) => {
  const { status, or = status, schema, mediaTypes = [] } = reply
  const description = status === 204 ? 'Done.' : status === 202 ? 'Taken.' : 'As asked.'
  if (schema) {
    const content = { 'application/json': { schema: schemaOf(schema) } }
    return { [or]: { description: 'As it was.', content }, [status]: { description, content } }
  }
  const content = Object.fromEntries(mediaTypes.map((type) => [type, {}]))
  return { [status]: { description, ...(mediaTypes.length > 0 && { content }) } }
}

/** Refusals, gathered by their status. */
const problemsOf = (route: Route) =>
  Object.fromEntries(
    refusalsOf(route).map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${problems[code].title}`).join('\n\n'),
        content: { [problemType]: { schema: { $ref: '#/components/schemas/ProblemDetails' } } },
      },
    ]),
  )
