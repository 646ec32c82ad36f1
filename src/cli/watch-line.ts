import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { agentTitle } from '../agents/known-agents.ts'
import type { Log } from '../log/log.ts'
import { fileSources } from '../watch/sources/file-sources.ts'
import { openCodeFile } from '../watch/stores/opencode-file.ts'
import { createWatchSwitches } from '../watch/watch-switches.ts'

/** Says at the start which agents' sessions are read; empty if there are none. */
export const watchLine = async ({ settings }: Pick<Log, 'settings'>): Promise<string> => {
  const switches = createWatchSwitches({ settings, onChange() {} })
  // Who watches says why it cannot be read.
  await switches.load().catch(() => {})
  const places = [
    ...fileSources.map(({ agent, directory }) => ({
      agent,
      path: directory(process.env, homedir()),
    })),
    { agent: 'opencode', path: openCodeFile() },
  ]
  const titles = places
    .filter(({ agent, path }) => existsSync(path) && !switches.isOff({ agent }))
    .map(({ agent }) => agentTitle(agent))
  return titles.length === 0
    ? ''
    : `Watching the sessions of ${titles.join(', ')} on this machine (change it: sluice watched; --no-watch: do not).\n`
}
