/** How a tool is shown. */
export type ToolKind = 'shell' | 'read' | 'edit' | 'search' | 'subagent' | 'question' | 'other'

/** Agents’ own names of their tools, in small letters. */
const kinds: Readonly<Record<string, ToolKind>> = {
  bash: 'shell',
  shell: 'shell',
  exec: 'shell',
  execute: 'shell',
  run_command: 'shell',
  read: 'read',
  view: 'read',
  read_file: 'read',
  notebookread: 'read',
  edit: 'edit',
  multiedit: 'edit',
  write: 'edit',
  write_file: 'edit',
  notebookedit: 'edit',
  apply_patch: 'edit',
  str_replace: 'edit',
  grep: 'search',
  glob: 'search',
  find: 'search',
  ls: 'search',
  search: 'search',
  websearch: 'search',
  web_search: 'search',
  webfetch: 'search',
  web_fetch: 'search',
  task: 'subagent',
  agent: 'subagent',
  askuserquestion: 'question',
}

/** The kind of a tool, by its name. */
export const kindOf = (toolName: string): ToolKind => kinds[toolName.toLowerCase()] ?? 'other'
