import type { ModelServices } from '../../calls/routing/names/resolved-model.ts'
import { type Transcription, type TranscriptionFields, TranscriptionRequest } from '../../contract/audio.ts'
import type { Usage } from '../../contract/chat-reply.ts'
import { isRecord } from '../../base/schema/record.ts'
import type { TaskFile } from '../../translation/tasks/feature.ts'
import { readTranscript } from '../../translation/formats/transcripts/transcript.ts'
import {
  type JsonFormat,
  type TextFormat,
  writeEvents,
  writeJson,
  writeText,
} from '../../translation/formats/transcripts/write-transcript.ts'
import { toTokens } from '../../money/billing/token-buckets.ts'
import { costOfWork } from '../../money/billing/work-price.ts'
import { openOrder } from '../../calls/attempts/attempt.ts'
import { runCall } from '../../calls/attempts/run-call.ts'
import { SlowWork } from '../../calls/attempts/slow-work.ts'
import { type Call, knownCost } from '../../calls/call.ts'
import type { Bill, Order } from '../../calls/order.ts'
import { isCustomized } from '../../calls/upstream/customized.ts'
import { fileAccessOf, openReferences } from '../../calls/file-inputs/file-references.ts'
import { completed } from '../../calls/routing/alias-defaults.ts'
import {
  askOrSimulate,
  type Endpoint,
  planOf,
  priceVersionOf,
  type TargetReply,
} from '../../calls/upstream/endpoint-plan.ts'
import {
  type TranscriptionResult,
  transcribeAsTask,
  transcribeByWire,
  notesOfRecording,
  listenerOf,
  type TranscriptionKind,
} from './transcribe.ts'
import { mostSeconds } from '../../base/sniff/recording-length.ts'
import { getUpload } from '../../calls/files/files.ts'
import { TempFiles } from '../../calls/files/temp-files.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'
import { billOfWorst } from '../../calls/upstream/bounds/token-worst-case.ts'
import { slotForLarge } from '../../calls/large-work.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { refuseDestinations } from '../../calls/upstream/provider-params.ts'
import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'
import { AudioRelay, judgeOf, type RelayedAudio } from './relay-audio.ts'
import { priceOfSecond, transcriptionWorstCase } from './audio-worst-case.ts'
import { simulatedTranscript } from './transcriptions-simulated.ts'
import { lastUsageIn, UsageTail } from '../../money/billing/usage-tail.ts'
import { guardedBody } from '../../calls/guardrails/guarded-body.ts'
import { checksAnswer, guardedTranscript } from './guarded-transcript.ts'
import { refuseUnlessTranslating } from './translating-models.ts'
import { withLastEvent } from './last-event.ts'

const PLAIN = 'text/plain; charset=utf-8'
const EVENTS = 'text/event-stream; charset=utf-8'

/** The recording itself, with its first bytes, or a reference to it: an upload of the caller or a URL. */
export type Recording = (TaskFile & { head: Uint8Array }) | { reference: string; field: 'file_id' | 'file_url' }

/** JSON with the cost, or bytes: a text or events. The ledger line of bytes is written when they have been read. */
type Written = { json: Transcription } | { type: string; bytes: AsyncIterable<Uint8Array> }

/** A recording, what it is turned into, and how. */
export type AudioOrder = { fields: TranscriptionFields; recording: Recording; kind: TranscriptionKind }

export function transcribe(order: AudioOrder, call: Call, services: CallServices): Promise<Written> {
  const slow = new SlowWork<unknown>()
  return runCall(() => transcriptionPlan(order, slow, call, services), call, services).catch(async (error) => {
    // A provider that was given up, or whose caller left between two attempts, is told before the caller is.
    await slow.end(call.signal)
    throw error
  })
}

/** What was heard, and if these are events: the order that is paid for when they have ended, and what their end is told to. */
type Heard = { heard: TranscriptionResult; begun?: { order: Order } & Pick<RelayedAudio, 'judge'> }

