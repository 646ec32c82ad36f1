import { type Fields, fieldsOf, isFields, numberOf, stringOf } from '../shared/fields.ts'

/** An id of a request. Both sides count on their own, so the same id can occur on both. */
export type RpcId = string | number

/** The result of a request, or why it failed. */
export type RpcOutcome = { result: unknown } | { error: RpcError }

export interface RpcError {
  code: number
  message: string
  data?: unknown
}

/** A line of the other side, by its kind. */
export type RpcMessage =
  | { kind: 'request'; id: RpcId; method: string; params: Fields }
  | { kind: 'notification'; method: string; params: Fields }
  /** `method`: that of our request; absent if nobody waits for this response. */
  | { kind: 'response'; id: RpcId | null; method?: string; outcome: RpcOutcome }
  | { kind: 'invalid' }

/** One side of a JSON-RPC connection whose other side is an agent. */
export interface RpcPeer {
  /** Sends a request. `onOutcome` is called when its response is received. */
  request(method: string, params: object, onOutcome?: (outcome: RpcOutcome) => void): RpcId
  notify(method: string, params?: object): void
  /** Answers a request of the agent. */
  respond(id: RpcId, result: unknown): void
  /** Answers a request of the agent with an error. */
  refuse(id: RpcId, error: RpcError): void
  /**
   * Sorts a line of the agent. A response is passed to the request that waits for it first. One that
   * nobody waits for is returned all the same: recordings are read without what was written.
   */
  receive(line: unknown): RpcMessage
}

export interface RpcPeerOptions {
  write(lines: readonly unknown[]): void
  /** Whether messages carry `"jsonrpc":"2.0"`. Codex leaves it out. */
  hasVersion: boolean
}

/** The errors of JSON-RPC that a client may answer with. */
export const rpcErrors = {
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
} as const

export const createRpcPeer = ({ write, hasVersion }: RpcPeerOptions): RpcPeer => {
  const version = hasVersion ? { jsonrpc: '2.0' } : {}
  const waiting = new Map<RpcId, { method: string; onOutcome?: (outcome: RpcOutcome) => void }>()
  let nextId = 0

  const send = (message: object) => write([{ ...version, ...message }])

  const response = (id: RpcId | null, outcome: RpcOutcome): RpcMessage => {
    const request = id === null ? undefined : waiting.get(id)
    if (id !== null) waiting.delete(id)
    request?.onOutcome?.(outcome)
    return { kind: 'response', id, outcome, ...(request && { method: request.method }) }
  }

  return {
    request(method, params, onOutcome) {
      const id = nextId
      nextId += 1
      waiting.set(id, { method, ...(onOutcome && { onOutcome }) })
      send({ id, method, params })
      return id
    },
    notify: (method, params) => send({ method, ...(params && { params }) }),
    respond: (id, result) => send({ id, result }),
    refuse: (id, error) => send({ id, error }),
    receive(line) {
      if (!isFields(line)) return { kind: 'invalid' }
      const id = rpcIdOf(line.id)
      const method = stringOf(line.method)
      if (method !== undefined) {
        const params = fieldsOf(line.params)
        if (id === undefined) return { kind: 'notification', method, params }
        return { kind: 'request', id, method, params }
      }
      if ('error' in line && line.error !== undefined)
        return response(id ?? null, { error: errorOf(fieldsOf(line.error)) })
      if ('result' in line && id !== undefined) return response(id, { result: line.result })
      return { kind: 'invalid' }
    },
  }
}

const rpcIdOf = (value: unknown): RpcId | undefined => numberOf(value) ?? stringOf(value)

const errorOf = ({ code, message, data }: Fields): RpcError => ({
  code: numberOf(code) ?? rpcErrors.internal,
  message: stringOf(message) ?? 'The agent reported an error without a message.',
  ...(data !== undefined && { data }),
})
