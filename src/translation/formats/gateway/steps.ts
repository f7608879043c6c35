import type { GatewayCall } from '../../../contract/provider-content.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { newStep, type ReadBlock, type StepKind } from '../server-step.ts'

// What the gateway did by itself while a model answered: calls of its tools, as blocks of a `provider_content` whose type is
// `gatehouse`. They are the transcript of the answer, so that a later request can tell its model what was called and found.

export const GATEWAY_MAKER = 'gatehouse'

export type CallBlock = Fields & GatewayCall & { kind: StepKind }

const KINDS: ReadonlySet<unknown> = new Set<StepKind>(['search', 'fetch', 'mcp'])

export const readGateway: ReadBlock = (block) => {
  const { type, kind, name, server, input, output, is_error, sources, tools } = block
  const mcpServer = textOf(server)
  if (type === 'mcp_tools') return [newStep('mcp tools', { mcpServer, tools: recordsIn(tools) })]
  const called = { name: textOf(name), mcpServer, input: recordOf(input) }
  if (type === 'approval_request') return [newStep('approval', called)]
  if (type !== 'tool_call' || !isStepKind(kind)) return []
  const found = recordsIn(sources).map(({ url, title }) => ({ url: textOf(url), title: textOf(title) }))
  return [newStep(kind, { ...called, output: textOf(output), isError: is_error === true, sources: found })]
}

function isStepKind(kind: unknown): kind is StepKind {
  return KINDS.has(kind)
}
