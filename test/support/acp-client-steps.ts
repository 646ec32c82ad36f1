/** A write of a text file. */
export const write = (path: string, content: string, more: object = {}) =>
  ['request', 'fs/write_text_file', { path, content, ...more }] as const
/** A permission for an edit, of the call `t1`. */
export const permission = (toolCall: object) =>
  [
    'request',
    'session/request_permission',
    {
      toolCall: { toolCallId: 't1', kind: 'edit', status: 'pending', title: 'Edit', ...toolCall },
      options: [
        { optionId: 'always', name: 'Always', kind: 'allow_always' },
        { optionId: 'once', name: 'Once', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    },
  ] as const
/** The content and the locations of an edit. */
export const diff = (path: string, oldText: string | null, newText: string) => ({
  content: [{ type: 'diff', path, oldText, newText }],
  locations: [{ path }],
})
