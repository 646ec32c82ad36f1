import type { EventOf } from '../../events/types.ts'
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
  dialect(): AcpDialect
  capabilities(): Fields
  setting(name: AcpSettingName): AcpSetting | undefined
  model(): string | undefined
}

type Details = Omit<EventOf<'session_update'>, 'type'>

export const createAcpSession = (agent: string, emit: Emit): AcpSession => {
  let info: Fields = {}
  let dialect = standardDialect
  let isOpening = true
  let hasStarted = false
  const settings = new Map<AcpSettingName, AcpSetting>()
  let known: Details = {}

  const modelName = (id: string | undefined) =>
    id === undefined ? undefined : (dialect.modelName?.(id) ?? id)

  const details = () =>
    defined({
      model: modelName(settings.get('model')?.current),
      permissionMode: settings.get('mode')?.current,
      thinkingLevel: settings.get('thinking')?.current,
    })

  /** Emits what has changed. */
  const update = (now: Details) => {
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
      known = now
      emit({ type: 'session_start', agent, ...now })
    },
    isOpening: () => isOpening,
    options(fields) {
      readSettings(fields)
      if (!isOpening) update(details())
    },
    changed(name, value) {
      const setting = settings.get(name)
      settings.set(name, { choices: [], configId: undefined, ...setting, current: value })
      if (!isOpening) update(details())
    },
    context: (fields) =>
      update(defined({ contextTokens: countOf(fields.used), contextWindow: countOf(fields.size) })),
    dialect: () => dialect,
    capabilities: () => fieldsOf(info.agentCapabilities),
    setting: (name) => settings.get(name),
    model: () => modelName(settings.get('model')?.current),
  }
}

const isSettingName = (name: string): name is AcpSettingName =>
  name === 'mode' || name === 'model' || name === 'thinking'

const changesOf = (before: Details, now: Details): Details => {
  const old = fieldsOf(before)
  return Object.fromEntries(Object.entries(now).filter(([key, value]) => old[key] !== value))
}
