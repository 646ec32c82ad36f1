import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { allScopes } from '../api/scopes.ts'
import type { ApiKey, CreatedKey, NewKey, Scope } from '../api/types.ts'
import type { KeyStore } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import type { KeyRecord } from '../log/types.ts'
import { Problem } from '../shared/problem.ts'

const prefix = 'sluice_'

/** API keys: long random strings, of which only the hash is stored. */
export interface ApiKeys {
  /** True when a bearer token looks like an API key. */
  isKey(token: string): boolean
  /** The record of a key, revoked or not. */
  find(key: string): Promise<KeyRecord | undefined>
  /** Creates a key. The result is the only place where the key itself appears. */
  create(request: NewKey): Promise<CreatedKey>
  list(): Promise<ApiKey[]>
  /** Throws a `Problem` 404 when there is no such key. */
  revoke(id: string): Promise<void>
}

export const createApiKeys = (store: KeyStore, now: () => number): ApiKeys => ({
  isKey: (token) => token.startsWith(prefix),

  async find(key) {
    const keyHash = hash('sha256', key)
    const record = await store.get(idOf(keyHash))
    return record && isSame(record.hash, keyHash) ? record : undefined
  },

  async create(request) {
    // Imported here, because checking keys does not need Zod and must not wait for it.
    const [{ newKey }, { z }] = await Promise.all([import('../api/key.ts'), import('zod')])
    const { data, error } = newKey.safeParse(request)
    if (!data) throw new Problem(422, 'invalid', z.prettifyError(error))
    const { name } = data
    const scopes = scopesOf(data)
    // 256 random bits cannot be guessed, so a fast hash protects the key as well as a slow one.
    const key = prefix + randomBytes(32).toString('base64url')
    const keyHash = hash('sha256', key)
    const apiKey = { id: idOf(keyHash), name, scopes, createdAt: now() }
    await store.create({ ...apiKey, hash: keyHash })
    return { ...apiKey, key }
  },

  list: async () => (await store.list()).map(withoutHash),

  async revoke(id) {
    try {
      await store.revoke(id, now())
    } catch (cause) {
      if (!(cause instanceof LogFault && cause.code === 'unknown_key')) throw cause
      throw new Problem(404, 'unknown_key', `There is no API key with the id ${id}.`)
    }
  },
})

/** The scopes of a record, each once and in a fixed order. Unknown scopes are ignored. */
export const scopesOf = ({ scopes }: { scopes: readonly string[] }): Scope[] =>
  allScopes.filter((each) => scopes.includes(each))

const withoutHash = ({ hash: _, ...record }: KeyRecord): ApiKey => ({
  ...record,
  scopes: scopesOf(record),
})

/** The start of the hash, which is not secret: it finds the record, then the whole hash is compared. */
const idOf = (keyHash: string): string => keyHash.slice(0, 16)

const isSame = (left: string, right: string): boolean =>
  timingSafeEqual(Buffer.from(left), Buffer.from(right))
