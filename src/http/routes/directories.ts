import { directoryList, directoryQuery } from '../../api/directory.ts'
import { route } from './route.ts'

/** Where projects may lie. */
export const directoryRoutes = [
  route({
    method: 'GET',
    path: '/directories',
    scope: 'admin',
    tag: 'Projects',
    summary: 'Directories that can become a project',
    description: 'The roots that the server was started with, or what lies in one directory.',
    parts: { query: directoryQuery },
    reply: { status: 200, schema: directoryList },
    problems: ['path_outside_roots', 'not_a_directory'],
    handle: async ({ query }, { world }) => ({
      status: 200,
      body: await world.roots.list(query.path),
    }),
  }),
]
