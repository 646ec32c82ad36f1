import { fieldsOf, stringOf } from '../shared/fields.ts'

/** An error of a provider, in words for people. */
export interface ProviderError {
  errorMessage: string
  /** The text as the agent reports it, if the message is only a part of it. */
  errorDetails?: string
}

/** Agents report errors of a provider with a status and JSON in them: reads the message out of it. */
export const providerError = (reported: string): ProviderError => {
  // Gemini CLI and Qwen Code put their errors in brackets.
  const text = reported.replace(/^\[(API Error: .*?)\](?=\s*$|\n)/s, '$1')
  const known = ofTheConnection.get(plain(text))
  if (known !== undefined) return { errorMessage: known, errorDetails: text }
  const [, head = '', status, json = '', tail = ''] = withJson.exec(text) ?? []
  const message = messageIn(json)
  if (message !== undefined)
    return {
      errorMessage: `${plain(head)}${numbered(status ?? codeIn(json))}${message}${tail}`,
      errorDetails: text,
    }
  return {
    errorMessage: plain(text)
      .replace(/^\d{3}(?= \S|$)/, 'Error $&')
      .replace(/^(Error \d{3}) /, '$1: '),
  }
}

const withJson = /^([^{]*?)(?:\b(\d{3}) )?(\{.*\})([^}]*)$/s

const plain = (text: string): string => text.replace('API Error: ', '')

const numbered = (status: string | undefined): string => (status ? `Error ${status}: ` : '')

/** The HTTP status that Google puts beside the message. */
const codeIn = (json: string): string | undefined => {
  const { code } = fieldsOf(fieldsOf(parsed(json)).error)
  return typeof code === 'number' ? String(code) : undefined
}

/** Some providers put the JSON of another one into their message. */
const messageIn = (json: string, depth = 0): string | undefined => {
  if (!json.startsWith('{') || depth > 3) return undefined
  const fields = fieldsOf(parsed(json))
  const message = stringOf(fieldsOf(fields.error).message) ?? stringOf(fields.message)
  return message === undefined ? undefined : (messageIn(message.trim(), depth + 1) ?? message)
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** What the fetch of Node.js reports. */
const ofTheConnection = new Map([
  ['terminated', 'The connection to the provider was closed.'],
  ['fetch failed', 'The provider could not be reached.'],
])
