import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { agentNames, agentOfStream, isAgentName } from '../../agents/known-agents.ts'
import type { SluiceOptions } from '../../sluice/sluice.ts'
import { outNames } from '../out-names.ts'

/** The agents, for help texts. */
export const agentChoices = agentNames.join(', ')

export const agentName = (name: string): string => {
  if (isAgentName(name)) return name
  throw new InvalidArgumentError(`Choose ${agentChoices}.`)
}

/** The name of an agent of the table, or of one in an `agents.json`, which is read later. */
export const anyAgentName = (name: string): string =>
  /^[a-z0-9][a-z0-9._-]{0,49}$/.test(name) ? name : agentName(name)

/** The agent of a recorded stream, which may have a name of its own. */
export const streamName = (name: string): string => agentOfStream(name) ?? agentName(name)

export const wholeNumber = (text: string): number => {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value
  throw new InvalidArgumentError('Give a whole number.')
}

export const positiveNumber = (text: string): number => {
  const value = wholeNumber(text)
  if (value > 0) return value
  throw new InvalidArgumentError('Give a number above 0.')
}

/** What happens before a tool runs, if no rule covers the call. */
export const approveOption = (): Option =>
  new Option('--approve <how>', 'what happens before a tool runs, if no rule covers it')
    .choices(['ask', 'allow-reads', 'allow-edits', 'allow', 'deny'])
    .default('ask')

export const portNumber = (text: string): number => {
  const value = Number(text)
  if (/^\d+$/.test(text) && value <= 65_535) return value
  throw new InvalidArgumentError('Give a number from 0 to 65535.')
}

export const keyName = (text: string): string => {
  if (text.trim() !== '') return text
  throw new InvalidArgumentError('The name must not be empty.')
}

/** Collects the values of an option that can be repeated. */
export const repeated = (value: string, before: string[] = []): string[] => [...before, value]

const hour = 60 * 60
const durationUnits = { s: 1, m: 60, h: hour, d: 24 * hour, w: 7 * 24 * hour } as const

/** A time such as `90s` or `30d`, in ms. */
export const duration = (text: string): number => {
  const { amount, unit } = /^(?<amount>\d{1,6})(?<unit>[smhdw])$/.exec(text)?.groups ?? {}
  const found = Object.entries(durationUnits).find(([name]) => name === unit)
  if (found && Number(amount) > 0) return Number(amount) * found[1] * 1000
  throw new InvalidArgumentError('Give a time such as 90s, 45m, 12h, 30d or 4w.')
}

/** A time such as `10m`, which is so long ago, or `2026-01-31T09:00`, in ms since 1970. */
export const pastTime = (text: string): number => {
  if (/^\d+[smhdw]$/.test(text)) return Date.now() - duration(text)
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new InvalidArgumentError('Give a time such as 10m (ago), 2026-01-31 or 2026-01-31T09:00.')
}

const byteUnits = { '': 1, KB: 1000, MB: 1000 ** 2, GB: 1000 ** 3, TB: 1000 ** 4 } as const

/** A size such as `500MB`, in bytes. */
export const byteCount = (text: string): number => {
  const { amount, unit } = /^(?<amount>\d{1,9}) ?(?<unit>[KMGT]B|)$/i.exec(text)?.groups ?? {}
  const found = Object.entries(byteUnits).find(([name]) => name === unit?.toUpperCase())
  if (found) return Number(amount) * found[1]
  throw new InvalidArgumentError('Give a size such as 500MB or 2GB.')
}

type KeepLimits = NonNullable<SluiceOptions['keep']>

/** Reads `90d`, `20GB` or `90d,20GB`. The option can be repeated. */
export const keepLimits = (text: string, before: KeepLimits = {}): KeepLimits =>
  Object.assign({}, before, ...text.split(',').map((each) => keepLimit(each.trim())))

const keepLimit = (text: string): KeepLimits => {
  if (/^[1-9]\d* ?[KMGT]B$/i.test(text)) return { bytes: byteCount(text) }
  if (/^[1-9]\d*[smhdw]$/.test(text)) return { ageMs: duration(text) }
  throw new InvalidArgumentError('Give a time such as 90d, a size such as 20GB, or both: 90d,20GB.')
}

/** Makes a path absolute: it is stored, and read from other directories later. */
export const absolutePath = (path: string): string => resolve(path)

/** Files to send with a message; the option can be repeated. */
export const fileOption = (): Option =>
  new Option(
    '--file <path>',
    'a text, PDF or image file to send with the message; repeatable',
  ).argParser((path: string, before: string[] = []) => repeated(absolutePath(path), before))

/** A directory that exists; the option can be repeated. */
export const existingDirectory = (directory: string, before: string[]): string[] => {
  const path = absolutePath(directory)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [...before, path]
  throw new InvalidArgumentError('The directory does not exist.')
}

export const webAddress = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return url.href
  throw new InvalidArgumentError('Give an address such as https://sluice.example.org/.')
}

/** Addresses of NATS servers, separated by commas. Only the first needs `nats://`. */
export const natsAddresses = (text: string): string[] =>
  text.split(',').map((part) => {
    const address = part.includes('://') ? part : `nats://${part}`
    const url = URL.parse(address)
    if (url && /^(?:nats|tls):$/.test(url.protocol) && url.hostname !== '') return address
    throw new InvalidArgumentError('Give addresses such as nats://a:4222,b:4222.')
  })

export const existingFile = (file: string): string => {
  const path = absolutePath(file)
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path
  throw new InvalidArgumentError('The file does not exist.')
}

export const outOption = (): Option =>
  new Option('--out <form>', 'what to print').choices(outNames).default('pretty')

export const dataOption = (): Option =>
  new Option('--data <directory>', 'the data directory (default: ~/.sluice)').argParser(
    absolutePath,
  )

export const sandboxOption = (): Option =>
  new Option(
    '--sandbox <mode>',
    'run agents in a sandbox: auto (where it works), on (do not start without one), project (agents write only to their project), off',
  )
    .choices(['auto', 'on', 'off', 'project'])
    .default('auto')

/** The server to talk to, instead of the one that has the data directory. */
export const urlOption = (): Option =>
  new Option('--url <server>', 'talk to the server at this address').argParser(webAddress)

export const tokenOption = (): Option =>
  new Option('--token <key>', 'a key for the server at --url').env('SLUICE_TOKEN')

/** Those of some options that were given on the command line, as they are typed. */
export const givenOptions = (command: Command, names: readonly string[]): string[] =>
  command.options
    .filter((each) => names.includes(each.attributeName()))
    .filter((each) => command.getOptionValueSource(each.attributeName()) === 'cli')
    .map(({ long }) => long ?? '')

/** How a session is named on the command line: see `find-session.ts`. */
export const sessionWords = 'a session: its id, the beginning of its id, or its name'

/** The data directory that was given, or the default one. */
export const dataOf = async (options: { data?: string }): Promise<string> => {
  if (options.data !== undefined) return options.data
  const { defaultData } = await import('../../process/default-data.ts')
  return defaultData()
}

/** An example below the help of a verb. */
export const example = (line: string): string => `\nExample:\n  ${line}`
