/** What a tool does, whatever its agent calls it. */
export type ToolKind =
  | 'shell'
  | 'read'
  | 'edit'
  | 'search'
  | 'subagent'
  | 'question'
  | 'plan'
  | 'other'

/** By the names that agents and their extensions give their tools, in lower case. */
const kinds = new Map<string, ToolKind>([
  ['bash', 'shell'],
  ['shell', 'shell'],
  ['exec', 'shell'],
  ['execute', 'shell'],
  ['run_command', 'shell'],
  ['run_shell_command', 'shell'],
  ['command_execution', 'shell'],
  ['read', 'read'],
  ['view', 'read'],
  ['read_file', 'read'],
  ['read_many_files', 'read'],
  ['run_commands', 'shell'],
  ['read_files', 'read'],
  ['notebookread', 'read'],
  ['edit', 'edit'],
  ['multiedit', 'edit'],
  ['write', 'edit'],
  ['write_file', 'edit'],
  ['notebookedit', 'edit'],
  ['apply_patch', 'edit'],
  ['file_change', 'edit'],
  ['str_replace', 'edit'],
  ['replace', 'edit'],
  ['notebook_edit', 'edit'],
  ['create', 'edit'],
  ['editor', 'edit'],
  ['grep', 'search'],
  ['grep_search', 'search'],
  ['list_directory', 'search'],
  ['google_web_search', 'search'],
  ['glob', 'search'],
  ['find', 'search'],
  ['ls', 'search'],
  ['search', 'search'],
  ['websearch', 'search'],
  ['web_search', 'search'],
  ['webfetch', 'search'],
  ['web_fetch', 'search'],
  ['search_codebase', 'search'],
  ['fetch_web_content', 'search'],
  ['task', 'subagent'],
  ['agent', 'subagent'],
  ['invoke_agent', 'subagent'],
  ['askuserquestion', 'question'],
  ['ask_user_question', 'question'],
  ['spawn_agent', 'subagent'],
  ['ask_question', 'question'],
  ['ask_user', 'question'],
  ['exitplanmode', 'plan'],
  ['exit_plan_mode', 'plan'],
])

/** The kind of a tool, by its name in any case. */
export const toolKindOf = (toolName: string): ToolKind =>
  kinds.get(toolName.toLowerCase()) ?? 'other'
