import { countOf, type Fields, stringOf } from '../../shared/fields.ts'
import type { RpcId } from '../json-rpc.ts'
import { isRefusal, type WriteTarget } from '../workspace.ts'
import { badParams, type ServiceDeps, type ServiceRequest } from './services.ts'
import { namesPath, showsWrite } from './shown-calls.ts'
import type { AcpCall } from './tools.ts'

/** The requests of the agent about files. */
export const createFileRequests = (deps: ServiceDeps): [string, ServiceRequest][] => {
  let count = 0
  const newCallId = () => {
    count += 1
    return `${deps.scope}sluice-write-${count}`
  }
  return [
    ['fs/read_text_file', (params) => read(deps, params)],
    ['fs/write_text_file', (params, rpcId) => write(deps, params, rpcId, newCallId)],
  ]
}

const read = async ({ workspace, reader }: ServiceDeps, params: Fields): Promise<object> => {
  const path = stringOf(params.path)
  if (path === undefined) return badParams('The request has no path.')
  const found = await workspace.readText(path, {
    line: countOf(params.line),
    limit: countOf(params.limit),
  })
  if (!isRefusal(found)) return { content: found.text }
  const isEmpty = found.kind === 'missing' && reader.session.dialect().missingIsEmpty
  return isEmpty ? { content: '' } : found
}

const write = async (
  deps: ServiceDeps,
  params: Fields,
  rpcId: RpcId,
  newCallId: () => string,
): Promise<object> => {
  const path = stringOf(params.path)
  const content = stringOf(params.content)
  if (path === undefined || content === undefined)
    return badParams('The request needs a path and a content.')
  const target = await deps.workspace.findTarget(path)
  if (isRefusal(target)) return target
  const { before } = target
  const { reader, cwd } = deps
  const requested = { path, before, content }
  const owner = reader.tools.findOpen((call) => isEditOf(call, path, cwd))
  const isAllowed =
    reader.tools.takeAllowance(
      path,
      (call, shown) => call.fields.kind === 'edit' && showsWrite(shown, requested, cwd),
    ) ||
    (owner !== undefined && deps.mayEdit() && isPlainFile(target, cwd))
  const shown = showWrite(deps, requested, owner, newCallId)
  const refusal = isAllowed
    ? undefined
    : await deps.decide({
        ...{ rpcId, toolCallId: shown.toolCallId, toolName: writeTool },
        args: argumentsOf(requested),
      })
  const failure = refusal ?? (await target.write(content))
  shown.end(failure?.refusal)
  return failure ?? {}
}

/** A name that Sluice recognises as that of a tool which writes a file. */
const writeTool = 'write_file'

const argumentsOf = ({ path, content }: { path: string; content: string }) => ({
  file_path: path,
  content,
})

const isEditOf = ({ fields }: AcpCall, path: string, cwd: string): boolean =>
  fields.kind === 'edit' && namesPath(fields, path, cwd)

/** Hidden files and directories hold hooks and settings: a person decides about each of them. */
const isPlainFile = ({ path }: WriteTarget, cwd: string): boolean =>
  !(path.startsWith(`${cwd}/`) ? path.slice(cwd.length) : path).includes('/.')

interface ShownWrite {
  toolCallId: string
  /** The write is done, or was refused for a reason. */
  end(refusal: string | undefined): void
}

/** Shows a write as a part of the agent’s call, or as a call of its own. */
const showWrite = (
  { reader }: ServiceDeps,
  write: { path: string; before: string | null | undefined; content: string },
  owner: AcpCall | undefined,
  newCallId: () => string,
): ShownWrite => {
  const { path, before, content } = write
  const diff = { type: 'diff', path, oldText: before ?? null, newText: content }
  if (owner) {
    reader.call({ toolCallId: owner.id }, 'permission')
    return {
      toolCallId: owner.id,
      end(refusal) {
        if (refusal === undefined && before !== undefined) owner.writes.push(diff)
      },
    }
  }
  const toolCallId = newCallId()
  const call = { toolCallId, name: writeTool, title: path, kind: 'edit' }
  reader.call({ ...call, status: 'in_progress', rawInput: argumentsOf(write) }, 'call')
  return {
    toolCallId,
    end(refusal) {
      const done =
        refusal === undefined
          ? { status: 'completed', content: before === undefined ? [] : [diff] }
          : { status: 'failed', rawOutput: refusal }
      reader.call({ toolCallId, ...done }, 'update')
    },
  }
}
