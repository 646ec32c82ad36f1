import { nkeys } from '@nats-io/transport-node'
import { inboxOf, namesOf } from './subjects.ts'
import { type Rights, rightsOf } from './tenant-rights.ts'

/** A user of a NATS server: with a public nkey, or with a password in an environment variable. */
export interface TenantUser {
  readonly name: string
  /** The public key. Default: a password. */
  readonly nkey?: string | undefined
}

/** A tenant with the users of its nodes. */
export interface TenantAccess {
  readonly tenant: string
  readonly users: readonly TenantUser[]
  /** The user that creates the streams of the tenant’s account. Default: its nodes create them. */
  readonly admin?: TenantUser | undefined
}

export interface NatsConfigOptions {
  readonly tenants: readonly TenantAccess[]
  /** One account for all tenants, instead of one for each. */
  readonly isOneAccount: boolean
  /** The user that creates the streams of all tenants. Only with one account. */
  readonly admin?: TenantUser | undefined
}

/** A new nkey: the seed is secret, and belongs into a file for `--creds`. */
export const createNkey = (): { seed: Uint8Array; nkey: string } => {
  const pair = nkeys.createUser()
  return { seed: pair.getSeed(), nkey: pair.getPublicKey() }
}

/** The public key of a user’s seed; undefined if it is no such seed. */
export const nkeyOf = (seed: string): string | undefined => {
  if (!seed.startsWith('SU')) return undefined
  try {
    return nkeys.fromSeed(Buffer.from(seed)).getPublicKey()
  } catch {
    return undefined
  }
}

/** The block of a nats-server configuration that lets each tenant use its own streams only. */
export const natsConfigOf = (options: NatsConfigOptions): string =>
  options.isOneAccount ? oneAccount(options) : accounts(options)

const accounts = ({ tenants }: NatsConfigOptions): string =>
  lines([
    '# Tenants of Sluice. Put this file beside the configuration of every nats-server, and add:',
    '#   include "./sluice-tenants.conf"',
    '# Each tenant has an account of its own: nothing of one account exists for another.',
    'accounts {',
    ...tenants.flatMap(({ tenant, users, admin }) => [
      `  sluice_${tenant} {`,
      '    jetstream: enabled',
      '    users: [',
      ...(admin ? adminLines(admin, '      ') : []),
      ...users.flatMap((user) => userLines(user, tenant, { mayCreate: !admin }, '      ')),
      '    ]',
      '  }',
    ]),
    '}',
  ])

const oneAccount = ({ tenants, admin }: NatsConfigOptions): string =>
  lines([
    '# Tenants of Sluice in one account. Put this file beside the configuration of every nats-server, and add:',
    '#   include "./sluice-tenants.conf"',
    '# Before a node starts, create the streams as sluice-admin: sluice nats-setup --tenant …',
    '# A tenant cannot read what others have. Against a tenant that attacks others, use accounts instead.',
    'authorization {',
    '  users: [',
    ...(admin ? adminLines(admin, '    ') : []),
    ...tenants.flatMap(({ tenant, users }) =>
      users.flatMap((user) => userLines(user, tenant, { mayCreate: false }, '    ')),
    ),
    '  ]',
    '}',
  ])

const adminLines = (admin: TenantUser, indent: string): string[] =>
  ['{ # creates the streams, and may do everything', `  ${loginOf(admin)}`, '}'].map(
    (line) => indent + line,
  )

const userLines = (
  user: TenantUser,
  tenant: string,
  options: { mayCreate: boolean },
  indent: string,
): string[] => {
  const { publish, subscribe }: Rights = rightsOf(namesOf(tenant), options)
  return [
    `{ # tenant ${tenant}, replies to ${inboxOf(tenant)}`,
    `  ${loginOf(user)}`,
    '  permissions: {',
    '    publish: [',
    ...publish.map((subject) => `      ${JSON.stringify(subject)}`),
    '    ]',
    `    subscribe: ${JSON.stringify(subscribe)}`,
    '  }',
    '}',
  ].map((line) => indent + line)
}

const loginOf = ({ name, nkey }: TenantUser): string =>
  nkey === undefined
    ? `user: ${JSON.stringify(name)}, password: $${passwordVariable(name)}`
    : `nkey: ${nkey} # ${name}`

/** The environment variable of nats-server with the password of a user. */
export const passwordVariable = (name: string): string =>
  `SLUICE_${name.replaceAll('-', '_').toUpperCase()}_PASSWORD`

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`
