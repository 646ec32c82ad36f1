import type { NewPasskey, PasskeyInfo, PasskeyPurpose } from '../api/types.ts'
import type { RecordStore } from '../log/log.ts'
import type { PasskeyRecord, SettingRecord } from '../log/types.ts'
import { Problem } from '../shared/problem.ts'
import {
  createProofs,
  isPerson,
  onHost,
  onlyPeople,
  type PasskeyRequest,
  type ProofParts,
  pageOf,
  unavailable,
} from './passkey-proofs.ts'
import { proofOptions, registrationOptions, verifyRegistration } from './webauthn.ts'

/** Passkeys: optional per server. While they are required, allowing an approval needs one. */
export interface Passkeys {
  /** Whether allowing an approval needs a passkey. */
  isRequired(): Promise<boolean>
  /** Requires passkeys from now on, or no longer. Throws a `Problem`: 403 or 422. */
  require(isRequired: boolean, request: PasskeyRequest): Promise<void>
  list(): Promise<PasskeyInfo[]>
  /** Begins a registration: the options for the browser. Throws a `Problem`: 403 or 422. */
  begin(request: PasskeyRequest): Promise<Record<string, unknown>>
  /** Stores a new passkey. Throws a `Problem`: 403 or 422. */
  add(passkey: NewPasskey, request: PasskeyRequest): Promise<PasskeyInfo>
  /** Deletes a passkey. Throws a `Problem`: 403 or 404. */
  remove(id: string, request: PasskeyRequest): Promise<void>
  /** A challenge for one purpose, valid once and for two minutes. Throws a `Problem` 422. */
  challenge(purpose: PasskeyPurpose, request: PasskeyRequest): Promise<Record<string, unknown>>
  /** Checks that a passkey confirms the purpose, if one is required. Throws a `Problem` 403. */
  check(purpose: PasskeyPurpose, request: PasskeyRequest): Promise<void>
}

export interface PasskeyParts extends ProofParts {
  settings: RecordStore<SettingRecord>
  /** Requires passkeys, whatever the setting is. */
  isForced: boolean
}

const setting = 'passkeys_required'

export const createPasskeys = (options: PasskeyParts): Passkeys => {
  const { passkeys: store, settings, isForced, now } = options
  const { challenges, prove } = createProofs(options)

  const isRequired = async (): Promise<boolean> => {
    const stored = isForced ? undefined : await settings.get(setting)
    // A setting that cannot be read may have been this one.
    return isForced || stored?.value === 'true' || (!stored && (await settings.hasDamage()))
  }
  /** Passkeys that cannot be read count here: nobody gets in because of them. */
  const hasPasskeys = async () => (await store.list()).length > 0 || (await store.hasDamage())

  /** Changes to passkeys need one, too: otherwise a person without a passkey would first add one. */
  const checkChange = async (purpose: PasskeyPurpose, request: PasskeyRequest): Promise<void> => {
    if (!isPerson(request)) throw onlyPeople()
    if ((await isRequired()) && (await hasPasskeys())) await prove(purpose, request)
  }

  return {
    isRequired,
    async require(wanted, request) {
      if (!wanted && isForced)
        throw unavailable('The server was started with --passkeys. Start it without.')
      if (wanted && (await store.list()).length === 0)
        throw unavailable('Register a passkey first.')
      if (!wanted) await checkChange({ kind: 'release' }, request)
      if (!isPerson(request)) throw onlyPeople()
      await settings.put({ id: setting, value: String(wanted) })
    },
    list: async () => (await store.list()).map(infoOf),
    async begin(request) {
      const page = pageOf(request)
      const code = challenges.create(registration, request)
      return registrationOptions(page, code, await onHost(store, page))
    },
    async add({ name, credential }, request) {
      await checkChange({ kind: 'add' }, request)
      const page = pageOf(request)
      const keys = await verifyRegistration(credential, page, (code) =>
        challenges.redeem(code, registration, request),
      ).catch(() => undefined)
      if (!keys) throw unavailable('The browser’s response is not valid. Try it again.')
      const times = { createdAt: now(), createdBy: request.actor.name }
      const record = { ...keys, name, host: page.host, ...times }
      await store.put(record)
      return infoOf(record)
    },
    async remove(id, request) {
      await checkChange({ kind: 'remove', id }, request)
      if (!(await store.remove(id)))
        throw new Problem(404, 'unknown_passkey', 'There is no such passkey.')
    },
    async challenge(purpose, request) {
      const page = pageOf(request)
      const usable = await onHost(store, page)
      if (usable.length === 0)
        throw unavailable(
          `No passkey is registered for ${page.host}. Register one on the page “Browsers and keys”.`,
        )
      return proofOptions(page, challenges.create(purpose, request), usable)
    },
    async check(purpose, request) {
      if (await isRequired()) await prove(purpose, request)
    },
  }
}

const registration = { kind: 'registration' } as const

const infoOf = ({ publicKey: _, counter, transports, ...shown }: PasskeyRecord): PasskeyInfo =>
  shown
