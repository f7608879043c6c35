import type { EmbeddingsRequest, EmbeddingsReply } from '../contract/embeddings.ts'
import type { Usage } from '../contract/chat-reply.ts'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import { tryParse } from '../json/try-parse.ts'
import { readText } from '../net/read-text.ts'
import { costOf, toTokens } from './account.ts'
import { type Call, closeCall, failCall } from './call.ts'
import { simulatedEmbeddings } from './embeddings-simulated.ts'
import { type Answered, forward } from './forward.ts'
import type { Outside } from './outside.ts'
import { spend } from './task-spending.ts'

const MAX_ANSWER_BYTES = 256 * 1024 * 1024
const CHARS_PER_TOKEN = 4

export async function embed(body: EmbeddingsRequest, call: Call, outside: Outside): Promise<EmbeddingsReply> {
  try {
    return present(await forward(questionOf(body), call, outside).then(read), body, call)
  } catch (error) {
    throw failCall(call, error)
  } finally {
    closeCall(call, outside)
  }
}

function questionOf(body: EmbeddingsRequest) {
  const { extra_headers, metadata: _, ...fields } = body
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
  return {
    model: body.model,
    kinds: ['embedding'] as const,
    endpoint: 'embeddings',
    path: '/embeddings',
    headers: extra_headers,
    payload: (model: string) => ({ type: 'application/json', body: JSON.stringify({ ...given, model }) }),
    simulate: () => ({ type: 'application/json', body: JSON.stringify(simulatedEmbeddings(body)) }),
  }
}

type Wire = Record<string, unknown> & { data: EmbeddingsReply['data']; usage?: Partial<Usage> }
type Embedded = Pick<Answered, 'target'> & { wire: Wire }

async function read({ target, response }: Answered): Promise<Embedded> {
  const wire = tryParse(await readText(response.body, MAX_ANSWER_BYTES)) as Wire | undefined
  if (!Array.isArray(wire?.data)) throw new UpstreamProblem('garbage', 'the provider answered with no embeddings')
  return { target, wire }
}

function present({ target, wire }: Embedded, body: EmbeddingsRequest, call: Call): EmbeddingsReply {
  const counted = wire.usage?.prompt_tokens ?? wire.usage?.total_tokens
  const prompt_tokens = counted ?? Math.ceil(JSON.stringify(body.input).length / CHARS_PER_TOKEN)
  const tokens = toTokens({ prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens })
  call.estimated = counted === undefined
  spend(call, costOf(tokens, target.entry?.price), tokens)
  const encode = body.encoding_format === 'base64' ? toBase64 : toNumbers
  return {
    ...wire,
    object: 'list',
    data: wire.data.map((one) => ({ ...one, embedding: encode(one.embedding) })),
    model: target.id,
    usage: { prompt_tokens, total_tokens: prompt_tokens, ...wire.usage },
    cost: call.estimated ? null : call.cost,
    provider: target.provider.id,
  }
}

/** Some providers do not know the one form, some not the other: the caller gets what was asked for. */
function toBase64(embedding: string | number[]): string {
  if (typeof embedding === 'string') return embedding
  return Buffer.from(Float32Array.from(embedding).buffer).toString('base64')
}

function toNumbers(embedding: string | number[]): number[] {
  if (typeof embedding !== 'string') return embedding
  const bytes = Uint8Array.from(Buffer.from(embedding, 'base64'))
  return [...new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4))]
}
