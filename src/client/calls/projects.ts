import { directoryList } from '../../api/directory.ts'
import { project, projectList } from '../../api/project.ts'
import type { NewProject } from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { path } from '../path.ts'

/** `projects` */
export const projectCalls = (caller: Caller) => ({
  list: async (options?: CallOptions) =>
    (await caller.get({ path: 'projects' }, projectList, options)).projects,
  create: (body: NewProject, options?: CallOptions) =>
    caller.get({ method: 'POST', path: 'projects', body }, project, options),
  /** Directories that can become a project: the roots, or those inside of one. */
  directories: (within?: string, options?: CallOptions) =>
    caller.get(
      { path: 'directories', ...(within !== undefined && { query: { path: within } }) },
      directoryList,
      options,
    ),
  get: (id: string, options?: CallOptions) =>
    caller.get({ path: path`projects/${id}` }, project, options),
  /** Its sessions and files stay. */
  remove: (id: string, options?: CallOptions) =>
    caller.done({ method: 'DELETE', path: path`projects/${id}` }, options),
})
