import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivate, writePrivate } from '../files/private-file.ts'
import type { TenantAccess, TenantUser } from '../log/jetstream/nats-config.ts'
import { LogFault } from '../log/log-fault.ts'
import { Fault } from '../shared/fault.ts'
import { exitCodes } from './exit.ts'
import type { Terminal } from './terminal.ts'

export interface NatsConfigVerbOptions {
  tenant: readonly string[]
  /** The users of each tenant. Default: one with the name of the tenant. */
  nodeUser: readonly string[]
  oneAccount: boolean
  /** Whether nodes must not create or change streams. */
  fixedStreams: boolean
  /** Where the seeds of nkeys are: new ones are written, and those that are there are used. */
  keys?: string
}

/** `sluice nats-config`: prints the part of a nats-server configuration that separates tenants. */
export const printNatsConfig = async (
  options: NatsConfigVerbOptions,
  terminal: Terminal,
): Promise<number> => {
  const { tenant: tenants, nodeUser, oneAccount: isOneAccount, fixedStreams, keys } = options
  for (const tenant of tenants) checkTenantName(tenant)
  if (new Set(tenants).size < tenants.length)
    throw new Fault('usage', 'Two tenants have the same name.')
  const names = tenants.flatMap((tenant) => [
    ...userNames(tenant, nodeUser),
    ...(fixedStreams ? [`${tenant}-admin`] : []),
  ])
  const { natsConfigOf, passwordVariable } = await import('../log/jetstream/nats-config.ts')
  const variables = new Set([adminName, ...names].map(passwordVariable))
  if (variables.size <= names.length)
    throw new Fault('usage', 'Names of tenants and users must differ by more than case, - and _.')
  const userOf = keys === undefined ? passwordUser : await nkeyUsers(keys)
  const access = tenants.map(
    (tenant): TenantAccess => ({
      ...{ tenant, users: userNames(tenant, nodeUser).map(userOf) },
      admin: fixedStreams && !isOneAccount ? userOf(`${tenant}-admin`) : undefined,
    }),
  )
  const admin = isOneAccount ? userOf(adminName) : undefined
  terminal.write(natsConfigOf({ tenants: access, isOneAccount, admin }))
  await terminal.flush()
  return exitCodes.done
}

/** The user that may create streams. */
const adminName = 'sluice-admin'

const userNames = (tenant: string, nodeUsers: readonly string[]): string[] =>
  nodeUsers.length === 0 ? [tenant] : nodeUsers.map((user) => `${tenant}-${user}`)

const passwordUser = (name: string): TenantUser => ({ name })

/**
 * Makes an nkey for each user that has none yet, so that a tenant can be added while nodes of others
 * go on with their keys. Only the public keys are printed.
 */
const nkeyUsers = async (directory: string): Promise<(name: string) => TenantUser> => {
  const { createNkey, nkeyOf } = await import('../log/jetstream/nats-config.ts')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return (name) => {
    const file = join(directory, `${name}.nk`)
    const found = readPrivate(file)?.toString('utf8').trim()
    if (found !== undefined) {
      const nkey = nkeyOf(found)
      if (nkey !== undefined) return { name, nkey }
      throw new Fault('usage', `${file} is not the seed of an nkey. Move it away, and try again.`)
    }
    const { seed, nkey } = createNkey()
    writePrivate(file, seed)
    return { name, nkey }
  }
}

export interface NatsSetupVerbOptions {
  nats: readonly string[]
  creds?: string
  tenant: readonly string[]
  replicas?: number
  maxBytes?: number
}

/** `sluice nats-setup`: creates the streams of tenants, and limits them. */
export const setUpNats = async (
  { nats: servers, creds, tenant: tenants, ...limits }: NatsSetupVerbOptions,
  terminal: Terminal,
): Promise<number> => {
  for (const tenant of tenants) checkTenantName(tenant)
  const [{ setUpTenant }, { natsOptionsOf }] = await Promise.all([
    import('../log/jetstream/set-up-tenant.ts'),
    import('../log/jetstream/nats-login.ts'),
  ])
  for (const tenant of tenants) {
    try {
      await setUpTenant(natsOptionsOf({ servers, creds }), { tenant, ...limits })
    } catch (cause) {
      if (!(cause instanceof LogFault)) throw cause
      throw new Fault('nats_not_opened', cause.message, { cause })
    }
    terminal.write(`The streams of the tenant ${tenant} are ready.\n`)
    await terminal.flush()
  }
  return exitCodes.done
}

const checkTenantName = (tenant: string): void => {
  if (/^[\w-]{1,64}$/.test(tenant) && !tenant.endsWith('_nodes')) return
  throw new Fault(
    'usage',
    `The name of a tenant can have letters, digits, - and _, at most 64, and not end with _nodes: ${tenant}`,
  )
}
