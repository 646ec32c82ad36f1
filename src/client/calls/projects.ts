import type { DirectoryList, NewProject, Project, ProjectList } from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { hasFields } from '../response.ts'
import { path } from '../transport.ts'

/** Calls about projects: the directories that agents work in. */
export interface ProjectCalls {
  /** Returns all projects. */
  list(options?: CallOptions): Promise<Project[]>
  /** Returns one project. */
  get(id: string, options?: CallOptions): Promise<Project>
  /** Creates a project for a directory. */
  create(project: NewProject, options?: CallOptions): Promise<Project>
  /** Removes a project. Its sessions and files stay. */
  remove(id: string, options?: CallOptions): Promise<void>
  /** Returns the directories that can become a project: the roots, or those inside a directory. */
  directories(within?: string, options?: CallOptions): Promise<DirectoryList>
}

const isProject = hasFields<Project>('id', 'name', 'path')
const isProjectList = hasFields<ProjectList>('projects')
const isDirectoryList = hasFields<DirectoryList>('directories')

export const projectCalls = (caller: Caller): ProjectCalls => ({
  list: async (options) =>
    (await caller.json({ path: 'projects' }, isProjectList, options)).projects,
  get: (id, options) => caller.json({ path: path`projects/${id}` }, isProject, options),
  create: (body, options) =>
    caller.json({ method: 'POST', path: 'projects', body }, isProject, options),
  remove: (id, options) => caller.empty({ method: 'DELETE', path: path`projects/${id}` }, options),
  directories: (within, options) =>
    caller.json({ path: 'directories', query: { path: within } }, isDirectoryList, options),
})
