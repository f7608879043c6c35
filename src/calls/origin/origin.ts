import { type Fields, isRecord } from '../../base/schema/record.ts'
import { stringTooLong } from '../../base/schema/issue-messages.ts'
import { withoutControls } from '../../base/schema/label.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import { clientIn } from './client-programs.ts'
import { claudeCodeUser } from './claude-code-user.ts'

// Which program asks, and in which of its sessions. Callers say it themselves, so it is data: it names no object and no path, and
// limits count it only together with the key.

/** All null if the request says nothing. */
export type Origin = {
  /** A conversation with an agent, or one run of it. */
  readonly session: string | null
  /** An agent inside of the session, and the one that started it. */
  readonly agent: string | null
  readonly parentAgent: string | null
  /** The program, such as `claude-code`. */
  readonly client: string | null
}

export const NO_ORIGIN: Origin = { session: null, agent: null, parentAgent: null, client: null }

export const MAX_SESSION_CHARS = 256

const SESSION_HEADER = 'x-session-id'

/** Headers in which agents name their session: Claude Code, opencode, Codex, Qwen Code and others. */
const SESSION_HEADERS = [
  ...['x-claude-code-session-id', 'x-session-affinity', 'x-opencode-session', 'session-id', 'session_id'],
  ...['conversation_id', 'conversation-id', 'x-conversation-id', 'thread-id', 'x-qwen-code-session-id'],
  ...['x-litellm-session-id', 'helicone-session-id'],
] as const
const AGENT_HEADERS = ['x-claude-code-agent-id', 'x-openai-subagent'] as const
const PARENT_HEADERS = [
  ...['x-claude-code-parent-agent-id', 'x-codex-parent-thread-id', 'x-parent-session-id'],
] as const

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Reads what is there already: the headers, and the body as far as it was parsed. */
export function originOf(headers: Headers, body: unknown): Origin {
  return {
    session: sessionIn(headers, isRecord(body) ? body : {}),
    agent: firstOf(headers, AGENT_HEADERS),
    parentAgent: firstOf(headers, PARENT_HEADERS),
    client: clientIn(headers),
  }
}

/** The two names that are meant for the gateway come first, and are refused if they are too long. All others are skipped then. */
function sessionIn(headers: Headers, body: Fields): string | null {
  return (
    demandedId(body.session_id, ['body', 'session_id']) ??
    demandedId(headers[SESSION_HEADER], ['header', SESSION_HEADER]) ??
    firstOf(headers, SESSION_HEADERS) ??
    sessionInMetadata(body.metadata) ??
    idIn(body.prompt_cache_key)
  )
}

function demandedId(value: unknown, loc: string[]): string | null {
  if (typeof value === 'string' && value.length > MAX_SESSION_CHARS)
    throw validationProblemOf([stringTooLong(loc, MAX_SESSION_CHARS)])
  return idIn(value)
}

function sessionInMetadata(metadata: unknown): string | null {
  if (!isRecord(metadata)) return null
  return idIn(metadata.session_id) ?? idIn(claudeCodeUser(metadata.user_id)?.session)
}

function firstOf(headers: Headers, names: readonly string[]): string | null {
  for (const name of names) {
    const id = idIn(headers[name])
    if (id !== null) return id
  }
  return null
}

function idIn(value: unknown): string | null {
  if (typeof value !== 'string' || value === '' || value.length > MAX_SESSION_CHARS) return null
  return withoutControls(value)
}
