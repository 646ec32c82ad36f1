import { z } from 'zod'
import type { Scope } from '../../api/types.ts'
import type { Access } from '../../auth/auth.ts'
import { Problem, type ProblemCode } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** What a route’s work is done with, beside the parts of the request. */
export interface RouteContext {
  world: AppContext
  access: Access
}

/** JSON by the route’s schema; where it is something else, the bytes, or pieces as they are made. */
export interface RouteResponse {
  status: number
  headers?: Readonly<Record<string, string>>
  body?: unknown
  bytes?: string | Uint8Array
  pieces?: AsyncIterable<string> | Iterable<string>
}

/** What is said of a route in its table; the reference is made from it. */
interface About {
  method: Method
  /** Below /api/v1, with parameters as `:id`. */
  path: string
  /** What a token must allow: `any` where each will do, null where none is needed. */
  scope: Scope | 'any' | null
  /** In which part of the reference it stands. */
  tag: string
  summary: string
  description?: string
  /** The body may be left out: then it is `{}`. */
  isBodyOptional?: true
  /** Its body may be as large as the server takes at all. */
  hasLargeBody?: true
  /** May be sent twice with one `Idempotency-Key`, and happens once. */
  isIdempotent?: true
  /** What it says when all is well; `or`, where there was nothing left to do. */
  reply: { status: number; or?: number; schema?: z.ZodType; mediaTypes?: readonly string[] }
  /** Refusals of its own. */
  problems?: readonly ProblemCode[]
}

/** The parts of a request that a route reads, each by its schema. */
export type Parts = Partial<Record<'params' | 'query' | 'body', z.ZodType>>

/** A route, whatever its parts are. */
export interface Route extends About {
  parts: Parts
  /** Compares the parts with their schemas, and gives what is to be done. */
  prepare(parts: Record<keyof Parts, unknown>, call: RouteContext): () => Promise<RouteResponse>
}

/** Ties the schemas of a route to the types that its work is given. */
export const route = <const Shape extends z.ZodRawShape & Parts>({
  parts,
  handle,
  ...about
}: About & {
  parts: Shape
  handle(parts: z.output<z.ZodObject<Shape>>, call: RouteContext): Promise<RouteResponse>
}): Route => {
  let schema: z.ZodObject<Shape> | undefined
  return {
    ...about,
    parts,
    prepare(given, call) {
      schema ??= z.object(parts)
      const fitting = schema.safeParse(given)
      if (!fitting.success) throw invalid(fitting.error)
      return () => handle(fitting.data, call)
    },
  }
}

/** The refusal of what does not fit, with every place. */
const invalid = (error: z.ZodError): Problem => {
  const issues = error.issues.slice(0, 50).map(({ path, message }) => ({
    path: path.map(String).join('.'),
    message,
  }))
  const [first] = issues
  return new Problem(
    422,
    'invalid',
    first ? `${first.path}: ${first.message}` : 'It does not fit.',
    {
      issues,
    },
  )
}
