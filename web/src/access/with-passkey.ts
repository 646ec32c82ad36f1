import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import type {
  PasskeyCredential,
  PasskeyOptions,
  PasskeyProof,
  PasskeyPurpose,
} from '../../../src/api/index.ts'
import { ApiError, type Client } from '../../../src/client/index.ts'

/** Loaded when a passkey is used: most servers require none. */
const library = () => import('@simplewebauthn/browser')

/**
 * Sends a request; if the server requires a passkey for it, the browser asks for one and the request
 * is sent again with the proof.
 */
export const withPasskey = async <Result>(
  { passkeys }: Pick<Client, 'passkeys'>,
  purpose: PasskeyPurpose,
  send: (options: { proof?: PasskeyProof }) => Promise<Result>,
): Promise<Result> => {
  try {
    return await send({})
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.code !== 'passkey_required') throw cause
    const { options } = await passkeys.challenge(purpose)
    const { startAuthentication } = await library()
    return send({ proof: await startAuthentication({ optionsJSON: requestOptions(options) }) })
  }
}

/** Has the browser make a passkey. */
export const makePasskey = async ({
  passkeys,
}: Pick<Client, 'passkeys'>): Promise<PasskeyCredential> => {
  const { options } = await passkeys.begin()
  const { startRegistration } = await library()
  return startRegistration({ optionsJSON: creationOptions(options) })
}

type Options = PasskeyOptions['options']

const requestOptions = (options: Options): PublicKeyCredentialRequestOptionsJSON => {
  if (isRequest(options)) return options
  throw new Error('The server sent no challenge.')
}

const creationOptions = (options: Options): PublicKeyCredentialCreationOptionsJSON => {
  if (isCreation(options)) return options
  throw new Error('The server sent no challenge.')
}

const isRequest = (
  options: Options | PublicKeyCredentialRequestOptionsJSON,
): options is PublicKeyCredentialRequestOptionsJSON => typeof options.challenge === 'string'

const isCreation = (
  options: Options | PublicKeyCredentialCreationOptionsJSON,
): options is PublicKeyCredentialCreationOptionsJSON =>
  typeof options.challenge === 'string' && typeof options.rp === 'object'
