import { agentsPage } from './agents-page.ts'
import { eventsPage } from './events-page.ts'
import { httpPage } from './http-page.ts'
import { picture } from './picture.ts'
import type { Recorded } from './recorded.ts'
import { eventsSchema } from './schema.ts'
import { typeFiles } from './type-files.ts'

/** The recording that the picture in the README shows. */
export const shownRun = 'pi/1.5.0/rpc-tools'

/** Every generated file by its path in the repository. The same recordings give the same files. */
export const pages = (recorded: readonly Recorded[]): ReadonlyMap<string, string> => {
  const schema = eventsSchema()
  const shown = recorded.find(({ name }) => name === shownRun)
  if (!shown) throw new Error(`the recording ${shownRun} is missing`)
  return new Map([
    ['docs/agents.md', agentsPage()],
    ['docs/events.md', eventsPage(schema.$defs, recorded)],
    ['docs/http.md', httpPage()],
    ['docs/images/terminal.svg', picture('sluice decode pi run.ndjson', shown.events)],
    ['schema/events.json', `${JSON.stringify(schema, undefined, 2)}\n`],
    ...typeFiles(),
  ])
}
