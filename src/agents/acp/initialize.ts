import { type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import type { RpcError } from '../json-rpc.ts'
import { acpErrorText } from './wire.ts'

/** The parameters of `initialize`. */
export const initializeParams = (clientCapabilities: object): object => ({
  protocolVersion: 1,
  clientCapabilities,
  clientInfo: { name: 'sluice', title: 'Sluice', version: '0.1.0' },
})

/** Why Sluice cannot talk to an agent that answered `initialize` in this way, for people. */
export const versionProblem = (title: string, { protocolVersion }: Fields): string | undefined =>
  protocolVersion === 1 ? undefined : `${title} speaks version ${protocolVersion} of the protocol.`

const loginNeeded = -32_000

export const isLoginNeeded = ({ code }: RpcError): boolean => code === loginNeeded

/** The agent whose error is explained. */
interface Explained {
  title: string
  /** How a person logs in, as a sentence. */
  login?: string | undefined
  /** Its answer to `initialize`. */
  initialized: Fields
}

/** An error as a text for people, with advice on how to log in if that is the reason. */
export const explainError = (
  { title, login = 'Log in with the program itself.', initialized }: Explained,
  error: RpcError,
): string => {
  const text = acpErrorText(error)
  if (!isLoginNeeded(error)) return text
  const ways = listOf(initialized.authMethods).flatMap((method) => {
    const { name, description } = fieldsOf(method)
    return [stringOf(description) ?? stringOf(name) ?? []].flat()
  })
  const advice = ways.length > 0 ? ` It offers: ${ways.join('; ')}.` : ''
  return `${title} needs a login (${text}). ${login} Then try again.${advice}`
}
