import { isIP } from 'node:net'
import { passkeyProof } from '../api/passkey.ts'
import type { PasskeyProof, PasskeyPurpose } from '../api/types.ts'
import type { Actor } from '../events/types.ts'
import type { RecordStore } from '../log/log.ts'
import type { SharedLog } from '../log/shared-log.ts'
import type { PasskeyRecord } from '../log/types.ts'
import { Problem } from '../shared/problem.ts'
import { createOneTimeCodes } from './one-time-codes.ts'
import { type PasskeyPage, verifyProof } from './webauthn.ts'

/** A request that a passkey may confirm. */
export interface PasskeyRequest {
  actor: Actor
  /** The `Origin` header. The gate has checked it. */
  origin: string | undefined
  /** The `Sluice-Passkey` header: what the browser returned for a challenge. */
  proof: string | undefined
}

type Purpose = PasskeyPurpose | { kind: 'registration' }

/** Challenges for passkeys, and the check of what they signed. */
export interface Proofs {
  /** Each challenge is valid once and for two minutes, for one purpose of one sender. */
  readonly challenges: {
    create(purpose: Purpose, request: PasskeyRequest): string
    /** Whether a challenge was made for this; it cannot be used again. */
    redeem(challenge: string, purpose: Purpose, request: PasskeyRequest): Promise<boolean>
  }
  /** Throws a `Problem` 403 unless a passkey confirms the purpose with this request. */
  prove(purpose: PasskeyPurpose, request: PasskeyRequest): Promise<void>
}

export interface ProofParts {
  passkeys: RecordStore<PasskeyRecord>
  /** Absent when one process has the log open. */
  shared?: Pick<SharedLog, 'codes'> | undefined
  now(): number
}

export const createProofs = ({ passkeys: store, shared, now }: ProofParts): Proofs => {
  const codes = createOneTimeCodes<string>({
    ...{ prefix: '', ttlMs: 120_000, limit: 200, now },
    shared: shared && { group: 'passkey', codes: shared.codes },
  })
  const challenges: Proofs['challenges'] = {
    create: (purpose, request) => codes.create(contentOf(purpose, request)).code,
    redeem: async (code, purpose, request) =>
      (await codes.redeem(code)) === contentOf(purpose, request),
  }
  return {
    challenges,
    async prove(purpose, request) {
      if (!isPerson(request)) throw onlyPeople()
      const proof = proofIn(request.proof)
      if (!proof) throw proofMissing()
      const page = pageOf(request)
      const record = (await onHost(store, page)).find(({ id }) => id === proof.id)
      if (!record) throw proofWrong()
      const counter = await verifyProof(proof, page, record, (code) =>
        challenges.redeem(code, purpose, request),
      ).catch(() => undefined)
      if (counter === undefined) throw proofWrong()
      await store.put({ ...record, counter, lastUsedAt: now() })
    },
  }
}

/** The passkeys that work on a page. */
export const onHost = async (
  store: Pick<RecordStore<PasskeyRecord>, 'list'>,
  { host }: PasskeyPage,
): Promise<PasskeyRecord[]> => (await store.list()).filter((each) => each.host === host)

/** What a challenge is bound to: the purpose, and who requested it. */
const contentOf = (purpose: Purpose, { actor }: PasskeyRequest): string =>
  JSON.stringify([actor.kind, actor.id, Object.entries(purpose).sort()])

/** Whether a person can be behind a request. A program has no passkey. */
export const isPerson = ({ actor: { kind } }: PasskeyRequest): boolean =>
  kind === 'browser' || kind === 'nobody'

/** The page that sends a request. Throws a `Problem` 422 where passkeys do not work. */
export const pageOf = ({ origin = '' }: PasskeyRequest): PasskeyPage => {
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  if (!url) throw unavailable('Passkeys work in a browser only.')
  const { hostname: host, protocol, port } = url
  if (isIP(host.replaceAll(/[[\]]/g, '')) !== 0)
    throw unavailable(
      `Passkeys need a host name, and ${host} is an address. On this machine, open http://localhost:${port}/ instead.`,
    )
  if (protocol !== 'https:' && host !== 'localhost')
    throw unavailable('Passkeys need HTTPS, or the host name localhost.')
  return { origin: url.origin, host }
}

const proofIn = (header: string | undefined): PasskeyProof | undefined => {
  if (header === undefined) return undefined
  try {
    return passkeyProof.safeParse(JSON.parse(Buffer.from(header, 'base64url').toString())).data
  } catch {
    return undefined
  }
}

const refused = (detail: string): Problem => new Problem(403, 'passkey_required', detail)
export const onlyPeople = (): Problem =>
  refused(
    'This server requires a passkey for this, so only a person in a paired browser can do it.',
  )
const proofMissing = (): Problem => refused('Confirm this with a passkey.')
const proofWrong = (): Problem =>
  refused('The passkey did not confirm this request, or did so too late. Try it again.')
/** Why passkeys do not work. */
export const unavailable = (detail: string): Problem =>
  new Problem(422, 'passkey_unavailable', detail)
