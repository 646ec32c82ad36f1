import type {
  NewPasskey,
  PasskeyInfo,
  PasskeyList,
  PasskeyOptions,
  PasskeyProof,
  PasskeyPurpose,
} from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { hasFields } from '../response.ts'
import { path } from '../transport.ts'

/** Options of a call that a passkey may have to confirm. */
export interface ConfirmOptions extends CallOptions {
  /** What the browser returned for the challenge. */
  proof?: PasskeyProof
}

/** Calls about passkeys. */
export interface PasskeyCalls {
  /** Returns the passkeys, and whether they are required. */
  list(options?: CallOptions): Promise<PasskeyList>
  /** Requires a passkey to allow an approval, or no longer. */
  require(isRequired: boolean, options?: ConfirmOptions): Promise<void>
  /** Returns a challenge that a passkey signs to confirm one thing. */
  challenge(purpose: PasskeyPurpose, options?: CallOptions): Promise<PasskeyOptions>
  /** Begins to register a passkey. */
  begin(options?: CallOptions): Promise<PasskeyOptions>
  /** Registers a passkey. */
  add(passkey: NewPasskey, options?: ConfirmOptions): Promise<PasskeyInfo>
  /** Removes a passkey. */
  remove(id: string, options?: ConfirmOptions): Promise<void>
}

const isPasskeyList = hasFields<PasskeyList>('passkeys', 'isRequired')
const isPasskeyOptions = hasFields<PasskeyOptions>('options')
const isPasskey = hasFields<PasskeyInfo>('id', 'name')

export const passkeyCalls = (caller: Caller): PasskeyCalls => ({
  list: (options) => caller.json({ path: 'passkeys' }, isPasskeyList, options),
  require: (isRequired, { proof, ...options } = {}) =>
    caller.empty(
      { method: 'PATCH', path: 'passkeys', body: { isRequired }, headers: proofHeaders(proof) },
      options,
    ),
  challenge: (body, options) =>
    caller.json({ method: 'POST', path: 'passkeys/challenge', body }, isPasskeyOptions, options),
  begin: (options) =>
    caller.json({ method: 'POST', path: 'passkeys/registration' }, isPasskeyOptions, options),
  add: (body, { proof, ...options } = {}) =>
    caller.json(
      { method: 'POST', path: 'passkeys', body, headers: proofHeaders(proof) },
      isPasskey,
      options,
    ),
  remove: (id, { proof, ...options } = {}) =>
    caller.empty(
      { method: 'DELETE', path: path`passkeys/${id}`, headers: proofHeaders(proof) },
      options,
    ),
})

/** The header of a request that a passkey confirms. */
export const proofHeaders = (proof: PasskeyProof | undefined): Record<string, string> =>
  proof ? { 'sluice-passkey': base64url(JSON.stringify(proof)) } : {}

/** The proof is ASCII: base64url and field names. */
const base64url = (text: string): string =>
  btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
