import { createStore, type WritableStore } from '../lib/store.ts'

/** The preferences of a person on this device. */
export interface Prefs {
  readonly diffLayout: WritableStore<'unified' | 'split'>
  /** The panel that is open; the next visit begins without one. */
  readonly panel: WritableStore<PanelName | null>
  /** The agent of the last new session; empty before the first. */
  readonly agent: WritableStore<string>
}

export type PanelName = 'changes' | 'usage' | 'events' | 'rules'

export const createPrefs = (storage: Storage): Prefs => ({
  diffLayout: storedChoice(storage, 'diff', ['unified', 'split']),
  panel: createStore<PanelName | null>(null),
  agent: storedText(storage, 'agent'),
})

const storedText = (storage: Storage, name: string): WritableStore<string> => {
  const key = `sluice.${name}`
  const store = createStore(storage.getItem(key) ?? '')
  store.subscribe(() => storage.setItem(key, store.get()))
  return store
}

/** One of several choices. Default: the first. */
const storedChoice = <const Choice extends string>(
  storage: Storage,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): WritableStore<Choice> => {
  const key = `sluice.${name}`
  const stored = storage.getItem(key)
  const store = createStore<Choice>(choices.find((choice) => choice === stored) ?? choices[0])
  store.subscribe(() => storage.setItem(key, store.get()))
  return store
}
