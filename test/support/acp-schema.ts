import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Fields, fieldsOf, isFields, stringOf } from '../../src/shared/fields.ts'
import { schemaCheck } from './json-schema.ts'

/** Which side of a connection wrote a line. */
export type AcpSide = 'agent' | 'client'

const { resolve } = createRequire(import.meta.url)
const schemaIn = (name: string): Fields =>
  fieldsOf(JSON.parse(readFileSync(resolve(`@agentclientprotocol/sdk/schema/v1/${name}`), 'utf8')))

/** The official schema of version 1, and the one with what is not stable yet. */
const schemas = [schemaIn('schema.json'), schemaIn('schema.unstable.json')].map((schema) => ({
  check: schemaCheck(schema),
  names: namesIn(schema),
}))

/** The names of definitions by method, the side that handles it, and what the line is. */
function namesIn(schema: Fields): Map<string, string> {
  const names = new Map<string, string>()
  for (const [name, definition] of Object.entries(fieldsOf(schema.$defs))) {
    const { 'x-method': method, 'x-side': side } = fieldsOf(definition)
    const kind = /(Request|Response|Notification)$/.exec(name)?.[1]
    if (typeof method === 'string' && kind) names.set(`${method} ${String(side)} ${kind}`, name)
  }
  return names
}

const problemsOf = (key: string, value: unknown): string[] => {
  const schema = schemas.find(({ names }) => names.has(key))
  const name = schema?.names.get(key)
  // Extensions of agents have no definition.
  return schema && name !== undefined ? schema.check(value, name) : []
}

/** Whether the official schema defines a method. */
export const isAcpMethod = (method: string): boolean =>
  schemas.some(({ names }) => [...names.keys()].some((key) => key.startsWith(`${method} `)))

/** Checks the lines of one connection in both directions. */
export const acpLineCheck = () => {
  const requests = { agent: new Map<unknown, string>(), client: new Map<unknown, string>() }
  return (line: unknown, from: AcpSide): string[] => {
    if (!isFields(line)) return ['The line is no object.']
    const to = from === 'agent' ? 'client' : 'agent'
    const { id, params, result, error } = line
    const method = stringOf(line.method)
    if (line.jsonrpc !== '2.0') return ['The line has no version of JSON-RPC.']
    if (method !== undefined && id === undefined)
      return problemsOf(`${method} ${to} Notification`, params)
    if (method !== undefined) {
      requests[from].set(id, method)
      return problemsOf(`${method} ${to} Request`, params)
    }
    const answered = requests[to].get(id)
    requests[to].delete(id)
    if (error !== undefined) return schemas[0]?.check(error, 'Error') ?? []
    return answered === undefined ? [] : problemsOf(`${answered} ${from} Response`, result)
  }
}
