import { randomUUID } from 'node:crypto'
import { newProject, project, projectList } from '../../api/project.ts'
import type { ProjectRecord } from '../../log/types.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'
import { idParams } from './params.ts'
import { route } from './route.ts'

const tag = 'Projects'

/** Directories that agents work in. */
export const projectRoutes = [
  route({
    method: 'GET',
    path: '/projects',
    scope: 'read',
    tag,
    summary: 'All projects',
    parts: {},
    reply: { status: 200, schema: projectList },
    handle: async (_, { world }) => ({
      status: 200,
      body: { projects: await world.log.projects.list() },
    }),
  }),
  route({
    method: 'POST',
    path: '/projects',
    scope: 'admin',
    tag,
    summary: 'Make a directory a project',
    description:
      'The directory must be there, below one of the roots that the server was started with. Links are followed first. A directory is one project: if it is one already, the answer is 200, with the project as it is and under the name that it has.',
    parts: { body: newProject },
    reply: { status: 201, or: 200, schema: project },
    problems: ['path_outside_roots', 'not_a_directory'],
    async handle({ body }, { world }) {
      const path = await world.roots.admit(body.path)
      const { record, isNew } = await projectAt(world, path, body.name)
      const headers = { Location: `/api/v1/projects/${record.id}` }
      return { status: isNew ? 201 : 200, body: record, headers }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id',
    scope: 'read',
    tag,
    summary: 'One project',
    parts: { params: idParams },
    reply: { status: 200, schema: project },
    problems: ['unknown_project'],
    handle: async ({ params }, { world }) => ({
      status: 200,
      body: await knownProject(world, params.id),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id',
    scope: 'admin',
    tag,
    summary: 'Forget a project',
    description: 'Nothing on the disk is touched, and its sessions stay.',
    parts: { params: idParams },
    reply: { status: 204 },
    problems: ['unknown_project'],
    async handle({ params }, { world }) {
      await knownProject(world, params.id)
      await world.log.projects.remove(params.id)
      return { status: 204 }
    },
  }),
]

interface Found {
  record: ProjectRecord
  isNew: boolean
}

/** Those that are being made, by their directory: two who ask at once get the same. */
const making = new WeakMap<AppContext, Map<string, Promise<Found>>>()

/** The project of a directory, made if it is none yet. */
const projectAt = async (world: AppContext, path: string, name: string): Promise<Found> => {
  const here = making.get(world) ?? new Map<string, Promise<Found>>()
  making.set(world, here)
  const first = here.get(path)
  if (first) return { ...(await first), isNew: false }
  const found = findOrMake(world, path, name)
  here.set(path, found)
  try {
    return await found
  } finally {
    here.delete(path)
  }
}

const findOrMake = async ({ log, now }: AppContext, path: string, name: string): Promise<Found> => {
  const known = (await log.projects.list()).find((each) => each.path === path)
  if (known) return { record: known, isNew: false }
  const record = { id: randomUUID(), name, path, createdAt: now() }
  await log.projects.create(record)
  return { record, isNew: true }
}

/** The record of a project that is there. */
export const knownProject = async (world: AppContext, id: string): Promise<ProjectRecord> => {
  const record = await world.log.projects.get(id)
  if (record) return record
  throw new Problem(404, 'unknown_project', `There is no project ${id}.`)
}
