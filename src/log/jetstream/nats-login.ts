import { readFileSync } from 'node:fs'
import { credsAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node'
import { LogFault } from '../log-fault.ts'
import type { NatsOptions } from './nats-link.ts'
import { inboxOf } from './subjects.ts'

/** How to reach a NATS cluster, as people write it. */
export interface NatsAddress {
  /** Addresses such as `nats://127.0.0.1:4222`. With `tls://`, the connection must be encrypted. */
  servers: readonly string[]
  /** A file with credentials (JWT and seed), or with the seed of an nkey. */
  creds?: string | undefined
  /** Replies go to an inbox of the tenant. Default: that of `default`. */
  tenant?: string | undefined
}

/** Turns addresses and a file into options of the client library. Throws `login_refused`. */
export const natsOptionsOf = ({ servers, creds, tenant = 'default' }: NatsAddress): NatsOptions => {
  const urls = servers.map(parseAddress)
  const login = urls.find(({ username }) => username !== '')
  const needsTls = urls.some(({ protocol }) => protocol === 'tls:')
  return {
    servers: urls.map(({ host }) => host),
    connection: {
      inboxPrefix: inboxOf(tenant),
      ...(needsTls && { tls: {} }),
      ...(login && loginOf(login)),
      ...(creds !== undefined && { authenticator: authenticatorOf(creds) }),
    },
  }
}

/** Whether a text is the address of a NATS server. */
export const isNatsAddress = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^(?:nats|tls):$/.test(url.protocol) && url.hostname !== ''
}

const parseAddress = (text: string): URL => {
  const url = isNatsAddress(text) ? URL.parse(text) : null
  if (url) return url
  throw new LogFault('unreachable', `${text} is not an address such as nats://127.0.0.1:4222.`)
}

/** A name without a password is a token. */
const loginOf = ({ username, password }: URL) =>
  password === ''
    ? { token: decodeURIComponent(username) }
    : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }

const authenticatorOf = (file: string) => {
  const content = readCredentials(file)
  const seed = content.toString().trim()
  if (/^SU[A-Z2-7]{50,}$/.test(seed)) return nkeyAuthenticator(Buffer.from(seed))
  if (seed.includes('BEGIN NATS USER JWT')) return credsAuthenticator(content)
  throw new LogFault(
    'login_refused',
    `${file} has no NATS credentials. Give a .creds file, or a file with the seed of an nkey.`,
  )
}

const readCredentials = (file: string): Buffer => {
  try {
    return readFileSync(file)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new LogFault('login_refused', `The credentials cannot be read: ${reason}.`, { cause })
  }
}
