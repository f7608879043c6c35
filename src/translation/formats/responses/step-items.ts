import type { ServerStep } from '../server-step.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'
import type { ItemKind, OutputItem } from './output-item.ts'
import { isNativeItem } from './item-ids.ts'
import { writeJson } from '../../json/written-numbers.ts'

// What a provider did by itself, as items of this format.

const KINDS: Readonly<Record<ServerStep['kind'], ItemKind>> = {
  search: 'ws',
  fetch: 'ws',
  code: 'ci',
  mcp: 'mcp',
  'mcp tools': 'mcpl',
  approval: 'mcpr',
}

export function kindOfStep({ kind }: ServerStep): ItemKind {
  return KINDS[kind]
}

export function stepItem(id: string, step: ServerStep): OutputItem {
  const { kind, name, mcpServer, input, output = null, isError, tools } = step
  const status = isError ? 'failed' : output === null ? 'incomplete' : 'completed'
  if (kind === 'search' || kind === 'fetch') return { type: 'web_search_call', id, status, action: actionOf(step) }
  if (kind === 'code') return codeItem(id, step, status)
  if (kind === 'mcp tools') return { type: 'mcp_list_tools', id, server_label: mcpServer, tools }
  const called = { name, server_label: mcpServer, arguments: writeJson(input) }
  if (kind === 'approval') return { type: 'mcp_approval_request', id, ...called }
  const result = isError ? { output: null, error: output } : { output, error: null }
  return { type: 'mcp_call', id, status, ...called, ...result }
}

function actionOf({ kind, input, sources }: ServerStep): Fields {
  if (kind === 'fetch') return { type: 'open_page', url: textOf(input.url) || sources[0]?.url || null }
  const query = textOf(input.query) || textOf(input.q)
  const queries = query ? [query] : Array.isArray(input.queries) ? input.queries : []
  const found = sources.map(({ url }) => ({ type: 'url', url }))
  return { type: 'search', query: textOf(queries[0]), queries, sources: found }
}

/** Other providers have no address for the files that their code wrote: they are named by their id. */
function codeItem(id: string, { input, output, files }: ServerStep, status: string): OutputItem {
  const code = textOf(input.code) || textOf(input.command) || JSON.stringify(input)
  const logs = output ? [{ type: 'logs', logs: output }] : []
  const written = files.map((file_id) => ({ type: 'image', url: '', file_id }))
  return { type: 'code_interpreter_call', id, status, code, container_id: '', outputs: [...logs, ...written] }
}

/** A call of a tool of the gateway that waits for the caller, or the caller's answer. */
export function isOurApproval({ type, id, approval_request_id }: Fields): boolean {
  if (type === 'mcp_approval_request') return !isNativeItem({ id })
  return type === 'mcp_approval_response' && !isNativeItem({ id: approval_request_id })
}

/** Items of this kind that the gateway wrote: what they say comes back in the encrypted content beside them. */
export function isOurStep({ type, id }: Fields): boolean {
  return STEP_ITEMS.has(textOf(type)) && /^(ws|ci|mcp|mcpl)_[0-9a-f]{32}_\d+$/.test(textOf(id))
}

const STEP_ITEMS: ReadonlySet<string> = new Set([
  ...['web_search_call', 'code_interpreter_call', 'mcp_call', 'mcp_list_tools'],
])
