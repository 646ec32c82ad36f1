import { readFileSync } from 'node:fs'
import { startOptions } from '../events/start-options.ts'
import type { StartOptions } from '../events/types.ts'
import { Fault } from '../shared/fault.ts'
import { type Fields, fieldsOf } from '../shared/fields.ts'
import { reasonOf } from '../shared/reason.ts'

/** Checks the start options of the command line, with the MCP servers of a file. */
export const readStart = (given: object, mcpConfig: string | undefined): StartOptions => {
  const servers = mcpConfig === undefined ? {} : { mcpServers: serversIn(mcpConfig) }
  const { data, error } = startOptions.safeParse({ ...given, ...servers })
  if (data) return data
  const [issue] = error.issues
  const where = issue?.path.join('.') ?? ''
  throw new Fault('usage', `Not valid: ${where}: ${issue?.message ?? 'wrong value'}.`)
}

const serversIn = (file: string): unknown => {
  const { mcpServers } = readFields(file)
  if (mcpServers === undefined) throw new Fault('usage', `There are no mcpServers in ${file}.`)
  return mcpServers
}

const readFields = (file: string): Fields => {
  try {
    return fieldsOf(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new Fault('usage', `Cannot read ${file}: ${reasonOf(cause)}`, { cause })
  }
}
