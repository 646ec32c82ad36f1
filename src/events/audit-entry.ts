import { z } from 'zod'
import { actorKind } from './actor.ts'

export const auditAction = z
  .enum([
    'session_created',
    'session_continued',
    'session_imported',
    'session_renamed',
    'session_pinned',
    'session_unpinned',
    'session_removed',
    'session_restored',
    'session_deleted',
    'node_changed',
    'watching_changed',
    'worktree_removed',
    'prompt',
    'steer',
    'follow_up',
    'message_edited',
    'message_removed',
    'message_sent',
    'abort',
    'task_stopped',
    'compact',
    'model_changed',
    'thinking_changed',
    'mode_changed',
    'switch_changed',
    'shell_command',
    'shell_stopped',
    'files_restored',
    'approval_allowed',
    'approval_denied',
    'budget_raised',
    'budget_renewed',
    'budget_stopped',
    'budget_set',
    'budget_removed',
    'rule_added',
    'rule_removed',
    'project_created',
    'project_removed',
    'price_set',
    'price_removed',
    'trust_given',
    'trust_refused',
    'trust_removed',
    'key_created',
    'key_revoked',
    'signed_in',
    'sign_in_failed',
    'signed_out',
    'pairing_created',
    'browser_renamed',
    'browser_revoked',
    'passkey_added',
    'passkey_removed',
    'setting_changed',
    'loop_started',
    'loop_paused',
    'loop_resumed',
    'loop_changed',
    'loop_stopped',
  ])
  .describe('What was done.')

export const auditEntry = z
  .strictObject({
    id: z
      .number()
      .int()
      .positive()
      .describe('Number of the entry. Later entries have higher ones.'),
    at: z.number().int().describe('When it was done, in milliseconds since 1970.'),
    action: auditAction,
    by: z.string().describe('Name of the key, browser or program that did it.'),
    actorKind,
    actorId: z.string().describe('Id of the key or browser that did it.'),
    address: z.string().optional().describe('Network address that the request came from.'),
    sessionId: z.string().optional().describe('Id of the session that it was done to.'),
    projectId: z.string().optional().describe('Id of the project that it was done to.'),
    node: z.string().optional().describe('Node where it was done. Absent without a cluster.'),
    detail: z
      .string()
      .max(500)
      .optional()
      .describe('What exactly: the beginning of a prompt, the tool of an approval, a name.'),
  })
  .describe('One action in the audit: who did what, and when.')
