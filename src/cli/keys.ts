import { scope } from '../api/key.ts'
import type { ApiKey, NewKey, Scope } from '../api/types.ts'
import { Fault } from '../shared/fault.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { openKeys } from './open-keys.ts'
import { printError, type Terminal } from './terminal.ts'

interface KeysOptions {
  data: string
  json: boolean
}

/** `sluice keys add`: prints only the key on stdout, for `$(…)`; its id and scopes on stderr. */
export const addKey = async (
  { data, json, name, scopes }: KeysOptions & { name: string; scopes: string },
  terminal: Terminal,
): Promise<number> => {
  const newKey: NewKey = { name, scopes: scopesIn(scopes) }
  const created = await withKeys(data, (keys) => keys.create(newKey))
  if (json) terminal.writeJson(created)
  else terminal.write(`${created.key}\n`)
  await terminal.flush()
  if (!json)
    printError(`created key ${created.id} (${created.scopes.join(', ')}). It is not shown again.`)
  return exitCodes.done
}

/** `sluice keys list`: every key, without its secret. */
export const listKeys = async (
  { data, json }: KeysOptions,
  terminal: Terminal,
): Promise<number> => {
  const found = await withKeys(data, (keys) => keys.list())
  if (found.length === 0 && !json)
    terminal.write('No keys yet. Create one with `sluice keys add <name>`.\n')
  for (const each of found)
    if (json) terminal.writeJson(each)
    else terminal.write(lineOf(each))
  await terminal.flush()
  return exitCodes.done
}

/** `sluice keys revoke`: also ends open streams of the key. */
export const revokeKey = async (
  { data, json, id }: KeysOptions & { id: string },
  terminal: Terminal,
): Promise<number> => {
  await withKeys(data, (keys) => keys.revoke(id))
  if (json) terminal.writeJson({ id })
  else terminal.write(`Revoked ${id}.\n`)
  await terminal.flush()
  return exitCodes.done
}

const withKeys = async <Result>(
  directory: string,
  use: (keys: Awaited<ReturnType<typeof openKeys>>) => Promise<Result>,
): Promise<Result> => {
  const keys = await openKeys(directory)
  try {
    return await use(keys)
  } finally {
    await keys.close()
  }
}

const scopesIn = (text: string): Scope[] =>
  text.split(',').map((each) => {
    const { data } = scope.safeParse(each.trim())
    if (data) return data
    const all = scope.options.join(', ')
    throw new Fault('usage', `“${each.trim()}” is not a scope. Choose from ${all}.`)
  })

const lineOf = ({ id, name, scopes, createdAt, lastUsedAt, revokedAt }: ApiKey): string => {
  const used = lastUsedAt === undefined ? 'never used' : `used ${dayOf(lastUsedAt)}`
  const state = revokedAt === undefined ? used : `revoked ${dayOf(revokedAt)}`
  return `${id}  ${dayOf(createdAt)}  ${state.padEnd(18)}  ${scopes.join(',').padEnd(25)}  ${plainLine(name)}\n`
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
