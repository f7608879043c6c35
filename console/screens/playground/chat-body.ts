import type { ChatRequest } from '../../../src/contract/chat.ts'
import type { RunFacts } from './use-runs.ts'

/** What every message of the conversation is sent with. */
export type ChatSettings = { system: string; temperature: string; maxTokens: string; tools: string }

export const NO_SETTINGS: ChatSettings = { system: '', temperature: '', maxTokens: '', tools: '' }

/** The text is empty where only results of tools are sent. */
export type Prompt = { text: string; image: string | undefined }

/** What one model has answered so far. */
export type Answer = RunFacts & { model: string; text: string; calls: readonly ToolCall[] }

export function newAnswer(model: string): Answer {
  return { model, text: '', calls: [], state: 'running' }
}

/** `result` is what the person says in the place of the tool. */
export type ToolCall = { id: string; name: string; arguments: string; result?: string }

/** A message of the person, and the answer of each model, in the order of the columns. */
export type Turn = { prompt: Prompt; answers: readonly Answer[] }

/** Throws an error for the person if the tools are not JSON. */
export function bodyFor(model: string, settings: ChatSettings, history: readonly Turn[], column: number): ChatRequest {
  const { system, temperature, maxTokens } = settings
  const past = history.flatMap(({ prompt, answers }) => messagesOf(prompt, answerTo(model, answers, column)))
  return {
    model,
    messages: [...(system === '' ? [] : [{ role: 'system' as const, content: system }]), ...past],
    ...(temperature !== '' && { temperature: Number(temperature) }),
    ...(maxTokens !== '' && { max_tokens: Number(maxTokens) }),
    ...toolsIn(settings),
    stream: true,
    stream_options: { include_usage: true },
  } as ChatRequest
}

/** A model keeps its answers when its column moves. One that takes the place of another goes on with the other's answers. */
function answerTo(model: string, answers: readonly Answer[], column: number): Answer | undefined {
  const here = answers[column]
  return here?.model === model ? here : (answers.find((one) => one.model === model) ?? here)
}

/** A message that this model has not answered is asked again only if it is the newest one. */
function messagesOf(prompt: Prompt, answer: Answer | undefined): object[] {
  if (!answer) return []
  const asked = prompt.text === '' && !prompt.image ? [] : [{ role: 'user', content: contentOf(prompt) }]
  if (answer.state === 'running') return asked
  if (answer.calls.length > 0) return [...asked, ...toolMessages(answer)]
  return answer.text === '' ? [] : [...asked, { role: 'assistant', content: answer.text }]
}

/** Models want a result for every call. */
function toolMessages({ text, calls }: Answer): object[] {
  const tool_calls = calls.map(({ id, name, arguments: written }) => {
    return { id, type: 'function', function: { name, arguments: written } }
  })
  const results = calls.map(({ id, result = '' }) => ({ role: 'tool', tool_call_id: id, content: result }))
  return [{ role: 'assistant', content: text === '' ? null : text, tool_calls }, ...results]
}

function contentOf({ text, image }: Prompt): unknown {
  if (image === undefined) return text
  const words = text === '' ? [] : [{ type: 'text', text }]
  return [...words, { type: 'image_url', image_url: { url: image } }]
}

function toolsIn({ tools }: ChatSettings): object {
  if (tools.trim() === '') return {}
  try {
    const parsed: unknown = JSON.parse(tools)
    if (Array.isArray(parsed)) return { tools: parsed }
  } catch {
    // Said below, as for JSON that is no list.
  }
  throw new Error('Tools: write a JSON list, as the field tools of the API takes it.')
}
