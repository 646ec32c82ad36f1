import { randomUUID } from 'node:crypto'
import { directoryList, directoryQuery } from '../../api/directory.ts'
import { newProject, project, projectList } from '../../api/project.ts'
import type { Log } from '../../log/log.ts'
import type { ProjectRecord } from '../../log/types.ts'
import { refuseOverlap } from '../../process/overlap.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'
import { apiBase, endpoints } from '../endpoints.ts'
import { idParams } from './params.ts'
import { route } from './route.ts'

const tag = 'Projects'

/** Directories that agents work in. */
export const projectRoutes = [
  route({
    endpoint: endpoints.listProjects,
    tag,
    summary: 'List all projects',
    parts: {},
    reply: { status: 200, schema: projectList },
    handle: async (_, { app }) => ({
      status: 200,
      body: { projects: await app.log.projects.list() },
    }),
  }),
  route({
    endpoint: endpoints.createProject,
    tag,
    summary: 'Make a directory a project',
    description:
      'The directory must exist inside one of the roots that the server was started with, after symbolic links are resolved. A directory is one project: when it already is one, the response is 200 with that project, and `name` is ignored.',
    parts: { body: newProject },
    reply: { status: 201, or: 200, schema: project },
    problems: ['path_outside_roots', 'not_a_directory', 'overlaps_data'],
    async handle({ body }, { app, audit }) {
      const path = await app.roots.resolve(body.path)
      refuseOverlap(path, app.data)
      const { record, isNew } = await projectAt(app, path, body.name)
      if (isNew) audit({ action: 'project_created', projectId: record.id, detail: path })
      const headers = { Location: `${apiBase}/projects/${record.id}` }
      return { status: isNew ? 201 : 200, body: record, headers }
    },
  }),
  route({
    endpoint: endpoints.getProject,
    tag,
    summary: 'Get a project',
    parts: { params: idParams },
    reply: { status: 200, schema: project },
    problems: ['unknown_project'],
    handle: async ({ params }, { app }) => ({
      status: 200,
      body: await requireProject(app.log, params.id),
    }),
  }),
  route({
    endpoint: endpoints.deleteProject,
    tag,
    summary: 'Delete a project',
    description: 'The directory and its files are not touched, and its sessions stay.',
    parts: { params: idParams },
    reply: { status: 204 },
    problems: ['unknown_project'],
    async handle({ params: { id } }, { app, audit }) {
      const { path } = await requireProject(app.log, id)
      await app.log.projects.remove(id)
      audit({ action: 'project_removed', projectId: id, detail: path })
      return { status: 204 }
    },
  }),
  route({
    endpoint: endpoints.listDirectories,
    tag,
    summary: 'List directories that can become a project',
    description:
      'Without `path`, the roots that the server was started with; with it, the directories inside that one.',
    parts: { query: directoryQuery },
    reply: { status: 200, schema: directoryList },
    problems: ['path_outside_roots', 'not_a_directory'],
    handle: async ({ query }, { app }) => ({
      status: 200,
      body: await app.roots.list(query.path),
    }),
  }),
]

interface FoundProject {
  record: ProjectRecord
  isNew: boolean
}

/** Per server and directory: two requests at the same time get the same project. */
const creating = new WeakMap<AppContext, Map<string, Promise<FoundProject>>>()

/** The project of a directory, created when there is none. */
const projectAt = async (app: AppContext, path: string, name: string): Promise<FoundProject> => {
  const byPath = creating.get(app) ?? new Map<string, Promise<FoundProject>>()
  creating.set(app, byPath)
  const earlier = byPath.get(path)
  if (earlier) return { ...(await earlier), isNew: false }
  const found = findOrCreate(app, path, name)
  byPath.set(path, found)
  try {
    return await found
  } finally {
    byPath.delete(path)
  }
}

const findOrCreate = async (
  { log, now }: AppContext,
  path: string,
  name: string,
): Promise<FoundProject> => {
  const existing = (await log.projects.list()).find((each) => each.path === path)
  if (existing) return { record: existing, isNew: false }
  const record = { id: randomUUID(), name, path, createdAt: now() }
  await log.projects.create(record)
  return { record, isNew: true }
}

/** The record of a project. Throws a `Problem` 404 when there is none. */
export const requireProject = async (log: Log, id: string): Promise<ProjectRecord> => {
  const record = await log.projects.get(id)
  if (record) return record
  throw new Problem(404, 'unknown_project', `There is no project ${id}.`)
}
