import { eventFrame, exceptionFrame } from '../aws-frames.ts'
import type { ServerKeys } from '../s3-signature.ts'
import { bedrockRefusal } from './bedrock-signature.ts'
import {
  type Answer,
  bytesIn,
  COUNTS,
  demand,
  type Fields,
  type ReceivedRequest,
  onlyKnown,
  pieces,
  SEAL,
  alternatesRoles,
  type Wire,
} from './wire.ts'

type Block = {
  text?: string
  image?: { format: string; source: { bytes: string } }
  toolUse?: { toolUseId: string }
  reasoningContent?: { reasoningText?: { signature?: string } }
  toolResult?: { toolUseId: string; content: { text: string }[] }
}
type Body = Fields & {
  messages: { role: string; content: Block[] }[]
  toolConfig?: { tools: { toolSpec?: { name: string } }[] }
}

const PATH = /^\/model\/([^/]+)\/(converse|converse-stream)$/

export function bedrock(keys: ServerKeys): Wire {
  return {
    hear(request) {
      const [, model, method] = PATH.exec(request.path) ?? []
      if (!model || !method) return undefined
      const refusal = bedrockRefusal(request, keys, new Date())
      demand(!refusal, `${refusal}: the request signature does not match`, 403)
      return received(decodeURIComponent(model), method === 'converse-stream', request.body as Body)
    },
    whole: (answer) => ({
      output: { message: { role: 'assistant', content: blocksOf(answer) } },
      stopReason: stopOf(answer),
      usage: usage(),
      metrics: { latencyMs: 7 },
    }),
    frames,
    failure: (status, message) => ({ message: `${message} (${status})` }),
    tooLong: 'Input is too long for requested model.',
    broken: (message) => exceptionFrame('modelStreamErrorException', message),
    contentType: 'application/vnd.amazon.eventstream',
  }
}

function received(model: string, stream: boolean, body: Body): ReceivedRequest {
  onlyKnown(
    body,
    `messages system toolConfig inferenceConfig additionalModelRequestFields outputConfig serviceTier
    requestMetadata`,
  )
  const { messages, toolConfig, outputConfig, additionalModelRequestFields } = body
  alternatesRoles(
    messages.map(({ role }) => role),
    'assistant',
  )
  const blocks = messages.flatMap(({ content }) => content)
  for (const { text } of blocks) demand(text === undefined || text.trim() !== '', 'text is blank')
  const called = new Set(blocks.map(({ toolUse }) => toolUse?.toolUseId))
  demand(called.size <= 1 || toolConfig, 'toolConfig is needed with toolUse blocks')
  const { thinking } = (additionalModelRequestFields ?? {}) as { thinking?: unknown }
  for (const { content } of messages) if (thinking) checkSeal(content)
  const last = messages.at(-1)!.content
  const results = last.flatMap(({ toolResult }) => toolResult ?? [])
  for (const { toolUseId } of results) demand(called.has(toolUseId), `toolResult without toolUse: ${toolUseId}`)
  return {
    model,
    stream,
    system: ((body.system ?? []) as Block[]).map(({ text }) => text).join(' '),
    text: last.map(({ text }) => text ?? '').join(''),
    images: last.flatMap(({ image }) =>
      image ? { type: `image/${image.format}`, bytes: bytesIn(image.source.bytes) } : [],
    ),
    tools: (toolConfig?.tools ?? []).flatMap(({ toolSpec }) => toolSpec?.name ?? []),
    results: results.map(({ toolUseId, content }) => ({
      id: toolUseId,
      text: content.map(({ text }) => text).join(''),
    })),
    schema: outputConfig,
    thinks: thinking !== undefined,
  }
}

/** Checks that signed reasoning comes before tool calls. */
function checkSeal(content: Block[]): void {
  const isSealed = content[0]?.reasoningContent?.reasoningText?.signature === SEAL
  demand(isSealed || !content.some(({ toolUse }) => toolUse), 'a turn with calls has to start with its thoughts')
}

function blocksOf({ thinking, text, calls }: Answer): Fields[] {
  return [
    ...(thinking ? [{ reasoningContent: { reasoningText: { text: thinking, signature: SEAL } } }] : []),
    ...(text.length > 0 ? [{ text: text.join('') }] : []),
    ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
  ]
}

function frames(answer: Answer): Uint8Array[] {
  const { thinking, text, calls } = answer
  const reasoning = thinking
    ? [[{ reasoningContent: { text: thinking } }, { reasoningContent: { signature: SEAL } }]]
    : []
  const spoken = text.length > 0 ? [text.map((piece) => ({ text: piece }))] : []
  const said = [...reasoning, ...spoken].flatMap((deltas, index) => block(index, undefined, deltas))
  const begun = reasoning.length + spoken.length
  const called = calls.flatMap(({ id, name, input }, at) => {
    const deltas = pieces(input).map((piece) => ({ toolUse: { input: piece } }))
    return block(begun + at, { toolUse: { toolUseId: id, name } }, deltas)
  })
  return [
    eventFrame('messageStart', { role: 'assistant', p: 'abc' }),
    ...said,
    ...called,
    eventFrame('messageStop', { stopReason: stopOf(answer), p: 'a' }),
    eventFrame('metadata', { usage: usage(), metrics: { latencyMs: 7 }, p: 'abcdef' }),
  ]
}

function block(contentBlockIndex: number, start: Fields | undefined, deltas: Fields[]): Uint8Array[] {
  return [
    ...(start ? [eventFrame('contentBlockStart', { contentBlockIndex, start, p: 'ab' })] : []),
    ...deltas.map((delta) => eventFrame('contentBlockDelta', { contentBlockIndex, delta, p: 'abcdefgh' })),
    eventFrame('contentBlockStop', { contentBlockIndex, p: 'ab' }),
  ]
}

function stopOf({ calls }: Answer): string {
  return calls.length > 0 ? 'tool_use' : 'end_turn'
}

function usage(): Fields {
  const { read, cached, written } = COUNTS
  return {
    inputTokens: read - cached,
    outputTokens: written,
    totalTokens: read + written,
    cacheReadInputTokens: cached,
  }
}
