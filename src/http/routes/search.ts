import { searchQuery, searchResult } from '../../api/search.ts'
import { searchSessions } from '../search/search-sessions.ts'
import { route } from './route.ts'

/** What was said, wherever that was. */
export const searchRoutes = [
  route({
    method: 'GET',
    path: '/search',
    scope: 'read',
    tag: 'Conversation',
    summary: 'Where words occur in all sessions',
    description:
      'In what people, agents and tools said in the main conversation, and in what a session is called; capital letters do not count. A message is found once it is whole.',
    parts: { query: searchQuery },
    reply: { status: 200, schema: searchResult },
    handle: async ({ query: { q, limit = 50 } }, { world }) => ({
      status: 200,
      body: await searchSessions(world.log, q, { limit }),
    }),
  }),
]
