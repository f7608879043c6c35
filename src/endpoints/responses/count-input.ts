import type { CallServices } from '../../calls/services/call-services.ts'
import type { Call } from '../../calls/call.ts'
import type { InputTokensRequest } from '../../contract/responses/input-tokens.ts'
import { Notes } from '../../translation/dialects/notes.ts'
import { ownBody } from '../../translation/formats/responses/own-body.ts'
import { toCount } from '../../translation/formats/responses/stored/to-count.ts'
import type { Fields } from '../../base/schema/record.ts'
import { countTokens } from '../tokens/count-tokens.ts'
import { containerOwner } from '../../calls/upstream/containers/container-owner.ts'
import { ownItems } from '../../calls/upstream/containers/owned-items.ts'
import type { Count } from '../tokens/token-cache.ts'

const COUNTED = [
  ...['instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text', 'truncation'],
] as const

/** Counts the tokens of a request and of everything before it. OpenAI counts all of it for its own models. */
export async function countInput(
  body: InputTokensRequest,
  items: readonly Fields[],
  call: Call,
  services: CallServices,
): Promise<Count> {
  const request = toCount(body, items)
  const fields = Object.fromEntries(Object.entries(body).filter(([name, value]) => isCounted(name) && value != null))
  const own = ownItems(items, containerOwner({ call, services }))
  const responses = (provider: string) => ownBody({ ...fields, input: own.items }, provider, new Notes())
  const text = JSON.stringify({ ...request, counted: fields })
  return await countTokens({ request, text, responses }, call, services)
}

function isCounted(name: string): boolean {
  return (COUNTED as readonly string[]).includes(name)
}
