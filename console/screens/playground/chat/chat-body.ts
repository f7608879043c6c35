import type { GatewayCall, ProviderContent } from '../../../../src/contract/provider-content.ts'
import type { RunFacts } from '../run/run-state.ts'
import { type ServerField, serversField, type Tool, type ToolField, toolsField } from './tool-draft.ts'

/** What every message of the conversation is sent with. `servers`: MCP servers, by their names. */
export type ChatSettings = {
  system: string
  temperature: string
  maxTokens: string
  tools: readonly Tool[]
  servers: readonly string[]
}

export const NO_SETTINGS: ChatSettings = { system: '', temperature: '', maxTokens: '', tools: [], servers: [] }

/** Without a text and images where only results of tools are sent. */
export type Prompt = { text: string; images: readonly string[] }

/** What one model has answered so far. `steps`: what the gateway did for it, at the end of the answer. */
export type Answer = RunFacts & {
  model: string
  text: string
  reasoning: string
  calls: readonly ToolCall[]
  steps?: ProviderContent
}

export function newAnswer(model: string): Answer {
  return { model, text: '', reasoning: '', calls: [], state: 'running' }
}

/** `result` is what the person says in the place of the tool. */
export type ToolCall = { id: string; name: string; arguments: string; result?: string }

/** The tools that the gateway has called for an answer. */
export function callsMade({ steps }: Answer): GatewayCall[] {
  const isCall = (block: object): block is GatewayCall => 'type' in block && block.type === 'tool_call'
  return steps?.blocks.filter(isCall) ?? []
}

/** A message of the person, and the answer of each model, in the order of the columns. */
export type Turn = { id: number; prompt: Prompt; answers: readonly Answer[] }

export function isEmptyPrompt({ text, images }: Prompt): boolean {
  return text.trim() === '' && images.length === 0
}

type Part = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } }
type SentCall = { id: string; type: 'function'; function: { name: string; arguments: string } }
export type Message =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | Part[] }
  | { role: 'assistant'; content: string | null; tool_calls?: SentCall[]; provider_content?: ProviderContent }
  | { role: 'tool'; tool_call_id: string; content: string }

/** What the playground sends, in the format of chat completions. */
export type ChatBody = {
  model: string
  messages: Message[]
  temperature?: number
  max_tokens?: number
  tools?: (ToolField | ServerField)[]
  stream: true
  stream_options: { include_usage: true }
}

export function bodyFor(model: string, settings: ChatSettings, history: readonly Turn[], column: number): ChatBody {
  const { system, temperature, maxTokens } = settings
  const tools = [...toolsField(settings.tools), ...serversField(settings.servers)]
  const past = history.flatMap(({ prompt, answers }) => messagesOf(prompt, answerTo(model, answers, column)))
  return {
    model,
    messages: [...(system === '' ? [] : [{ role: 'system' as const, content: system }]), ...past],
    ...(temperature !== '' && { temperature: Number(temperature) }),
    ...(maxTokens !== '' && { max_tokens: Number(maxTokens) }),
    ...(tools.length > 0 && { tools }),
    stream: true,
    stream_options: { include_usage: true },
  }
}

/** A model keeps its answers when its column moves. One that takes the place of another goes on with the other's answers. */
function answerTo(model: string, answers: readonly Answer[], column: number): Answer | undefined {
  const here = answers[column]
  return here?.model === model ? here : (answers.find((one) => one.model === model) ?? here)
}

/** A message that this model has not answered is asked again only if it is the newest one. */
function messagesOf(prompt: Prompt, answer: Answer | undefined): Message[] {
  if (!answer) return []
  const asked: Message[] = isEmptyPrompt(prompt) ? [] : [{ role: 'user', content: contentOf(prompt) }]
  if (answer.state === 'running') return asked
  if (answer.calls.length > 0) return [...asked, ...toolMessages(answer)]
  return answer.text === '' ? [] : [...asked, { role: 'assistant', content: answer.text, ...stepsOf(answer) }]
}

/** Models want a result for every call. */
function toolMessages(answer: Answer): Message[] {
  const { text, calls } = answer
  const tool_calls = calls.map(({ id, name, arguments: written }): SentCall => {
    return { id, type: 'function', function: { name, arguments: written } }
  })
  const results = calls.map(({ id, result = '' }): Message => ({ role: 'tool', tool_call_id: id, content: result }))
  return [{ role: 'assistant', content: text === '' ? null : text, tool_calls, ...stepsOf(answer) }, ...results]
}

/** Sent back, so that the model knows what was called and found. */
function stepsOf({ steps }: Answer): { provider_content?: ProviderContent } {
  return steps ? { provider_content: steps } : {}
}

function contentOf({ text, images }: Prompt): string | Part[] {
  if (images.length === 0) return text
  const words: Part[] = text === '' ? [] : [{ type: 'text', text }]
  return [...words, ...images.map((url): Part => ({ type: 'image_url', image_url: { url } }))]
}
