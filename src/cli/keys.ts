import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { scope } from '../api/key.ts'
import type { ApiKey, NewKey, Scope } from '../api/types.ts'
import { Fault } from '../shared/fault.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { sessionIdOf } from './find-session.ts'
import { type Admin, withAdmin } from './open-admin.ts'
import { printError, type Terminal } from './terminal.ts'

interface KeysOptions {
  data: string
  json: boolean
}

export interface AddKeyOptions extends KeysOptions {
  name: string
  scopes: string
  /** Directories, or ids of projects. */
  project: readonly string[]
  /** Sessions, by id or name. */
  session: readonly string[]
  /** In ms from now. */
  expires?: number
  owner?: string
  maxSessions?: number
  maxStreams?: number
  /** In bytes. */
  maxDisk?: number
}

/** `sluice keys add`: prints only the key on stdout, for `$(…)`; its id and scopes on stderr. */
export const addKey = async (
  { data, json, ...options }: AddKeyOptions,
  terminal: Terminal,
): Promise<number> => {
  const sessions = await Promise.all(options.session.map((each) => sessionIdOf(data, each)))
  const created = await withAdmin(data, async (admin) =>
    admin.createKey(await newKeyOf({ ...options, session: sessions }, admin)),
  )
  if (json) terminal.writeJson(created)
  else terminal.write(`${created.key}\n`)
  await terminal.flush()
  if (!json)
    printError(
      `created key ${created.id} (${describe(created).join('; ')}). It is not shown again.`,
    )
  return exitCodes.done
}

const newKeyOf = async (
  options: Omit<AddKeyOptions, keyof KeysOptions>,
  admin: Admin,
): Promise<NewKey> => {
  const { name, scopes, project, session, expires, owner } = options
  const { maxSessions, maxStreams, maxDisk } = options
  const projects: string[] = []
  for (const each of project) projects.push(await projectIdOf(each, admin))
  return {
    name,
    scopes: scopesIn(scopes),
    ...(projects.length > 0 && { projects }),
    ...(session.length > 0 && { sessions: [...session] }),
    ...(expires !== undefined && { expiresAt: Date.now() + expires }),
    ...(owner !== undefined && { owner }),
    ...(maxSessions !== undefined && { maxSessions }),
    ...(maxStreams !== undefined && { maxStreams }),
    ...(maxDisk !== undefined && { maxDiskBytes: maxDisk }),
  }
}

/** The id of a project, which is given by its id or its directory. A directory becomes a project. */
const projectIdOf = async (text: string, admin: Admin): Promise<string> => {
  const projects = await admin.listProjects()
  const path = realPathOf(text)
  const found = projects.find((each) => each.id === text || each.path === path)
  if (found) return found.id
  if (path !== undefined) return (await admin.createProject(path)).id
  throw new Fault('usage', `“${text}” is neither a project nor a directory.`)
}

const realPathOf = (path: string): string | undefined => {
  try {
    return realpathSync(resolve(path))
  } catch {
    return undefined
  }
}

/** `sluice keys list`: every key, without its secret. */
export const listKeys = async (
  { data, json }: KeysOptions,
  terminal: Terminal,
): Promise<number> => {
  const found = await withAdmin(data, (admin) => admin.listKeys())
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
  await withAdmin(data, (admin) => admin.revokeKey(id))
  if (json) terminal.writeJson({ id })
  else terminal.write(`Revoked ${id}.\n`)
  await terminal.flush()
  return exitCodes.done
}

const scopesIn = (text: string): Scope[] =>
  text.split(',').map((each) => {
    const { data } = scope.safeParse(each.trim())
    if (data) return data
    const all = scope.options.join(', ')
    throw new Fault('usage', `“${each.trim()}” is not a scope. Choose from ${all}.`)
  })

const lineOf = (key: ApiKey): string => {
  const { id, name, createdAt } = key
  const [scopes = '', ...limits] = describe(key)
  const line = `${id}  ${dayOf(createdAt)}  ${stateOf(key).padEnd(18)}  ${scopes.padEnd(37)}  ${plainLine(name)}`
  return `${line}${limits.length > 0 ? `  [${plainLine(limits.join('; '))}]` : ''}\n`
}

const stateOf = ({ lastUsedAt, revokedAt, expiresAt }: ApiKey): string => {
  if (revokedAt !== undefined) return `revoked ${dayOf(revokedAt)}`
  if (expiresAt !== undefined && expiresAt <= Date.now()) return `expired ${dayOf(expiresAt)}`
  return lastUsedAt === undefined ? 'never used' : `used ${dayOf(lastUsedAt)}`
}

/** The scopes of a key, and what narrows it down. */
const describe = (key: ApiKey): string[] => {
  const { projects = [], sessions = [] } = key
  const parts: [label: string, value: string | number | undefined][] = [
    ['expires', key.expiresAt === undefined ? undefined : dayOf(key.expiresAt)],
    ['owner', key.owner],
    ['created by', key.createdBy],
    ['projects', projects.join(', ') || undefined],
    ['sessions', sessions.join(', ') || undefined],
    ['max sessions', key.maxSessions],
    ['max streams', key.maxStreams],
    ['max bytes', key.maxDiskBytes],
  ]
  return [
    key.scopes.join(', '),
    ...parts.flatMap(([label, value]) => (value === undefined ? [] : `${label} ${value}`)),
  ]
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
