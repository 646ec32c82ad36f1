import { z } from 'zod'
import { label, time } from './fields.ts'
import { scope } from './key.ts'

export const browserInfo = z
  .object({
    id: z.string().describe('Id of the browser.'),
    name: z
      .string()
      .describe('Name of the browser: `Firefox on Linux`, or what a person called it.'),
    scopes: z.array(scope).describe('What the browser may do.'),
    keyId: z
      .string()
      .optional()
      .describe('The API key that the browser signed in with. It is signed out with the key.'),
    createdAt: time('When the browser was paired'),
    lastUsedAt: time('When the browser was last used'),
    expiresAt: time('When the browser must be paired again, unless it is used'),
    address: z.string().optional().describe('The network address that last used it.'),
    isCurrent: z.boolean().describe('Whether this browser sent the request.'),
  })
  .describe('A paired browser.')

export const browserList = z
  .object({ browsers: z.array(browserInfo).describe('All paired browsers, in order of pairing.') })
  .describe('Response of `GET browsers`.')

export const browserPatch = z
  .strictObject({ name: label.describe('The new name.') })
  .describe('Body of `PATCH browsers/:id`.')

export const pairRequest = z
  .strictObject({
    code: z.string().min(1).max(200).describe('The code from a pairing link.'),
    name: label.optional().describe('Name of the browser. Default: from its `User-Agent`.'),
  })
  .describe('Body of `POST auth/pair`.')

export const signInRequest = z
  .strictObject({
    name: label.optional().describe('Name of the browser. Default: from its `User-Agent`.'),
  })
  .describe('Body of `POST auth/sign-in`. Authorize the request with an API key.')

export const pairedBrowser = z
  .object({
    browser: browserInfo,
    pageKey: z
      .string()
      .describe('Send it as `Sluice-Page` beside the cookie. Only this response contains it.'),
  })
  .describe('Response of `POST auth/pair` and `POST auth/sign-in`, which also set a cookie.')

export const pairingRequest = z
  .strictObject({
    scopes: z
      .array(scope)
      .min(1)
      .optional()
      .describe('What the browser may do: scopes of yours. Default: all of them.'),
  })
  .describe('Body of `POST auth/pairing`.')

export const pairing = z
  .object({
    url: z.string().describe('A link for a browser. It works once.'),
    networkUrls: z
      .array(z.string())
      .describe('The same link for other devices, where the server can be reached from a network.'),
    qr: z
      .array(z.string())
      .optional()
      .describe('The first link for other devices as a QR code: rows of 0 (light) and 1 (dark).'),
    expiresAt: time('Until when the link works'),
  })
  .describe('Response of `POST auth/pairing`.')
