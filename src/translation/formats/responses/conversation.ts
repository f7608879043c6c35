import type { ContentPart, Message } from '../../../contract/chat.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'
import { packContent, unpackContent } from '../../dialects/packed-content.ts'
import { isSealed, unseal } from '../sealed-reasoning.ts'
import { contentParts, plainest, textIn } from './content-parts.ts'
import type { FlatNames } from './namespaces.ts'
import { reasoningDetails } from './reasoning-details.ts'
import { isOurApproval, isOurStep } from './step-items.ts'
import { mcpFunctionName } from '../gateway/function-name.ts'

type Assistant = Message & { tool_calls?: Fields[]; reasoning_details?: Fields[]; provider_content?: unknown }

/** Turns input items into messages. Calls and reasoning belong to the assistant message before them. */
export class Conversation {
  readonly messages: Message[] = []
  /** Types of items that a chat cannot express. */
  readonly untranslatable: string[] = []
  readonly #providers: readonly string[]
  readonly #names: FlatNames
  #pendingReasoning: Fields[] = []
  /** Tool results other than text. They follow when all tools have answered. */
  #toolMedia: ContentPart[] = []

  constructor(providers: readonly string[], names: FlatNames) {
    this.#providers = providers
    this.#names = names
  }

  add(item: Fields): void {
    const { type = 'message' } = item
    if (type === 'message') return this.#message(item)
    const name = this.#names.flat(item)
    if (type === 'function_call') return this.#call(item, { name, arguments: textOf(item.arguments) })
    if (type === 'custom_tool_call') return this.#call(item, undefined, { name, input: textOf(item.input) })
    if (type === 'function_call_output' || type === 'custom_tool_call_output') return this.#result(item)
    if (type === 'reasoning') this.#reasoning([...unseal(item.encrypted_content, this.#providers), ...ownDetails(item)])
    else if (isOurApproval(item)) this.#approval(item)
    else if (!IGNORED_ITEMS.has(type) && !isOurStep(item)) this.untranslatable.push(textOf(type))
  }

  end(): void {
    if (this.#toolMedia.length === 0) return
    this.messages.push({ role: 'user', content: this.#toolMedia })
    this.#toolMedia = []
  }

  #message({ role, content }: Fields): void {
    this.end()
    const parts = contentParts(content)
    if (role === 'assistant') return void this.messages.push(this.#withReasoning({ role, content: textIn(parts) }))
    // Reasoning that led to nothing does not belong to the next answer.
    this.#pendingReasoning = []
    this.messages.push({ role: role === 'user' ? role : 'system', content: plainest(parts) })
  }

  #call({ call_id, id }: Fields, called: Fields | undefined, custom?: Fields): void {
    const kind = custom ? { type: 'custom', custom } : { type: 'function', function: called }
    const call = { id: textOf(call_id ?? id), ...kind }
    this.#currentCalls().push(call)
  }

  /** The calls of the current assistant message. */
  #currentCalls(): Fields[] {
    const last = this.messages.at(-1) as Assistant | undefined
    if (last?.role === 'assistant' && this.#pendingReasoning.length === 0) {
      last.tool_calls ??= []
      return last.tool_calls
    }
    const made: Assistant = { role: 'assistant', content: null, tool_calls: [] }
    this.end()
    this.messages.push(this.#withReasoning(made))
    return made.tool_calls!
  }

  /** Reasoning precedes the content that it led to, or ends the same turn. */
  #reasoning(details: Fields[]): void {
    const last = this.messages.at(-1) as Assistant | undefined
    if (details.length > 0 && last?.role === 'assistant' && packContent(last).length === 0)
      Object.assign(last, unpackContent(details))
    else this.#pendingReasoning.push(...details)
  }

  /**
   * A call of a tool of the gateway that waited for the caller, and what the caller said. If it was approved, the gateway makes the
   * call and puts its result in the place of these words.
   */
  #approval(item: Fields): void {
    const { type, id, name, server_label, approval_request_id, approve, reason } = item
    if (type === 'mcp_approval_request') {
      const called = { name: mcpFunctionName(textOf(server_label), textOf(name)), arguments: textOf(item.arguments) }
      return this.#call({ call_id: id }, called)
    }
    const because = textOf(reason) && `: ${textOf(reason)}`
    const content = approve === true ? NOT_MADE : `The user did not approve the call${because}.`
    this.messages.push({ role: 'tool', tool_call_id: textOf(approval_request_id), content })
  }

  #result({ call_id, output }: Fields): void {
    const parts = contentParts(output)
    const media = parts.filter(({ type }) => type !== 'text')
    const content = textIn(parts) || (media.length > 0 ? 'The result follows.' : '')
    this.messages.push({ role: 'tool', tool_call_id: textOf(call_id), content })
    if (media.length > 0)
      this.#toolMedia.push({ type: 'text', text: `Result of the tool call ${textOf(call_id)}:` }, ...media)
  }

  #withReasoning(message: Assistant): Assistant {
    return Object.assign(message, unpackContent(this.#pendingReasoning.splice(0)))
  }
}

/** What stays there if the request does not offer the tool any more. */
const NOT_MADE = 'The user approved the call, but it was not made: the tool is not there any more.'

/** Reasoning that a provider of this format encrypted, and the gateway has not sealed. Dialects other than its own ignore it. */
function ownDetails(item: Fields): Fields[] {
  return isSealed(item.encrypted_content) ? [] : reasoningDetails(item)
}

/** Items about what a provider did by itself in an earlier turn. The provider's answer already contains the outcome. */
export const IGNORED_ITEMS: ReadonlySet<unknown> = new Set([
  ...['web_search_call', 'file_search_call', 'code_interpreter_call', 'image_generation_call'],
  ...['mcp_list_tools', 'mcp_call', 'compaction', 'item_reference'],
])
