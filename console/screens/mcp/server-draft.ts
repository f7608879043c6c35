import type {
  ChangeMcpServerRequest,
  CreateMcpServerRequest,
  McpServerBody,
} from '../../../src/contract/admin/mcp-servers.ts'
import { wordsIn } from '../../parts/fields.tsx'

/** What the person has typed so far. An empty credential stays as it is. */
export type ServerDraft = {
  name: string
  url: string
  credential: string
  header: string
  allow: string
  deny: string
  appliesTo: readonly string[]
  price: string
  timeout: string
}

export const EMPTY_SERVER: ServerDraft = {
  name: '',
  url: '',
  credential: '',
  header: '',
  allow: '',
  deny: '',
  appliesTo: ['all'],
  price: '0',
  timeout: '60',
}

export function draftOf({
  name,
  url,
  header,
  tools,
  applies_to,
  price_per_call,
  timeout_seconds,
}: McpServerBody): ServerDraft {
  return {
    name,
    url,
    credential: '',
    header: header ?? '',
    allow: tools.allow?.join(' ') ?? '',
    deny: tools.deny.join(' '),
    appliesTo: applies_to,
    price: String(price_per_call),
    timeout: String(timeout_seconds),
  }
}

/** Null where there is nothing. */
export function changesOf(draft: ServerDraft): ChangeMcpServerRequest {
  if (draft.appliesTo.length === 0) throw new Error('Choose who may use the server.')
  const [allow, deny] = [wordsIn(draft.allow), wordsIn(draft.deny)]
  const tools = { ...(allow.length > 0 && { allow }), ...(deny.length > 0 && { deny }) }
  return {
    url: draft.url.trim(),
    ...(draft.credential !== '' && { credential: draft.credential }),
    header: draft.header.trim() || null,
    tools: Object.keys(tools).length > 0 ? tools : null,
    applies_to: [...draft.appliesTo],
    price_per_call: draft.price === '' ? null : Number(draft.price),
    timeout_seconds: draft.timeout === '' ? null : Number(draft.timeout),
  }
}

export function requestOf(draft: ServerDraft): CreateMcpServerRequest {
  return { name: draft.name.trim(), ...changesOf(draft), url: draft.url.trim() }
}
