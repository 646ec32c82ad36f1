import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { agentTitle } from '../agents/known-agents.ts'
import { rootOf } from '../watch/files/find-files.ts'
import { fileSources } from '../watch/sources/file-sources.ts'
import { openCodeFile } from '../watch/stores/opencode-file.ts'

/** Says at the start which agents' sessions are read; empty if there are none. */
export const watchLine = async (): Promise<string> => {
  const titles: string[] = []
  for (const source of fileSources)
    if ((await rootOf(source, process.env, homedir())) !== undefined)
      titles.push(agentTitle(source.agent))
  if (existsSync(openCodeFile())) titles.push(agentTitle('opencode'))
  return titles.length === 0
    ? ''
    : `Watching the sessions of ${titles.join(', ')} on this machine (--no-watch: do not).\n`
}
