import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { allScopes } from '../api/scopes.ts'
import type { ApiKey, CreatedKey, NewKey, Scope } from '../api/types.ts'
import type { KeyStore } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import type { KeyRecord } from '../log/types.ts'
import { Problem } from '../shared/problem.ts'

const prefix = 'sluice_'

/** API keys: long random texts, of which only the hash is kept. */
export const createApiKeys = (store: KeyStore, now: () => number) => ({
  isKey: (shown: string): boolean => shown.startsWith(prefix),

  /** The record of a key that is shown, revoked or not. */
  async find(shown: string): Promise<KeyRecord | undefined> {
    const shownHash = hash('sha256', shown)
    const record = await store.get(idOf(shownHash))
    return record && isSame(record.hash, shownHash) ? record : undefined
  },

  async add(asked: NewKey): Promise<CreatedKey> {
    // Loaded when one is made, which is seldom: to check keys nothing of it is needed.
    const [{ newKey }, { z }] = await Promise.all([import('../api/key.ts'), import('zod')])
    const { data, error } = newKey.safeParse(asked)
    if (!data) throw new Problem(422, 'invalid', z.prettifyError(error))
    const { name } = data
    const scopes = scopesOf(data)
    // 256 random bits: no guess, no dictionary, so a plain hash protects it as well as a slow one.
    const key = prefix + randomBytes(32).toString('base64url')
    const hashed = hash('sha256', key)
    const about = { id: idOf(hashed), name, scopes, createdAt: now() }
    await store.create({ ...about, hash: hashed })
    return { ...about, key }
  },

  list: async (): Promise<ApiKey[]> => (await store.list()).map(withoutHash),

  async revoke(id: string): Promise<void> {
    try {
      await store.revoke(id, now())
    } catch (cause) {
      if (!(cause instanceof LogFault && cause.code === 'unknown_key')) throw cause
      throw new Problem(404, 'unknown_key', `There is no key ${id}.`)
    }
  },
})

/** Once each, in their order; what this version does not know opens nothing. */
export const scopesOf = ({ scopes }: { scopes: readonly string[] }): Scope[] =>
  allScopes.filter((each) => scopes.includes(each))

const withoutHash = ({ hash: _, ...record }: KeyRecord): ApiKey => ({
  ...record,
  scopes: scopesOf(record),
})

/** The beginning of the hash, which is no secret: a key is looked up by it, then compared whole. */
const idOf = (hashed: string): string => hashed.slice(0, 16)

const isSame = (left: string, right: string): boolean =>
  timingSafeEqual(Buffer.from(left), Buffer.from(right))
