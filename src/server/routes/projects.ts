import { randomUUID } from 'node:crypto'
import { newProject, project, projectList } from '../../api/project.ts'
import type { ProjectRecord } from '../../log/project-record.ts'
import { Problem } from '../problem.ts'
import type { World } from '../world.ts'
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
      'The directory must be there, below one of the roots that the server was started with. Links are followed first.',
    parts: { body: newProject },
    reply: { status: 201, schema: project },
    problems: ['path_outside_roots', 'not_a_directory'],
    async handle({ body }, { world }) {
      const path = await world.roots.admit(body.path)
      const record = { id: randomUUID(), name: body.name, path, createdAt: world.now() }
      await world.log.projects.create(record)
      return { status: 201, body: record, headers: { Location: `/api/v1/projects/${record.id}` } }
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

/** The record of a project that is there. */
export const knownProject = async (world: World, id: string): Promise<ProjectRecord> => {
  const record = await world.log.projects.get(id)
  if (record) return record
  throw new Problem(404, 'unknown_project', `There is no project ${id}.`)
}
