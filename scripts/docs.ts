// Writes the reference pages and the TypeScript types, from the schemas and the recordings.
import { join } from 'node:path'
import { pages } from './docs/pages.ts'
import { readRecorded } from './docs/recorded.ts'
import { root, writePages } from './docs/write-pages.ts'

writePages(pages(await readRecorded(join(root, 'recordings'))), 'npm run docs')
