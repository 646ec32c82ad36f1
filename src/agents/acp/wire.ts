import type { AgentCommand, Block, TodoItem } from '../../events/types.ts'
import {
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  stringIn,
  stringOf,
} from '../../shared/fields.ts'
import type { RpcError } from '../json-rpc.ts'
import { providerError } from '../provider-error.ts'

/**
 * An error as a text for people. Some agents put the reason into `data` and a general word before it,
 * or the answer of the provider as JSON into the message.
 */
export const acpErrorText = ({ message: whole, data }: RpcError): string => {
  const message = whole.replace(/^Internal error: /, '')
  const details = stringIn(data, 'details', 'error', 'message') ?? stringOf(data)
  const isGeneral = details !== undefined && details !== '' && generalWords.test(message)
  return providerError(isGeneral ? details : message).errorMessage
}

const generalWords = /^(?:Internal error|Invalid params|Server error)$/i

/** The block of a message or a result. */
export const contentBlock = (value: unknown): Block[] => {
  if (!isFields(value)) return []
  const { type, text, data, mimeType, resource } = value
  if (type === 'text') return typeof text === 'string' ? [{ type, text }] : []
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string')
    return [{ type, data, mimeType }]
  const embedded = type === 'resource' ? stringOf(fieldsOf(resource).text) : undefined
  if (embedded !== undefined) return [{ type: 'text', text: embedded }]
  // `thinking` and `toolCall` are blocks of ours, which a foreign one must not look like.
  if (typeof type !== 'string' || type === 'thinking' || type === 'toolCall' || type === 'image')
    return []
  return [{ ...value, type }]
}

/** The blocks in the content of a tool call. */
export const toolBlocks = (content: unknown): Block[] =>
  listOf(content).flatMap((item) => {
    const { type, content: block } = fieldsOf(item)
    return type === 'content' ? contentBlock(block) : []
  })

/** The text in the content of a tool call. */
export const toolText = (content: unknown): string =>
  toolBlocks(content)
    .map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .join('')

/** The ids of the terminals in the content of a tool call. */
export const terminalsIn = (content: unknown): string[] =>
  listOf(content).flatMap((item) => {
    const { type, terminalId } = fieldsOf(item)
    return type === 'terminal' && typeof terminalId === 'string' ? [terminalId] : []
  })

/** A file before and after a call, in the content of the call. */
export interface ContentDiff {
  path: string
  /** Null if the file is new. */
  oldText: string | null
  newText: string
}

export const diffsIn = (content: unknown): ContentDiff[] =>
  listOf(content).flatMap((item) => {
    const { type, path, oldText, newText } = fieldsOf(item)
    if (type !== 'diff' || typeof path !== 'string' || typeof newText !== 'string') return []
    return [{ path, oldText: stringOf(oldText) ?? null, newText }]
  })

/** The paths that a call names. */
export const locationsIn = (locations: unknown): string[] =>
  listOf(locations).flatMap((each) => stringOf(fieldsOf(each).path) ?? [])

/** Why a prompt ended, in the terms of the events. */
export const stopReasonOf = (reason: unknown): string => {
  const own = stringOf(reason) ?? 'end_turn'
  return stopReasons.get(own) ?? own
}

const stopReasons = new Map([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['cancelled', 'aborted'],
])

/** The setting of a session that agents offer in one of two ways: modes or models, or as options. */
export interface AcpSetting {
  current: string | undefined
  choices: readonly AcpChoice[]
  /** The configuration option that holds the setting; undefined if it has a method of its own. */
  configId: string | undefined
}

export interface AcpChoice {
  id: string
  name: string
  description?: string
}

/** What `session/new`, `session/load` and `config_option_update` say about the settings. */
export const settingsIn = (result: Fields): Partial<Record<AcpSettingName, AcpSetting>> => {
  const options = listOf(result.configOptions).map(fieldsOf)
  const [models, ofOption] = [modelsIn(result.models), optionOf(options, 'model')]
  // Where the two differ, each of the models is one in a thinking level, which has an option as well.
  const isSplit = models && ofOption && models.current !== ofOption.current
  return defined({
    mode: modesIn(result.modes) ?? optionOf(options, 'mode'),
    model: isSplit ? ofOption : (models ?? ofOption),
    thinking: optionOf(options, 'thought_level'),
  })
}

export type AcpSettingName = 'mode' | 'model' | 'thinking'

const modesIn = (value: unknown): AcpSetting | undefined => {
  if (!isFields(value)) return undefined
  const choices = listOf(value.availableModes).flatMap((each) => choiceOf(each, 'id'))
  return { current: stringOf(value.currentModeId), choices, configId: undefined }
}

const modelsIn = (value: unknown): AcpSetting | undefined => {
  if (!isFields(value)) return undefined
  const choices = listOf(value.availableModels).flatMap((each) => choiceOf(each, 'modelId'))
  return { current: stringOf(value.currentModelId), choices, configId: undefined }
}

const optionOf = (options: readonly Fields[], category: string): AcpSetting | undefined => {
  const option = options.find((each) => each.category === category && each.type !== 'boolean')
  const configId = stringOf(option?.id)
  if (!option || configId === undefined) return undefined
  const choices = listOf(option.options).flatMap((each) => {
    const { options: ofGroup } = fieldsOf(each)
    return Array.isArray(ofGroup)
      ? ofGroup.flatMap((inner) => choiceOf(inner, 'value'))
      : choiceOf(each, 'value')
  })
  return { current: stringOf(option.currentValue), choices, configId }
}

const choiceOf = (value: unknown, key: string): AcpChoice[] => {
  const fields = fieldsOf(value)
  const id = stringOf(fields[key])
  if (id === undefined || id === '') return []
  return [
    {
      id,
      name: stringOf(fields.name) || id,
      ...defined({ description: stringOf(fields.description) }),
    },
  ]
}

/** The commands that the agent offers. Some agents send half a megabyte about them. */
export const commandsIn = ({ availableCommands }: Fields): AgentCommand[] =>
  listOf(availableCommands)
    .slice(0, longestList)
    .flatMap((each) => {
      const { name, description, input } = fieldsOf(each)
      if (typeof name !== 'string' || name === '') return []
      const hint = stringOf(fieldsOf(input).hint)?.slice(0, 200)
      return [
        {
          ...{ name: name.replace(/^\//, '').slice(0, 200), kind: 'command' as const },
          ...defined({
            description: stringOf(description)?.slice(0, 200),
            hint: hint || undefined,
          }),
        },
      ]
    })

const longestList = 500

/** The entries of a plan. */
export const todosIn = ({ entries }: Fields): TodoItem[] =>
  listOf(entries)
    .slice(0, longestList)
    .flatMap((each) => {
      const { content, status, priority } = fieldsOf(each)
      if (typeof content !== 'string') return []
      const state = todoStates.get(stringOf(status) ?? '') ?? 'pending'
      return [{ text: content, state, ...defined({ priority: stringOf(priority) }) }]
    })

const todoStates = new Map<string, TodoItem['state']>([
  ['in_progress', 'in_progress'],
  ['completed', 'completed'],
])
