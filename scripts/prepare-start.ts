// Builds the web app when it is stale, and fills the compile cache with the server’s sources.
import { enableCompileCache } from 'node:module'
import { freshWeb, isWebFresh } from './web.ts'

if (!isWebFresh()) {
  process.stderr.write('Building the web app…\n')
  await freshWeb()
  enableCompileCache()
  const sources = ['cli/program', 'cli/serve', 'sluice/agent-runtime', 'http/app']
  for (const source of sources) await import(`../src/${source}.ts`)
}
