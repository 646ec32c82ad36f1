import { approvalRoutes } from './approvals.ts'
import { blobRoutes } from './blobs.ts'
import { commandRoutes } from './commands.ts'
import { conversationRoutes } from './conversation.ts'
import { directoryRoutes } from './directories.ts'
import { serverRoutes } from './health.ts'
import { keyRoutes } from './keys.ts'
import { modelRoutes } from './models.ts'
import { projectRoutes } from './projects.ts'
import type { Route } from './route.ts'
import { searchRoutes } from './search.ts'
import { sessionRoutes } from './sessions.ts'
import { streamRoutes } from './streams.ts'

/** Where the API begins. */
export const base = '/api/v1'

/** Every route of the API. What is served and what is documented come from here. */
export const routes: readonly Route[] = [
  ...serverRoutes,
  ...projectRoutes,
  ...directoryRoutes,
  ...sessionRoutes,
  ...streamRoutes,
  ...commandRoutes,
  ...modelRoutes,
  ...conversationRoutes,
  ...searchRoutes,
  ...approvalRoutes,
  ...blobRoutes,
  ...keyRoutes,
]
