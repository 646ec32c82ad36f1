import type { Log, RecordStore } from '../log/log.ts'

/** The stores of a log that hold plain records with an id. */
type RecordStoreName = {
  [Name in keyof Log]-?: Log[Name] extends Pick<RecordStore<never>, 'hasDamage'> ? Name : never
}[keyof Log]

/** It must have all of them: a store that is added to the contract does not compile without it. */
const names: { [Name in RecordStoreName]: Name } = {
  browsers: 'browsers',
  passkeys: 'passkeys',
  settings: 'settings',
  trust: 'trust',
  loops: 'loops',
  budgets: 'budgets',
}

export const recordStores: readonly RecordStoreName[] = Object.values(names)