async function transcriptionPlan(asked: AudioOrder, slow: SlowWork<unknown>, call: Call, services: CallServices) {
  const audio = { ...asked, fields: await guardedBody(asked.fields, call, services) }
  const { fields } = audio
  refuseDestinations(fields)
  const tempFiles = new TempFiles(services.config.dataDir, call.caller.owner)
  call.time.holds(() => tempFiles.close())
  const isWhole = checksAnswer(fields, call, services)
  const seconds = await secondsOf(audio.recording, call, services)
  let opened: Promise<TaskFile> | undefined
  const file = () => (opened ??= fileOf(audio.recording, call, services, tempFiles))
  const endpoint: Endpoint<Heard, Written> = {
    ...(audio.kind === 'translations' ? translations(services) : TRANSCRIPTIONS),
    model: fields.model,
    fallbacks: fields.fallbacks,
    kinds: ['transcription'],
    endsItself: true,
    isCustomized: () => isCustomized(fields, TranscriptionRequest),
    worstCase: (target) => transcriptionWorstCase(seconds, fields, target),
    ask: async (attempt) => {
      await slow.moveTo(attempt.target.id)
      return await hear({ audio: isWhole ? inOnePiece(audio) : audio, file: await file(), seconds, slow }, attempt)
    },
    notesFor: (target) => notesOfRecording(fields, isDoneAsTask(audio.kind, target), target),
    present: async (answered, ending) => {
      const { reply, target } = answered
      const { begun } = reply
      const heard = await guardedTranscript(reply.heard, fields, call, services)
      if (begun && 'events' in heard)
        return { type: heard.type, bytes: passed(heard.events, { ...begun, call, target, ending }) }
      await slotForLarge(call, services)
      const written = present({ target, reply: heard }, audio, call)
      ending.close()
      return written
    },
  }
  return planOf(endpoint, call, services)
}

/** Guardrails look at the whole text, so that the events of a provider do not pass. */
function inOnePiece(audio: AudioOrder): AudioOrder {
  return { ...audio, fields: { ...audio.fields, stream: undefined } }
}

const TRANSCRIPTIONS = {
  endpoint: 'audio/transcriptions',
  speaks: (target: ChatTarget) => target.provider.dialect === 'openai' || listenerOf(target) !== undefined,
}

/** Few models translate. The caller is told which ones do. */
function translations(services: ModelServices) {
  return {
    endpoint: 'audio/translations',
    speaks: (target: ChatTarget) => refuseUnlessTranslating(target, services),
  }
}

function isDoneAsTask(kind: TranscriptionKind, target: ChatTarget): boolean {
  return kind === 'transcriptions' && !target.provider.simulated && listenerOf(target) !== undefined
}

type Hearing = { audio: AudioOrder; file: TaskFile; seconds: number; slow: SlowWork<unknown> }

async function hear({ audio, file, seconds, slow }: Hearing, attempt: ChatAttempt): Promise<Heard> {
  const { target } = attempt
  const { kind } = audio
  const fields = completed(audio.fields, target)
  // Now the size of a file at an address is known, too.
  const sent = Math.min(seconds, mostSeconds(file.size))
  const likelyBill = () => billOfWorst(transcriptionWorstCase(sent, audio.fields, target))
  if (isDoneAsTask(kind, target))
    return { heard: await transcribeAsTask({ fields, file }, attempt, { slow, likelyBill }) }
  const order = openOrder(attempt, likelyBill)
  try {
    const heard = await askOrSimulate<TranscriptionResult>(attempt, order, {
      ask: (exchange) => transcribeByWire({ fields, kind }, file, target, exchange),
      simulate: () => ({ json: simulatedTranscript(file) }),
    })
    // Events tell at their end what they cost. A plain text does not contain the length of the recording.
    if (!('events' in heard)) order.delivered(billOf('json' in heard ? (heard.json as ReportedText) : {}, target))
    return 'events' in heard ? { heard, begun: { order, judge: judgeOf(attempt) } } : { heard }
  } catch (error) {
    order.failed(error)
    throw error
  }
}

