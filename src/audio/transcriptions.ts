import { type Transcription, type TranscriptionFields, TranscriptionRequest } from '../contract/audio.ts'
import type { Usage } from '../contract/chat-reply.ts'
import { isRecord } from '../schema/record.ts'
import type { TaskFile } from '../tasks/feature.ts'
import { readTranscript } from '../formats/transcripts/transcript.ts'
import {
  type JsonFormat,
  type TextFormat,
  writeEvents,
  writeJson,
  writeText,
} from '../formats/transcripts/write-transcript.ts'
import { toTokens } from '../billing/token-buckets.ts'
import { costOfWork } from '../billing/work-price.ts'
import { type Call, failCall, knownCost } from '../calls/call.ts'
import { closeCall } from '../calls/close-call.ts'
import { isCustomized } from '../upstream/customized.ts'
import { isFailure, toProblem } from '../attempts/failures.ts'
import { fileAccessOf, openReferences } from '../file-inputs/file-references.ts'
import { completed } from '../routing/alias-defaults.ts'
import { type TargetReply, forward, type ForwardedRequest } from '../upstream/forward.ts'
import {
  type Begun,
  endBegun,
  type TranscriptionResult,
  transcribeAsTask,
  transcribeByWire,
  listenerOf,
  type Wanted,
} from './transcribe.ts'
import { mostSeconds } from '../blobs/sniff/recording-length.ts'
import { getUpload } from '../files/files.ts'
import { TempFiles } from '../files/temp-files.ts'
import { isResourceId } from '../schema/resource-id.ts'
import { billOfWorst, once, payForLeft } from '../calls/pay-if-left.ts'
import { slotForLarge } from '../calls/large-work.ts'
import type { AppContext } from '../app/context.ts'
import { refuseDestinations } from '../upstream/provider-params.ts'
import type { ChatTarget } from '../routing/route.ts'
import { spend } from '../calls/spend.ts'
import { priceOfSecond, transcriptionWorstCase } from './audio-worst-case.ts'
import { simulatedTranscript } from './transcriptions-simulated.ts'
import { lastUsageIn, UsageTail } from '../billing/usage-tail.ts'
import { refuseUnlessTranslating } from './translating-models.ts'
import { withLastEvent } from './last-event.ts'

const PLAIN = 'text/plain; charset=utf-8'
const EVENTS = 'text/event-stream; charset=utf-8'

/** The recording itself, with its first bytes, or a reference to it: an upload of the caller or a URL. */
export type Recording = (TaskFile & { head: Uint8Array }) | { reference: string; field: 'file_id' | 'file_url' }

/** JSON with the cost, or bytes: a text or events. The ledger line of bytes is written when they have been read. */
export type Written = { json: Transcription } | { type: string; bytes: AsyncGenerator<Uint8Array> }

/** A recording, what is wanted of it, and how. */
export type AudioOrder = { fields: TranscriptionFields; recording: Recording; wanted: Wanted }

export async function transcribe(order: AudioOrder, call: Call, context: AppContext): Promise<Written> {
  const { fields } = order
  try {
    call.isCustomized = () => isCustomized(fields, TranscriptionRequest)
    refuseDestinations(fields)
    const answered = await hear(order, call, context)
    const { reply, target } = answered
    if ('events' in reply) return { type: reply.type, bytes: passed(reply.events, target, call, context) }
    settle(answered, call)
    await slotForLarge(call, context)
    const written = present(answered, order, call)
    closeCall(call, context)
    return written
  } catch (error) {
    const failure = failCall(call, error)
    closeCall(call, context)
    throw failure
  }
}

async function hear(order: AudioOrder, call: Call, context: AppContext) {
  const begun: Begun = new Map()
  const tempFiles = new TempFiles(context.config.dataDir, call.caller.owner)
  const seconds = await secondsOf(order.recording, call, context)
  let sent = seconds
  const open = async () => {
    const file = await fileOf(order.recording, call, context, tempFiles)
    // Now the size of a file at an address is known, too.
    sent = Math.min(seconds, mostSeconds(file.size))
    return file
  }
  const waiting = { begun, sleep: context.sleep }
  const forwarded =
    order.wanted === 'translations' ? translationOf(order, open, context) : forwardedRequestOf(order, open, waiting)
  call.worstCase = (target: ChatTarget) => transcriptionWorstCase(seconds, order.fields, target)
  call.likelyBill = once((target: ChatTarget) => billOfWorst(transcriptionWorstCase(sent, order.fields, target)))
  try {
    return await forward(forwarded, call, context)
  } catch (error) {
    // A caller may also leave between two attempts, while the provider of a ticket is at work.
    for (const { target } of begun.values()) payForLeft(call, target)
    await endBegun(begun)
    throw error
  } finally {
    await tempFiles.close()
  }
}

/** The most that it can have. The size of a file at an address is known after it was fetched. */
async function secondsOf(recording: Recording, { caller }: Call, { files }: AppContext): Promise<number> {
  if (!('reference' in recording)) return mostSeconds(recording.size, recording.head)
  const { reference } = recording
  const upload = isResourceId(reference) ? getUpload(reference, caller.owner, files) : undefined
  // That there is no such file is said when it is opened.
  const size = await upload?.then((found) => found.size).catch(() => undefined)
  return mostSeconds(size ?? files.maxFileBytes)
}

/** The file is fetched only after the model's name has been checked. */
async function fileOf(recording: Recording, call: Call, context: AppContext, tempFiles: TempFiles): Promise<TaskFile> {
  if (!('reference' in recording)) return recording
  const { reference, field } = recording
  const [file] = await openReferences([{ reference, loc: ['body', field] }], fileAccessOf(call, tempFiles), context)
  return file!
}

