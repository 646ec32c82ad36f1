import { createStore, type WritableStore } from '../lib/store.ts'

/** What a person prefers on this device. */
export interface Prefs {
  readonly diffLayout: WritableStore<'unified' | 'split'>
  readonly panel: WritableStore<PanelName | null>
  /** The agent that was begun last. */
  readonly agent: WritableStore<string>
}

export type PanelName = 'changes' | 'usage' | 'events'

export const createPrefs = (storage: Storage): Prefs => ({
  diffLayout: kept(storage, 'diff', ['unified', 'split']),
  panel: createStore<PanelName | null>(null),
  agent: keptText(storage, 'agent'),
})

/** A text, kept for the next visit. */
const keptText = (storage: Storage, name: string): WritableStore<string> => {
  const key = `sluice.${name}`
  const store = createStore(storage.getItem(key) ?? '')
  store.subscribe(() => storage.setItem(key, store.get()))
  return store
}

/** One of some words, kept for the next visit; the first unless told otherwise. */
const kept = <const Word extends string>(
  storage: Storage,
  name: string,
  words: readonly [Word, ...Word[]],
): WritableStore<Word> => {
  const key = `sluice.${name}`
  const stored = storage.getItem(key)
  const store = createStore<Word>(words.find((word) => word === stored) ?? words[0])
  store.subscribe(() => storage.setItem(key, store.get()))
  return store
}
