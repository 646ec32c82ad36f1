import type { EventOf, ModeChoice } from '../../events/types.ts'
import { countOf, defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { type AcpDialect, dialectOf, standardDialect } from './dialects.ts'
import { type AcpSetting, type AcpSettingName, settingsIn } from './wire.ts'

/** What the agent reports about itself and its session. */
export interface AcpSession {
  /** The answer to `initialize`. */
  initialized(result: Fields): void
  /** The answer that opens the session. `resumed`: the id of a session that was loaded. */
  opened(result: Fields, resumed?: string): void
  /** Whether the answer that opens the session is still to come. */
  isOpening(): boolean
  /** The settings have changed: the options of the agent, or one of the values. */
  options(update: Fields): void
  changed(name: AcpSettingName, value: string | undefined): void
  /** A `usage_update`. */
  context(update: Fields): void
  /** What people can call by name, and the to-do list. */
  lists(lists: Pick<Details, 'commands' | 'todos'>): void
  dialect(): AcpDialect
  capabilities(): Fields
  setting(name: AcpSettingName): AcpSetting | undefined
  model(): string | undefined
}

type Details = Omit<EventOf<'session_update'>, 'type'>

export interface AcpSessionOptions {
  agent: string
  emit: Emit
  /** Whether the stream has begun, with whatever the agent sent first. */
  hasBegun(): boolean
  /** The model that the agent was started with. */
  startModel?: string | undefined
}

export const createAcpSession = (options: AcpSessionOptions): AcpSession => {
  const { agent, emit, hasBegun, startModel } = options
  let info: Fields = {}
  let dialect = standardDialect
  let isOpening = true
  let hasStarted = false
  const settings = new Map<AcpSettingName, AcpSetting>()
  /** The model behind a choice such as `default`, where the agent reports it. */
  let usedModel: string | undefined
  let known: Details = {}
  /** What came before the answer that names the session. */
  const early: Details = {}

  const model = () => {
    const id = settings.get('model')?.current
    const fallback = dialect.usesStartModel ? startModel : undefined
    return usedModel ?? (id === undefined ? fallback : (dialect.modelName?.(id) ?? id))
  }

  const details = () => ({ ...defined({ model: model() }), ...choicesIn(settings) })

  /** Emits what has changed. */
  const update = (now: Details) => {
    if (!hasStarted) return void Object.assign(early, now)
    const changed = changesOf(known, now)
    known = { ...known, ...changed }
    if (Object.keys(changed).length > 0) emit({ type: 'session_update', ...changed })
  }

  const readSettings = (fields: Fields) => {
    for (const [name, setting] of Object.entries(settingsIn(fields)))
      if (isSettingName(name) && setting) {
        // The methods of modes and models stay, also where options repeat them.
        const configId = settings.has(name) ? settings.get(name)?.configId : setting.configId
        settings.set(name, { ...setting, configId })
      }
  }

  return {
    initialized(result) {
      info = result
      dialect = dialectOf(result)
      isOpening = true
    },
    opened(result, resumed) {
      isOpening = false
      readSettings(result)
      const agentVersion = stringOf(fieldsOf(info.agentInfo).version)
      const nativeId = stringOf(result.sessionId) ?? resumed
      const now = { ...defined({ agentVersion, nativeId }), ...details() }
      if (hasStarted) return update(now)
      hasStarted = true
      const { commands } = early
      known = { ...now, ...defined({ commands }) }
      const fields = { ...now, ...defined({ commands }) }
      if (hasBegun()) emit({ type: 'session_update', ...fields })
      else emit({ type: 'session_start', agent, ...fields })
      update(early)
    },
    isOpening: () => isOpening,
    options(fields) {
      readSettings(fields)
      if (!isOpening) update(details())
    },
    changed(name, value) {
      if (name === 'model') usedModel = undefined
      const setting = settings.get(name)
      settings.set(name, { choices: [], configId: undefined, ...setting, current: value })
      if (!isOpening) update(details())
    },
    context: (fields) =>
      update(defined({ contextTokens: countOf(fields.used), contextWindow: countOf(fields.size) })),
    lists: update,
    dialect: () => dialect,
    capabilities: () => fieldsOf(info.agentCapabilities),
    setting: (name) => settings.get(name),
    model,
  }
}

const isSettingName = (name: string): name is AcpSettingName =>
  name === 'mode' || name === 'model' || name === 'thinking'

/** What a person can choose of a setting. */
export const choicesOf = (setting: AcpSetting | undefined): ModeChoice[] | undefined =>
  setting?.choices.map(({ id, name, description }) => ({
    ...{ id, label: name.slice(0, 500) },
    ...defined({ description: description?.slice(0, 2000) }),
  }))

const choicesIn = (settings: ReadonlyMap<AcpSettingName, AcpSetting>): Details => {
  const mode = settings.get('mode')
  const thinking = settings.get('thinking')
  return defined({
    permissionMode: mode?.current,
    modes: choicesOf(mode),
    thinkingLevel: thinking?.current,
    thinkingLevels: thinking?.choices.map(({ id }) => id),
  })
}

const changesOf = (before: Details, now: Details): Details => {
  const old = fieldsOf(before)
  return Object.fromEntries(
    Object.entries(now).filter(
      ([key, value]) => JSON.stringify(old[key]) !== JSON.stringify(value),
    ),
  )
}
