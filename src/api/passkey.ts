import { z } from 'zod'
import { label, time } from './fields.ts'

export const passkeyInfo = z
  .object({
    id: z.string().describe('Id of the passkey.'),
    name: z.string().describe('Name that a person gave it.'),
    host: z.string().describe('The host name that it works on.'),
    createdAt: time('When it was registered'),
    createdBy: z.string().describe('Name of the browser that registered it.'),
    lastUsedAt: time('When it was last used').optional(),
  })
  .describe('A passkey, without its public key.')

export const passkeyList = z
  .object({
    isRequired: z.boolean().describe('Whether allowing an approval needs a passkey.'),
    passkeys: z.array(passkeyInfo).describe('All passkeys.'),
  })
  .describe('Response of `GET passkeys`.')

export const passkeyPurpose = z
  .strictObject({
    kind: z
      .enum(['approval', 'rule', 'add', 'remove', 'release'])
      .describe(
        'What a passkey confirms. `approval`: to allow an approval. `rule`: to let rules allow more. `add`, `remove`: to add or remove a passkey. `release`: to require none any more.',
      ),
    id: z
      .string()
      .max(2000)
      .optional()
      .describe(
        'The approval to allow, the session or project of the rule, or the passkey to remove.',
      ),
  })
  .describe('Body of `POST passkeys/challenge`.')

export const passkeyOptions = z
  .object({
    options: z
      .record(z.string(), z.unknown())
      .describe('Options for the browser, as `@simplewebauthn/browser` takes them.'),
  })
  .describe('Response of `POST passkeys/challenge` and `POST passkeys/registration`.')

const credentialId = z.string().min(1).max(2000).describe('Id of the passkey, in base64url.')
const clientData = z.string().max(8000).describe('What the browser signed, in base64url.')

export const passkeySignature = z
  .object({
    clientDataJSON: clientData,
    authenticatorData: z.string().max(8000).describe('What the authenticator says of itself.'),
    signature: z.string().max(8000).describe('The signature, in base64url.'),
  })
  .describe('The signature of a passkey.')

export const passkeyProof = z
  .object({ id: credentialId, rawId: credentialId, response: passkeySignature })
  .describe(
    'What the browser returns for a challenge. Send it as JSON in base64url, as the header `Sluice-Passkey`.',
  )

export const passkeyAttestation = z
  .object({
    clientDataJSON: clientData,
    attestationObject: z.string().max(64_000).describe('The new public key, in base64url.'),
  })
  .describe('The public key of a new passkey.')

export const passkeyCredential = z
  .object({ id: credentialId, rawId: credentialId, response: passkeyAttestation })
  .describe('What the browser returns for a registration.')

export const newPasskey = z
  .object({ name: label.describe('Name of the passkey.'), credential: passkeyCredential })
  .describe('Body of `POST passkeys`.')

export const passkeyRequirement = z
  .strictObject({
    isRequired: z.boolean().describe('Whether allowing an approval needs a passkey from now on.'),
  })
  .describe('Body of `PATCH passkeys`.')
