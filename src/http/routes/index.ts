import { agentConversationRoutes } from './agent-conversations.ts'
import { approvalRoutes } from './approvals.ts'
import { auditRoutes } from './audit.ts'
import { blobRoutes } from './blobs.ts'
import { browserRoutes } from './browsers.ts'
import { budgetRoutes } from './budgets.ts'
import { bundleRoutes } from './bundles.ts'
import { commandRoutes } from './commands.ts'
import { comparisonRoutes } from './comparisons.ts'
import { conversationRoutes } from './conversation.ts'
import { costRoutes } from './cost.ts'
import { historyRoutes } from './history.ts'
import { keyRoutes } from './keys.ts'
import { loopRoutes } from './loops.ts'
import { modeRoutes } from './modes.ts'
import { nodeRoutes } from './nodes.ts'
import { passkeyRoutes } from './passkeys.ts'
import { priceRoutes } from './prices.ts'
import { projectRoutes } from './projects.ts'
import { queueRoutes } from './queue.ts'
import type { Route, RouteDescription } from './route.ts'
import { ruleRoutes } from './rules.ts'
import { serverRoutes } from './server.ts'
import { sessionRoutes } from './sessions.ts'
import { streamDescriptions } from './streams.ts'
import { taskRoutes } from './tasks.ts'
import { trustRoutes } from './trust.ts'
import { watchedRoutes } from './watched.ts'
import { worktreeRoutes } from './worktrees.ts'

/** The whole API, in the order of the reference. */
export const apiDescription: readonly (Route | RouteDescription)[] = [
  ...serverRoutes,
  ...agentConversationRoutes,
  ...projectRoutes,
  ...trustRoutes,
  ...sessionRoutes,
  ...historyRoutes,
  ...bundleRoutes,
  ...worktreeRoutes,
  ...comparisonRoutes,
  ...streamDescriptions,
  ...commandRoutes,
  ...modeRoutes,
  ...queueRoutes,
  ...taskRoutes,
  ...conversationRoutes,
  ...loopRoutes,
  ...costRoutes,
  ...priceRoutes,
  ...budgetRoutes,
  ...approvalRoutes,
  ...ruleRoutes,
  ...blobRoutes,
  ...keyRoutes,
  ...auditRoutes,
  ...nodeRoutes,
  ...watchedRoutes,
  ...browserRoutes,
  ...passkeyRoutes,
]

/** The part of the API that is served by routes: everything except streams. */
export const routes: readonly Route[] = apiDescription.filter((each) => 'prepare' in each)