function forwardedRequestOf(
  { fields, wanted }: AudioOrder,
  open: () => Promise<TaskFile>,
  waiting: { begun: Begun; sleep: AppContext['sleep'] },
): ForwardedRequest<TranscriptionResult> {
  let opened: Promise<TaskFile> | undefined
  const file = () => (opened ??= open())
  return {
    model: fields.model,
    fallbacks: fields.fallbacks,
    kinds: ['transcription'],
    endpoint: 'audio/transcriptions',
    speaks: (target) => target.provider.dialect === 'openai' || listenerOf(target) !== undefined,
    ask: async (target, exchange) => {
      await endBegun(waiting.begun, target)
      const whole = completed(fields, target)
      if (listenerOf(target))
        return await transcribeAsTask({ fields: whole, file: await file() }, target, exchange.tools, waiting)
      return await transcribeByWire({ fields: whole, wanted }, await file(), target, exchange)
    },
    simulate: async () => {
      await endBegun(waiting.begun)
      return { json: simulatedTranscript(await file()) }
    },
  }
}

/** Few models translate. The caller is told which ones do. */
function translationOf(
  { fields, wanted }: AudioOrder,
  open: () => Promise<TaskFile>,
  context: AppContext,
): ForwardedRequest<TranscriptionResult> {
  return {
    model: fields.model,
    fallbacks: fields.fallbacks,
    kinds: ['transcription'],
    endpoint: 'audio/translations',
    speaks: (target) => refuseUnlessTranslating(target, context),
    ask: async (target, exchange) => {
      return await transcribeByWire({ fields: completed(fields, target), wanted }, await open(), target, exchange)
    },
    simulate: async () => ({ json: simulatedTranscript(await open()) }),
  }
}

const TEXTS: readonly unknown[] = ['text', 'srt', 'vtt']

function present(
  { reply, target }: TargetReply<TranscriptionResult>,
  { fields, wanted }: AudioOrder,
  call: Call,
): Written {
  const format = fields.response_format ?? 'json'
  const about = { cost: knownCost(call), provider: target.provider.id }
  if ('text' in reply)
    return TEXTS.includes(format) ? bytes(reply.text, reply.type) : { json: { text: reply.text, ...about } }
  if ('events' in reply) throw new TypeError('events pass as they are')
  const transcript = 'json' in reply ? readTranscript(reply.json) : reply.transcript
  const usage = 'json' in reply ? reply.json.usage : { type: 'duration', seconds: reply.seconds }
  if (fields.stream) return bytes(writeEvents(transcript.text, { ...(isRecord(usage) && { usage }), ...about }), EVENTS)
  if (TEXTS.includes(format)) return bytes(writeText(transcript, format as TextFormat), PLAIN)
  const isAsked = wanted === 'transcriptions' || format === 'verbose_json'
  if ('json' in reply && !target.provider.simulated && isAsked)
    return { json: { ...(reply.json as Transcription), ...about } }
  const written = writeJson(transcript, format as JsonFormat, fields.timestamp_granularities ?? [])
  return { json: { ...(written as Transcription), ...(isRecord(usage) && { usage }), ...about } }
}

function bytes(text: string, type: string): Written {
  return { type, bytes: textBytes(text) }
}

async function* textBytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

type ReportedText = {
  duration?: number
  usage?: { seconds?: number; input_tokens?: number; output_tokens?: number; input_token_details?: object }
}

function settle({ reply, target }: TargetReply<TranscriptionResult>, call: Call): void {
  if ('transcript' in reply) {
    call.estimated ||= reply.estimated
    return spend(call, reply.cost)
  }
  // A plain text does not contain the length of the recording.
  pay('json' in reply ? (reply.json as ReportedText) : {}, target, call)
}

/** Bills by tokens or by seconds, whichever the provider reports. */
function pay({ usage, duration }: ReportedText, target: ChatTarget, call: Call): void {
  const { provider, entry } = target
  const isFree = provider.simulated || provider.free
  if (usage?.input_tokens !== undefined) {
    const tokens = toTokens(usageOf(usage))
    return spend(call, costOfWork(entry, { tokens }), tokens)
  }
  const seconds = usage?.seconds ?? duration
  const units = seconds === undefined ? undefined : Number(seconds)
  spend(call, isFree ? 0 : costOfWork(entry, { units }, priceOfSecond(target)))
}

function usageOf({
  input_tokens = 0,
  output_tokens = 0,
  input_token_details,
}: NonNullable<ReportedText['usage']>): Usage {
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    ...(input_token_details && { prompt_tokens_details: input_token_details }),
  }
}

/** Passes events on unchanged; the last one contains the usage. */
async function* passed(
  events: AsyncIterable<Uint8Array>,
  target: ChatTarget,
  call: Call,
  context: AppContext,
): AsyncGenerator<Uint8Array> {
  const tail = new UsageTail()
  let isClosed = false
  try {
    yield* withLastEvent(events, { onChunk: (chunk) => tail.add(chunk), onLast: close })
  } catch (error) {
    throw failCall(call, isFailure(error) ? toProblem(error, target) : error)
  } finally {
    if (!isClosed && call.signal.aborted && call.status === 200) failCall(call, call.signal.reason)
    close()
  }

  function close() {
    if (isClosed) return
    isClosed = true
    const usage = lastUsageIn(tail.takeText())
    // Whoever leaves before the usage arrives has ordered the whole transcript all the same.
    if (!isRecord(usage) && call.signal.aborted) payForLeft(call, target)
    else pay(isRecord(usage) ? { usage } : {}, target, call)
    closeCall(call, context)
  }
}
