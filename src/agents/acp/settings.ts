import { fieldsOf, stringsOf } from '../../shared/fields.ts'
import type { RpcPeer } from '../json-rpc.ts'
import type { CommandReply, Connection } from '../live.ts'
import type { AcpReader } from './reader.ts'
import { type AcpSetting, type AcpSettingName, acpErrorText } from './wire.ts'

/** The settings of a session: its mode, its model, and how much the model thinks. */
export interface Settings {
  /** Changes a setting, and replies to the command. */
  set(name: AcpSettingName, value: string, commandId: string): void
  /** Changes a setting. `onDone` gets the error, if the agent refused. */
  change(name: AcpSettingName, value: string, onDone: (error?: string) => void): void
  /** The mode that a person chose through this connection, while the agent is in it. */
  chosenMode(): string | undefined
  readonly models: NonNullable<Connection['models']>
}

export interface SettingsOptions {
  peer: RpcPeer
  reader: AcpReader
  session(): string | undefined
  onReply?: ((reply: CommandReply) => void) | undefined
}

export const createSettings = ({ peer, reader, session, onReply }: SettingsOptions): Settings => {
  let chosenMode: string | undefined
  const change: Settings['change'] = (name, wanted, onDone) => {
    const setting = reader.session.setting(name)
    const value = setting && findChoice(setting, wanted, reader.session.dialect().modelName)
    if (!setting || value === undefined) return onDone(notOffered(name, wanted, setting))
    if (name === 'mode') chosenMode = value
    if (setting.current === value) return onDone()
    const { method, params } = requestFor(name, value, setting)
    peer.request(method, { sessionId: session(), ...params }, (outcome) => {
      if ('error' in outcome) return onDone(acpErrorText(outcome.error))
      reader.session.changed(name, value)
      reader.session.options(fieldsOf(outcome.result))
      onDone()
    })
  }

  return {
    change,
    chosenMode: () =>
      reader.session.setting('mode')?.current === chosenMode ? chosenMode : undefined,
    set: (name, value, id) =>
      change(name, value, (error) =>
        onReply?.(error === undefined ? { id, ok: true } : { id, ok: false, error }),
      ),
    models: {
      request(id) {
        const setting = reader.session.setting('model')
        const names = setting?.choices.map((each) => each.id) ?? []
        onReply?.({ id, ok: setting !== undefined, data: names })
      },
      namesIn: stringsOf,
      find(name) {
        const setting = reader.session.setting('model')
        return setting && findChoice(setting, name, reader.session.dialect().modelName)
      },
    },
  }
}

/** The id of a choice that a person names by its id, by its label, or by a part that only it has. */
const findChoice = (
  { choices, current }: AcpSetting,
  wanted: string,
  modelName: ((id: string) => string) | undefined,
): string | undefined => {
  const isSame = (text: string) => text.toLowerCase() === wanted.toLowerCase()
  const named =
    choices.find(({ id }) => id === wanted) ??
    choices.find(({ id, name }) => isSame(id) || isSame(name) || isSame(modelName?.(id) ?? id))
  if (named) return named.id
  if (current === wanted) return wanted
  const alike = choices.filter(({ id }) => id.toLowerCase().includes(wanted.toLowerCase()))
  return alike.length === 1 ? alike[0]?.id : undefined
}

const requestFor = (name: AcpSettingName, value: string, { configId }: AcpSetting) => {
  if (configId !== undefined)
    return { method: 'session/set_config_option', params: { configId, value } }
  return name === 'model'
    ? { method: 'session/set_model', params: { modelId: value } }
    : { method: 'session/set_mode', params: { modeId: value } }
}

const words: Record<AcpSettingName, string> = {
  mode: 'mode',
  model: 'model',
  thinking: 'thinking level',
}

const notOffered = (
  name: AcpSettingName,
  wanted: string,
  setting: AcpSetting | undefined,
): string =>
  setting
    ? `The agent has no ${words[name]} “${wanted}”. It offers: ${setting.choices.map(({ id }) => id).join(', ')}.`
    : `The agent does not let its ${words[name]} be changed.`
