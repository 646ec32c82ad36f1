// `npm run sluice -- <args>`: the command line from the sources.
import { enterUserEnvironment } from './user-environment.js'

enterUserEnvironment()
await import('../src/cli/main.js')
