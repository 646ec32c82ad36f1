import { httpPage } from './http.ts'
import { eventsPage } from './page.ts'
import { picture } from './picture.ts'
import type { Recorded } from './recorded.ts'
import { eventsSchema } from './schema.ts'
import { typeFiles } from './types.ts'

/** The run that `npm start` plays, and that the README shows. */
export const shownRun = 'pi/1.5.0/rpc-tools'

/** Every generated file by its path in the repository: the same recordings give the same texts. */
export const pages = (recorded: readonly Recorded[]): ReadonlyMap<string, string> => {
  const schema = eventsSchema()
  const shown = recorded.find(({ name }) => name === shownRun)
  if (!shown) throw new Error(`there is no recording ${shownRun}`)
  return new Map([
    ['docs/events.md', eventsPage(schema.$defs, recorded)],
    ['docs/http.md', httpPage()],
    ['docs/images/terminal.svg', picture('sluice decode pi run.ndjson', shown.events)],
    ['schema/events.json', `${JSON.stringify(schema, undefined, 2)}\n`],
    ...typeFiles(),
  ])
}
