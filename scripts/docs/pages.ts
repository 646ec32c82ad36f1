import { eventsPage } from './page.ts'
import type { Recorded } from './recorded.ts'
import { eventsSchema } from './schema.ts'

/** Every generated file by its path in the repository: the same recordings give the same texts. */
export const pages = (recorded: readonly Recorded[]): ReadonlyMap<string, string> => {
  const schema = eventsSchema()
  return new Map([
    ['docs/events.md', eventsPage(schema.$defs, recorded)],
    ['schema/events.json', `${JSON.stringify(schema, undefined, 2)}\n`],
  ])
}
