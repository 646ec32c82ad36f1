import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { Access } from '../../auth/auth.ts'
import type { Actor } from '../../events/types.ts'
import type { ActionDone } from '../../log/auditor.ts'
import type { CommandKey } from '../../log/types.ts'
import { Problem, type ProblemCode } from '../../shared/problem.ts'
import { shortened } from '../../shared/shortened.ts'
import type { AppContext } from '../app-context.ts'
import type { Endpoint } from '../endpoints.ts'
import type { RouteResponse } from '../send-response.ts'

/** The parts of a request that a route reads, each with its schema. */
export type RequestParts = Partial<Record<'params' | 'query' | 'body', z.ZodType>>

/** What the API reference says about an endpoint. */
export interface RouteDescription {
  endpoint: Endpoint
  /** The section of the reference that lists it. */
  tag: string
  /** One phrase without a full stop. */
  summary: string
  description?: string
  parts: RequestParts
  /** Without a body, the route reads `{}`. */
  isBodyOptional?: true
  /** The body may be as large as the server accepts at all. */
  hasLargeBody?: true
  /**
   * Requests with the same `Idempotency-Key` run once. `receipt`: the log has a receipt of what was
   * accepted, stored together with it.
   */
  isIdempotent?: true | 'receipt'
  /** With an `Idempotency-Key`, it also runs while the cluster that stores the keys is away. */
  worksWithoutLog?: true
  /** The response on success; `or` is the status when there was nothing left to do. */
  reply: { status: number; or?: number; schema?: z.ZodType; mediaTypes?: readonly string[] }
  /** The problems that only this route responds with. */
  problems?: readonly ProblemCode[]
}

/** What a route works with, beside the parts of the request. */
export interface RouteContext {
  app: AppContext
  access: Access
  /** Who sends the request, and from where. */
  actor: Actor
  /** How the request is recognised when it is sent again; only with an `Idempotency-Key`. */
  once?: CommandKey
  /** The id of what the request creates: the same if a request with a key runs again on another node. */
  newId(): string
  /** Records what the sender has done. */
  audit(done: Omit<ActionDone, 'by'>): void
  request: IncomingMessage
}

/** An endpoint that responds with JSON or a file. */
export interface Route extends RouteDescription {
  /** Checks the parts against their schemas and returns the work to do. Throws a `Problem` 422. */
  prepare(
    parts: Record<keyof RequestParts, unknown>,
    context: RouteContext,
  ): () => Promise<RouteResponse>
}

/** Defines a route: `handle` receives the parts of the request in the types of their schemas. */
export const route = <const Shape extends z.ZodRawShape & RequestParts>({
  handle,
  ...description
}: RouteDescription & {
  parts: Shape
  handle(parts: z.output<z.ZodObject<Shape>>, context: RouteContext): Promise<RouteResponse>
}): Route => {
  let schema: z.ZodObject<Shape> | undefined
  return {
    ...description,
    prepare(parts, context) {
      schema ??= z.object(description.parts)
      const { data, error } = schema.safeParse(parts)
      if (error) throw invalidParts(error)
      return () => handle(data, context)
    },
  }
}

/** How much of a wrong request its refusal repeats. */
const maxIssues = 50
const maxIssueLength = 300

const invalidParts = ({ issues: all }: z.ZodError): Problem => {
  const issues = all.slice(0, maxIssues).map(({ path, message }) => ({
    path: shortened(path.map(String).join('.'), maxIssueLength),
    message: shortened(message, maxIssueLength),
  }))
  const detail = issues.map(({ path, message }) => `${path}: ${message}`).at(0)
  return new Problem(422, 'invalid', detail ?? 'The request does not match its schema.', { issues })
}
