import type { Argument, Command, Option } from 'commander'
import { agentNames } from '../agents/known-agents.ts'

/** One thing that a shell can offer. */
export interface ShellChoice {
  value: string
  description: string
}

/** What can stand in place of the last word. */
export interface WordChoices {
  choices: ShellChoice[]
  /** What the shell itself completes. */
  paths?: 'files' | 'directories'
  /** Whether sessions can stand there: they are read from the data directory. */
  sessions?: boolean
  /** Whether agents can stand there that the data directory describes. */
  agents?: boolean
  /** The data directory that the words name. */
  data?: string | undefined
}

/**
 * What can stand in place of the last of the words after `sluice`. Everything follows from the verbs
 * and options of the program, so a new verb needs nothing here.
 */
export const completeWords = (program: Command, words: readonly string[]): WordChoices => {
  const current = words.at(-1) ?? ''
  const { command, place, pending, used, isLiteral, data } = walk(program, words.slice(0, -1))
  if (pending) return { ...valuesOf(pending), data }
  const [, name = '', begun] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
  const assigned = begun === undefined ? undefined : optionOf(command, name)
  if (assigned) return { ...withPrefix(valuesOf(assigned), `${name}=`), data }
  if (current.startsWith('-') && !isLiteral) return { choices: optionsOf(command, used) }
  const verbs = place === 0 ? command.commands.filter(isVisible).map(verbChoice) : []
  const declared = command.registeredArguments
  const argument = declared[place] ?? (declared.at(-1)?.variadic ? declared.at(-1) : undefined)
  const { choices, ...rest } = argument ? valuesOf(argument) : { choices: [] }
  return { ...rest, choices: [...verbs, ...choices], data }
}

interface Walked {
  command: Command
  /** How many arguments of the command are there already. */
  place: number
  /** An option that needs the last word as its value. */
  pending: Option | undefined
  used: Set<Option>
  /** Whether `--` came before. */
  isLiteral: boolean
  data: string | undefined
}

/** Reads the words before the last one. */
const walk = (program: Command, words: readonly string[]): Walked => {
  const walked: Walked = {
    command: program,
    place: 0,
    pending: undefined,
    used: new Set(),
    isLiteral: false,
    data: undefined,
  }
  for (const word of words) step(walked, word)
  return walked
}

const step = (walked: Walked, word: string): void => {
  const { command, pending, isLiteral } = walked
  if (pending) {
    if (pending.long === '--data') walked.data = word
    walked.pending = undefined
  } else if (word === '--' && !isLiteral) walked.isLiteral = true
  else if (word.startsWith('-') && word !== '-' && !isLiteral) {
    const [name = '', value] = word.split('=', 2)
    const option = optionOf(command, name)
    if (option) walked.used.add(option)
    if (option?.long === '--data' && value !== undefined) walked.data = value
    if (option?.required && value === undefined) walked.pending = option
  } else {
    const verb = walked.place === 0 && command.commands.find((each) => each.name() === word)
    if (verb) walked.command = verb
    else walked.place += 1
  }
}

const optionOf = (command: Command, name: string): Option | undefined =>
  command.options.find(({ short, long }) => short === name || long === name)

/** The options that were not used yet; those that can be repeated always. */
const optionsOf = (command: Command, used: ReadonlySet<Option>): ShellChoice[] => [
  ...command.options
    .filter((option) => !option.hidden && (!used.has(option) || isRepeatable(option)))
    .map((option) => ({
      value: option.long ?? option.short ?? '',
      description: option.description,
    })),
  { value: '--help', description: 'print this help' },
]

const isRepeatable = ({ variadic, defaultValue }: Option): boolean =>
  variadic || Array.isArray(defaultValue)

const isVisible = (command: Command): boolean => !command.name().startsWith('_')

const verbChoice = (command: Command): ShellChoice => ({
  value: command.name(),
  description: command.description(),
})

/** The values of an option or an argument, by its choices or by the name of its value. */
const valuesOf = (target: Option | Argument): WordChoices => {
  if (target.argChoices)
    return { choices: target.argChoices.map((value) => ({ value, description: '' })) }
  const name = 'flags' in target ? `${target.flags}` : target.name()
  if (/\bagent\b/.test(name))
    return { choices: agentNames.map((value) => ({ value, description: '' })), agents: true }
  if (/\b(?:session|resume)\b/.test(name)) return { choices: [], sessions: true }
  if (/<dir|director/.test(name)) return { choices: [], paths: 'directories' }
  return /\b(?:file|path|prompt-file)\b/.test(name)
    ? { choices: [], paths: 'files' }
    : { choices: [] }
}

const withPrefix = ({ choices, ...rest }: WordChoices, prefix: string): WordChoices => ({
  ...rest,
  choices: choices.map(({ value, description }) => ({ value: prefix + value, description })),
})
