import { z } from 'zod'

import type { Tool } from './request.ts'
import type { Block } from './scripts.ts'

/** A call of a tool as the agent names it, with the arguments that its schema requires. */
export interface ToolCall {
  name: string
  input: Record<string, unknown>
}

/** What agents call the tools of the scripts, if not by the same name. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  bash: ['run_shell_command', 'shell', 'exec_command', 'execute_command', 'run_commands'],
  read: ['read_file', 'view'],
  write: ['write_file', 'create', 'write_to_file'],
  edit: ['replace', 'str_replace', 'replace_in_file'],
  todo: ['todowrite', 'todo_write', 'write_todos', 'update_plan'],
  task: ['agent', 'spawn_agent'],
}

/** What agents call the arguments of the scripts, if not by the same name. */
const otherArguments: Readonly<Record<string, readonly string[]>> = {
  path: ['file_path', 'filePath', 'absolute_path'],
  content: ['file_text'],
  oldText: ['old_string', 'oldString', 'old_str'],
  newText: ['new_string', 'newString', 'new_str'],
  command: ['cmd'],
}

/** Fits the call of a script to the tools of the agent. `cwd` makes a path absolute. */
export function toolCallOf(
  { tools, cwd }: { tools: Tool[]; cwd?: string | undefined },
  block: Extract<Block, { type: 'tool_use' }>,
): ToolCall {
  const tool = toolNamed(tools, block.name)
  if (tool === undefined) return { name: block.name, input: block.input }
  const properties = tool.input_schema?.properties ?? {}
  const input = Object.fromEntries(
    Object.entries(block.input).map(([name, value]) => {
      const fitting = argumentNamed(properties, name)
      return [fitting, name === 'path' ? pathFor(fitting, value, cwd) : value]
    }),
  )
  const missing = (tool.input_schema?.required ?? []).filter((name) => !(name in input))
  const added = missing.map((name) => [name, anyValueOf(properties[name])])
  return { name: tool.name, input: { ...input, ...Object.fromEntries(added) } }
}

function toolNamed(tools: Tool[], name: string): Tool | undefined {
  for (const each of [name, ...(otherNames[name] ?? [])]) {
    const tool = tools.find((tool) => tool.name.toLowerCase() === each)
    if (tool) return tool
  }
  return undefined
}

function argumentNamed(properties: Record<string, unknown>, name: string): string {
  if (name in properties) return name
  return otherArguments[name]?.find((each) => each in properties) ?? name
}

/** Agents that call the argument `path` resolve relative paths. */
function pathFor(argument: string, value: unknown, cwd: string | undefined): unknown {
  const isRelative = typeof value === 'string' && !value.startsWith('/')
  return isRelative && argument !== 'path' && cwd !== undefined ? `${cwd}/${value}` : value
}

const anySchema = z.object({ type: z.string().optional(), enum: z.array(z.unknown()).optional() })

function anyValueOf(schema: unknown): unknown {
  const { type, enum: values } = anySchema.safeParse(schema).data ?? {}
  if (values?.[0] !== undefined) return values[0]
  if (type === 'boolean') return false
  if (type === 'number' || type === 'integer') return 1
  if (type === 'array') return []
  return type === 'object' ? {} : 'Scripted'
}

/** The working directory that an agent names in its system prompt. */
export function cwdIn(text: string): string | undefined {
  return /(?:working directory|cwd)[^\n/]{0,40}(\/[^\s<>"'`]+)/i
    .exec(text)?.[1]
    ?.replace(/[.,]$/, '')
}
