// Writes the reference pages of the bus, from its table of subjects.
import { writePages } from './docs/write-pages.ts'
import { busPages } from './docs-bus/page.ts'

writePages(busPages(), 'npm run docs:bus')
