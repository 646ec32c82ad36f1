import { isAbsolute, join } from 'node:path'
import { loopChange, loopInfo, loopList, loopPause, newLoop } from '../../api/loop.ts'
import { isInside } from '../../files/is-inside.ts'
import { loopInfoOf, loopSummaryOf } from '../../log/loop-info.ts'
import type { LoopRecord } from '../../log/types.ts'
import type { Loops } from '../../loop/runner/loops.ts'
import { Fault } from '../../shared/fault.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'
import { apiBase, endpoints } from '../endpoints.ts'
import type { RouteResponse } from '../send-response.ts'
import { idParams } from './params.ts'
import { route } from './route.ts'
import { allowedStart } from './start-options.ts'
import { requireWorkplace } from './workplace.ts'

const tag = 'Loops'

const createdLoop = (loop: LoopRecord): RouteResponse => ({
  status: 201,
  body: loopInfoOf(loop),
  headers: { Location: `${apiBase}/loops/${loop.id}` },
})

/** Agents that work on the same prompt again and again. */
export const loopRoutes = [
  route({
    endpoint: endpoints.listLoops,
    tag,
    summary: 'List loops, newest first',
    description: 'Of a long prompt, the list has the beginning.',
    parts: {},
    reply: { status: 200, schema: loopList },
    async handle(_, { app }) {
      return { status: 200, body: { loops: (await loopsOf(app).list()).map(loopSummaryOf) } }
    },
  }),
  route({
    endpoint: endpoints.createLoop,
    tag,
    summary: 'Start a loop',
    description:
      'Each iteration is a new session, until the agent prints the promise as its last line or a limit is met.',
    parts: { body: newLoop },
    hasLargeBody: true,
    isIdempotent: true,
    reply: { status: 201, schema: loopInfo },
    problems: [
      'unknown_project',
      'agent_not_installed',
      'not_supported',
      'path_outside_roots',
      'not_a_directory',
      'overlaps_data',
      'quota_exceeded',
      'disk_quota_exceeded',
      'not_supported',
      'passkey_required',
    ],
    async handle({ body: { projectId, promptFile, ...wanted } }, context) {
      const { app, access, actor } = context
      const id = context.newId()
      const before = await loopsOf(app).get(id)
      if (before) return createdLoop(before)
      const cwd = await requireWorkplace(app, access, { projectId, agent: wanted.agent })
      const file = promptFile === undefined ? undefined : fileInside(promptFile, cwd)
      const creatorId = access.keyId
      const start = await allowedStart(context, projectId, wanted.start)
      const loop = await asProblem(
        loopsOf(app).create({
          ...{ ...wanted, id, projectId, cwd, promptFile: file, start, by: actor, creatorId },
        }),
      )
      return createdLoop(loop)
    },
  }),
  route({
    endpoint: endpoints.getLoop,
    tag,
    summary: 'Get a loop',
    parts: { params: idParams },
    reply: { status: 200, schema: loopInfo },
    problems: ['unknown_loop'],
    handle: async ({ params }, { app }) => ok(await requireLoop(app, params.id)),
  }),
  route({
    endpoint: endpoints.updateLoop,
    tag,
    summary: 'Rename a loop, or change its prompt or limits',
    description: 'Limits hold at once. A prompt holds from the next iteration on.',
    parts: { params: idParams, body: loopChange },
    hasLargeBody: true,
    reply: { status: 200, schema: loopInfo },
    problems: ['unknown_loop'],
    async handle({ params: { id }, body }, { app, actor }) {
      await requireLoop(app, id)
      return ok(await asProblem(loopsOf(app).change(id, { ...body, by: actor })))
    },
  }),
  route({
    endpoint: endpoints.pauseLoop,
    tag,
    summary: 'Pause a loop after its iteration, or at once',
    parts: { params: idParams, body: loopPause },
    isBodyOptional: true,
    reply: { status: 200, schema: loopInfo },
    problems: ['unknown_loop'],
    async handle({ params: { id }, body: { abort } }, { app, actor }) {
      await requireLoop(app, id)
      return ok(await asProblem(loopsOf(app).pause(id, { abort, by: actor })))
    },
  }),
  route({
    endpoint: endpoints.resumeLoop,
    tag,
    summary: 'Resume a loop',
    description: 'Also one that is done, if the limit that ended it was raised.',
    parts: { params: idParams },
    reply: { status: 200, schema: loopInfo },
    problems: ['unknown_loop', 'loop_over'],
    async handle({ params: { id } }, { app, actor }) {
      await requireLoop(app, id)
      return ok(await asProblem(loopsOf(app).resume(id, { by: actor }), 'loop_over'))
    },
  }),
  route({
    endpoint: endpoints.stopLoop,
    tag,
    summary: 'Stop the iteration and end the loop',
    parts: { params: idParams },
    reply: { status: 200, schema: loopInfo },
    problems: ['unknown_loop'],
    async handle({ params: { id } }, { app, actor }) {
      await requireLoop(app, id)
      return ok(await asProblem(loopsOf(app).stop(id, { by: actor })))
    },
  }),
]

const ok = (loop: LoopRecord): RouteResponse => ({ status: 200, body: loopInfoOf(loop) })

/** The loops of the server. Throws a `Problem` 422 if it runs none. */
const loopsOf = ({ loops }: AppContext): Loops => {
  if (loops) return loops
  throw new Problem(422, 'not_supported', 'This server runs no loops.')
}

const requireLoop = async (app: AppContext, id: string): Promise<LoopRecord> => {
  const loop = await loopsOf(app).get(id)
  if (loop) return loop
  throw new Problem(404, 'unknown_loop', `There is no loop ${id}. GET ${apiBase}/loops lists them.`)
}

/** The path of a prompt file. It must be inside the project: the caller may not read other files. */
const fileInside = (file: string, cwd: string): string => {
  const path = isAbsolute(file) ? file : join(cwd, file)
  if (!file.includes('\0') && isInside(path, cwd)) return path
  throw new Problem(422, 'invalid', 'The prompt file must be inside the directory of the project.')
}

/** A fault of the loops is a request that cannot be fulfilled. */
const asProblem = async <Result>(
  result: Promise<Result>,
  code: 'invalid' | 'loop_over' = 'invalid',
): Promise<Result> => {
  try {
    return await result
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    if (cause.code !== 'usage' && cause.code !== 'file_not_readable') throw cause
    throw new Problem(code === 'invalid' ? 422 : 409, code, cause.message)
  }
}
