import type { AuditEntry } from '../../../src/events/types.ts'

/** What each action of the audit is called. */
export const actionNames: Record<AuditEntry['action'], string> = {
  session_created: 'Created a session',
  session_renamed: 'Renamed a session',
  session_pinned: 'Pinned a session',
  session_unpinned: 'Unpinned a session',
  session_removed: 'Removed a session',
  session_restored: 'Restored a session',
  session_deleted: 'Deleted a session for good',
  prompt: 'Sent a prompt',
  steer: 'Steered',
  follow_up: 'Queued a message',
  abort: 'Stopped the run',
  compact: 'Compacted the conversation',
  model_changed: 'Changed the model',
  thinking_changed: 'Changed the thinking level',
  approval_allowed: 'Allowed',
  approval_denied: 'Denied',
  rule_added: 'Added a rule',
  rule_removed: 'Removed a rule',
  project_created: 'Created a project',
  project_removed: 'Removed a project',
  trust_given: 'Trusted a directory',
  trust_refused: 'Did not trust a directory',
  trust_removed: 'Withdrew the trust in a directory',
  key_created: 'Created an API key',
  key_revoked: 'Revoked an API key',
  signed_in: 'Signed in',
  sign_in_failed: 'Failed to sign in',
  signed_out: 'Signed out',
  pairing_created: 'Made a pairing link',
  browser_renamed: 'Renamed a browser',
  browser_revoked: 'Signed a browser out',
  passkey_added: 'Added a passkey',
  passkey_removed: 'Removed a passkey',
  setting_changed: 'Changed a setting',
}

export const isAuditAction = (text: string): text is AuditEntry['action'] =>
  Object.hasOwn(actionNames, text)
