import type { z } from 'zod'
import type { RequiredScope } from '../../auth/gate.ts'
import { problems, problemType } from '../../shared/problem.ts'
import { apiBase } from '../endpoints.ts'
import { apiDescription } from '../routes/index.ts'
import type { RouteDescription } from '../routes/route.ts'
import { routeProblems } from './route-problems.ts'
import { type JsonSchema, namedSchemas, schemaOf, wholeSchema } from './schemas.ts'

/** The API as an OpenAPI 3.1 document. */
export const openapi = (version: string) => ({
  openapi: '3.1.0',
  info: {
    title: 'Sluice',
    version,
    description: 'One live event stream for every coding agent.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  tags: [...new Set(apiDescription.map(({ tag }) => tag))].map((name) => ({ name })),
  security: [{ bearer: [] }],
  paths: pathsOf(),
  components: {
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'An API key, or a short token issued from one.',
      },
    },
    schemas: namedSchemas(),
  },
})

type Operation = ReturnType<typeof operationOf>

const pathsOf = () => {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of apiDescription) {
    const path = route.endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    const method = route.endpoint.method.toLowerCase()
    paths[path] = { ...paths[path], [method]: operationOf(route) }
  }
  return paths
}

const operationOf = (route: RouteDescription) => {
  const { endpoint, summary, tag, description, parts } = route
  return {
    operationId: operationIdOf(route),
    summary,
    description: [description, scopeSentence(endpoint.scope)].filter((text) => text).join('\n\n'),
    tags: [tag],
    ...(endpoint.scope === null && { security: [] }),
    parameters: [
      ...parametersOf(parts.params, 'path'),
      ...parametersOf(parts.query, 'query'),
      ...(route.isIdempotent ? [idempotencyKey] : []),
      ...(endpoint.isStream ? [lastEventId] : []),
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

/** A sentence that says what the token must allow. */
export const scopeSentence = (scope: RequiredScope): string => {
  if (scope === null) return 'Needs no token.'
  return scope === 'any'
    ? 'Needs a token with any scope.'
    : `Needs a token with the scope \`${scope}\`.`
}

/** The status of a successful response. */
export const statusLabel = ({ reply: { status, or } }: RouteDescription): string =>
  or === undefined ? String(status) : `${status} or ${or}`

/** `GET /sessions/:id/turn-diff` → `getSessionsByIdTurnDiff`. */
const operationIdOf = ({ endpoint: { method, path } }: RouteDescription): string => {
  const words = path.slice(apiBase.length).replaceAll('/:', '/by-').split(/[/-]/)
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
  description:
    'Requests with the same key, path and body run once. Repetitions get the same response: of commands for a day, also after a restart of the server, and of approvals for ten minutes.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const lastEventId: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The cursor: the id of the last frame that the client received.',
  schema: { type: 'string' },
}

const parametersOf = (schema: z.ZodType | undefined, where: 'path' | 'query'): Parameter[] => {
  const { properties = {}, required = [] } = schema ? wholeSchema(schema) : {}
  return Object.entries(properties).map(([name, each]) => {
    const { description, ...rest } = typeof each === 'object' ? each : {}
    return {
      name,
      in: where,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })
}

const statusDescriptions: Readonly<Record<number, string>> = {
  201: 'Created.',
  202: 'The agent accepted it.',
  204: 'Done.',
}

const replyOf = ({ reply }: RouteDescription) => {
  const { status, or = status, schema, mediaTypes = [] } = reply
  const description = statusDescriptions[status] ?? 'Success.'
  if (schema) {
    const content = { 'application/json': { schema: schemaOf(schema) } }
    return {
      [or]: { description: 'It existed already.', content },
      [status]: { description, content },
    }
  }
  const content = Object.fromEntries(mediaTypes.map((type) => [type, {}]))
  return { [status]: { description, ...(mediaTypes.length > 0 && { content }) } }
}

const problemsOf = (route: RouteDescription) =>
  Object.fromEntries(
    routeProblems(route).map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${problems[code].title}`).join('\n\n'),
        content: { [problemType]: { schema: { $ref: '#/components/schemas/ProblemDetails' } } },
      },
    ]),
  )
