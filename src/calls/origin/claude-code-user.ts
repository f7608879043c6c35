import { isRecord, textOf } from '../../base/schema/record.ts'
import { tryParse } from '../../translation/json/try-parse.ts'

/** More than Claude Code writes. */
const MAX_CHARS = 1_000
const SESSION = '_session_'

/**
 * Claude Code writes more than a user into `metadata.user_id`: `user_…_account_…_session_…`, and later versions a JSON object.
 * Undefined for the ids of other programs.
 */
export function claudeCodeUser(userId: unknown): { user: string; session: string } | undefined {
  if (typeof userId !== 'string' || userId.length > MAX_CHARS) return undefined
  if (userId.startsWith('{')) return fromJson(userId)
  const at = userId.startsWith('user_') ? userId.lastIndexOf(SESSION) : -1
  return at < 0 ? undefined : { user: userId.slice(0, at), session: userId.slice(at + SESSION.length) }
}

function fromJson(text: string): { user: string; session: string } | undefined {
  const value = tryParse(text)
  if (!isRecord(value) || typeof value.session_id !== 'string') return undefined
  return { user: textOf(value.account_uuid) || textOf(value.device_id), session: value.session_id }
}
