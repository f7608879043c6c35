import type { Transcription, TranscriptionFields } from '../contract/audio.ts'
import type { Usage } from '../contract/chat-reply.ts'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import { formPayload } from '../features/calls/payload.ts'
import type { TaskFile } from '../features/feature.ts'
import { tryParse } from '../json/try-parse.ts'
import { readText } from '../net/read-text.ts'
import { costOf, toTokens } from './account.ts'
import { type Call, closeCall, failCall } from './call.ts'
import { openReferences } from './file-references.ts'
import { type Answered, forward } from './forward.ts'
import type { Outside } from './outside.ts'
import { spend } from './task-spending.ts'
import { simulatedTranscript } from './transcriptions-simulated.ts'

const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** The recording itself, or where it is: an upload of the caller's, or an address. */
export type Recording = TaskFile | { reference: string; field: 'file_id' | 'file_url' }

/** JSON with what it cost, or the text as the provider wrote it. */
export type Transcript = { json: Transcription } | { text: string; type: string }

export async function transcribe(
  fields: TranscriptionFields,
  recording: Recording,
  call: Call,
  outside: Outside,
): Promise<Transcript> {
  try {
    const file = 'reference' in recording ? await open(recording, call, outside) : recording
    return await present(await forward(questionOf(fields, file), call, outside), call)
  } catch (error) {
    throw failCall(call, error)
  } finally {
    closeCall(call, outside)
  }
}

type Named = Extract<Recording, { reference: string }>

async function open({ reference, field }: Named, { caller, signal }: Call, outside: Outside) {
  const asking = { owner: caller.owner, signal }
  const [file] = await openReferences([{ reference, loc: ['body', field] }], asking, outside)
  return file!
}

function questionOf(fields: TranscriptionFields, file: TaskFile) {
  const { file_id: _, file_url: __, stream: ___, ...given } = fields as TranscriptionFields & Record<string, unknown>
  return {
    model: fields.model,
    kinds: ['transcription'] as const,
    endpoint: 'audio/transcriptions',
    path: '/audio/transcriptions',
    payload: (model: string) => formPayload({ ...given, model }, [{ field: 'file', file }]),
    simulate: () => simulatedTranscript(fields, file),
  }
}

async function present({ target, response }: Answered, call: Call): Promise<Transcript> {
  const type = String(response.headers['content-type'] ?? 'text/plain; charset=utf-8')
  const text = await readText(response.body, MAX_ANSWER_BYTES)
  const value = /json/i.test(type) ? tryParse(text) : undefined
  if (typeof value !== 'object' || value === null) {
    if (/json/i.test(type)) throw new UpstreamProblem('garbage', 'the provider answered with no transcript')
    // A bare text does not say how long the recording was.
    spend(call, target.provider.id === 'sandbox' ? 0 : null)
    return { text, type }
  }
  settle(value, { target }, call)
  return { json: { ...(value as Transcription), cost: call.cost, provider: target.provider.id } }
}

type Told = {
  duration?: number
  usage?: { seconds?: number; input_tokens?: number; output_tokens?: number; input_token_details?: object }
}

/** By tokens or by seconds, as the provider counts. */
function settle({ usage, duration }: Told, { target }: Pick<Answered, 'target'>, call: Call): void {
  const { price, per } = target.entry ?? {}
  if (usage?.input_tokens !== undefined) {
    const tokens = toTokens(usageOf(usage))
    return spend(call, costOf(tokens, price), tokens)
  }
  const seconds = usage?.seconds ?? duration
  const isFree = target.provider.id === 'sandbox'
  spend(call, isFree ? 0 : per?.second === undefined || seconds === undefined ? null : per.second * Number(seconds))
}

function usageOf({ input_tokens = 0, output_tokens = 0, input_token_details }: NonNullable<Told['usage']>): Usage {
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    ...(input_token_details && { prompt_tokens_details: input_token_details }),
  }
}
