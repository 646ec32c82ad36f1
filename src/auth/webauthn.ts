import type { PasskeyCredential, PasskeyProof } from '../api/types.ts'
import type { PasskeyRecord } from '../log/types.ts'

/** Loaded with the first passkey: it is large, and most servers need none. */
const library = () => import('@simplewebauthn/server')

/** Ed25519, ES256 and RS256. The library would try others, with warnings of Node. */
const algorithms = [-8, -7, -257]

/** The page that a passkey is used on. */
export interface PasskeyPage {
  /** Such as `https://sluice.example.org`. */
  origin: string
  /** Its host name, which the passkey belongs to. */
  host: string
}

type PasskeyKeys = Pick<PasskeyRecord, 'id' | 'publicKey' | 'counter'>

/** Options for `navigator.credentials.create`. */
export const registrationOptions = async (
  { host }: PasskeyPage,
  challenge: string,
  existing: readonly PasskeyRecord[],
): Promise<Record<string, unknown>> => {
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: 'Sluice',
    rpID: host,
    userName: 'Sluice',
    challenge,
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    excludeCredentials: existing.map(({ id }) => ({ id })),
  })
  return { ...options }
}

/** The keys of a new passkey; undefined when the browser’s response is not valid. */
export const verifyRegistration = async (
  { id, rawId, response }: PasskeyCredential,
  { origin, host }: PasskeyPage,
  isExpected: (challenge: string) => Promise<boolean>,
): Promise<PasskeyKeys | undefined> => {
  const { verifyRegistrationResponse } = await library()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { id, rawId, response, type: 'public-key', clientExtensionResults: {} },
    expectedChallenge: (challenge) => isExpected(fromBase64(challenge)),
    expectedOrigin: origin,
    expectedRPID: host,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  })
  if (!verified) return undefined
  const { credential } = registrationInfo
  const publicKey = Buffer.from(credential.publicKey).toString('base64url')
  return { id: credential.id, publicKey, counter: credential.counter }
}

/** Options for `navigator.credentials.get`. */
export const proofOptions = async (
  { host }: PasskeyPage,
  challenge: string,
  allowed: readonly PasskeyRecord[],
): Promise<Record<string, unknown>> => {
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID: host,
    challenge,
    userVerification: 'required',
    timeout: 120_000,
    allowCredentials: allowed.map(({ id }) => ({ id })),
  })
  return { ...options }
}

/** The new counter of the passkey; undefined when the proof is not valid. */
export const verifyProof = async (
  { id, rawId, response }: PasskeyProof,
  { origin, host }: PasskeyPage,
  { publicKey, counter }: PasskeyRecord,
  isExpected: (challenge: string) => Promise<boolean>,
): Promise<number | undefined> => {
  const { verifyAuthenticationResponse } = await library()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { id, rawId, response, type: 'public-key', clientExtensionResults: {} },
    expectedChallenge: (challenge) => isExpected(fromBase64(challenge)),
    expectedOrigin: origin,
    expectedRPID: host,
    credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
    requireUserVerification: true,
  })
  return verified ? authenticationInfo.newCounter : undefined
}

/** The library encodes our challenges once more. */
const fromBase64 = (challenge: string): string => Buffer.from(challenge, 'base64url').toString()