/** The most that it can have. The size of a file at an address is known after it was fetched. */
async function secondsOf(
  recording: Recording,
  { caller }: Call,
  { files }: Pick<CallServices, 'files'>,
): Promise<number> {
  if (!('reference' in recording)) return mostSeconds(recording.size, recording.head)
  const { reference } = recording
  const upload = isResourceId(reference) ? getUpload(reference, caller.owner, files) : undefined
  // That there is no such file is said when it is opened.
  const size = await upload?.then((found) => found.size).catch(() => undefined)
  return mostSeconds(size ?? files.maxFileBytes)
}

/** The file is fetched only after the model's name has been checked. */
async function fileOf(
  recording: Recording,
  call: Call,
  services: CallServices,
  tempFiles: TempFiles,
): Promise<TaskFile> {
  if (!('reference' in recording)) return recording
  const { reference, field } = recording
  const [file] = await openReferences([{ reference, loc: ['body', field] }], fileAccessOf(call, tempFiles), services)
  return file!
}

const TEXTS: readonly unknown[] = ['text', 'srt', 'vtt']

function present(
  { reply, target }: TargetReply<TranscriptionResult>,
  { fields, kind }: AudioOrder,
  call: Call,
): Written {
  const format = fields.response_format ?? 'json'
  const about = { cost: knownCost(call), provider: target.provider.id }
  if ('text' in reply && fields.stream) return bytes(writeEvents(reply.text, about), EVENTS)
  if ('text' in reply)
    return TEXTS.includes(format) ? bytes(reply.text, reply.type) : { json: { text: reply.text, ...about } }
  if ('events' in reply) throw new TypeError('events pass as they are')
  const transcript = 'json' in reply ? readTranscript(reply.json) : reply.transcript
  const usage = 'json' in reply ? reply.json.usage : { type: 'duration', seconds: reply.seconds }
  if (fields.stream) return bytes(writeEvents(transcript.text, { ...(isRecord(usage) && { usage }), ...about }), EVENTS)
  if (TEXTS.includes(format)) return bytes(writeText(transcript, format as TextFormat), PLAIN)
  const isAsked = kind === 'transcriptions' || format === 'verbose_json'
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

/** Bills by tokens or by seconds, whichever the provider reports. */
function billOf({ usage, duration }: ReportedText, target: ChatTarget): Bill {
  const { provider, entry } = target
  const priceVersion = priceVersionOf(target)
  if (usage?.input_tokens !== undefined) {
    const tokens = toTokens(usageOf(usage))
    return { cost: costOfWork(entry, { tokens }), tokens, priceVersion }
  }
  const isFree = provider.simulated || provider.free
  const seconds = usage?.seconds ?? duration
  const units = seconds === undefined ? undefined : Number(seconds)
  return { cost: isFree ? 0 : costOfWork(entry, { units }, priceOfSecond(target)), priceVersion }
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
function passed(
  events: AsyncIterable<Uint8Array>,
  { order, ...relayed }: Omit<RelayedAudio, 'pay'> & { order: Order },
): AsyncIterable<Uint8Array> {
  const { target } = relayed
  const tail = new UsageTail()
  const pay: RelayedAudio['pay'] = (how) => {
    if (!order.isOpen) return
    const usage = lastUsageIn(tail.takeText())
    // A caller who leaves before the usage arrives has ordered the whole transcript all the same.
    if (!isRecord(usage) && how === 'cut') order.left()
    else order.delivered(billOf(isRecord(usage) ? { usage } : {}, target))
  }
  const bytesOf = (onLast: () => void) => withLastEvent(events, { onChunk: (chunk) => tail.add(chunk), onLast })
  return new AudioRelay(bytesOf, { ...relayed, pay })
}
