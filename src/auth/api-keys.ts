import { allScopes } from '../api/scopes.ts'
import type { ApiKey, CreatedKey, NewKey, Scope } from '../api/types.ts'
import type { KeyStore } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import type { KeyRecord } from '../log/types.ts'
import { Problem } from '../shared/problem.ts'
import type { Access } from './auth.ts'
import { withDescendants } from './key-chain.ts'
import { limitsUnder } from './key-limits.ts'
import { hashOf, isSame, randomSecret } from './secret.ts'

const prefix = 'sluice_'

/** API keys: long random strings, of which only the hash is stored. */
export interface ApiKeys {
  /** True when a bearer token looks like an API key. */
  isKey(token: string): boolean
  /** The record of a key, revoked or not. */
  find(key: string): Promise<KeyRecord | undefined>
  /**
   * Creates a key. The result is the only place where the key itself appears. Throws a `Problem`: 422,
   * or 403 when the key could do more than the access that creates it.
   */
  create(request: NewKey, access?: Access): Promise<CreatedKey>
  list(): Promise<ApiKey[]>
  /**
   * Revokes a key with all that came from it, and returns their ids. Throws a `Problem` 404 when there
   * is no such key.
   */
  revoke(id: string): Promise<string[]>
}

export const createApiKeys = (store: KeyStore, now: () => number): ApiKeys => ({
  isKey: (token) => token.startsWith(prefix),

  async find(key) {
    const keyHash = hashOf(key)
    const record = await store.get(idOf(keyHash))
    return record && isSame(record.hash, keyHash) ? record : undefined
  },

  async create(request, access) {
    // Imported here, because checking keys does not need Zod and must not wait for it.
    const [{ newKey }, { z }] = await Promise.all([import('../api/key.ts'), import('zod')])
    const { data, error } = newKey.safeParse(request)
    if (!data) throw new Problem(422, 'invalid', z.prettifyError(error))
    const time = now()
    if (data.expiresAt !== undefined && data.expiresAt <= time)
      throw new Problem(422, 'invalid', 'expiresAt must be in the future.')
    const fields = { ...data, scopes: scopesOf(data), ...(access && limitsUnder(access, data)) }
    const key = prefix + randomSecret()
    const keyHash = hashOf(key)
    const apiKey = { id: idOf(keyHash), ...fields, createdAt: time }
    await store.create({ ...apiKey, hash: keyHash })
    return { ...apiKey, key }
  },

  list: async () => (await store.list()).map(withoutHash),

  async revoke(id) {
    // Another node may have created it just now: the list follows what is looked up.
    await store.get(id)
    const ids = withDescendants(id, await store.list())
    try {
      await Promise.all(ids.map((each) => store.revoke(each, now())))
    } catch (cause) {
      if (cause instanceof LogFault && cause.code === 'unknown_key') throw unknownKey(id)
      throw cause
    }
    return ids
  },
})

const unknownKey = (id: string): Problem =>
  new Problem(
    404,
    'unknown_key',
    `There is no API key with the id ${id}. To see the ids, run \`sluice keys list\`.`,
  )

/** The scopes of a record, each once and in a fixed order. Unknown scopes are ignored. */
export const scopesOf = ({ scopes }: { scopes: readonly string[] }): Scope[] =>
  allScopes.filter((each) => scopes.includes(each))

const withoutHash = ({ hash: _, ...record }: KeyRecord): ApiKey => ({
  ...record,
  scopes: scopesOf(record),
})

/** The start of the hash, which is not secret: it finds the record, then the whole hash is compared. */
const idOf = (keyHash: string): string => keyHash.slice(0, 16)
