import { costOfWork } from '../../money/billing/work-price.ts'
import { priceOfSecond } from './audio-worst-case.ts'
import { HEAD_BYTES } from '../../base/sniff/head-bytes.ts'
import { sniffType, UNKNOWN_TYPE } from '../../base/sniff/sniff-type.ts'
import { type TranscriptionFields, TranscriptionRequest } from '../../contract/audio.ts'
import { notAnAnswer } from '../../translation/dialects/answer-problems.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import type { WireResponse } from '../../translation/wire/wire.ts'
import { isRecord } from '../../base/schema/record.ts'
import { findAdapter } from '../../translation/tasks/adapters.ts'
import speechToText from '../../translation/tasks/audio/speech_to_text_async/feature.ts'
import { typeOf } from '../../translation/tasks/http/file-kinds.ts'
import { formPayload } from '../../translation/tasks/http/payload.ts'
import type { Adapter, ResultOf, SlowAdapter, TaskFile } from '../../translation/tasks/feature.ts'
import { segmentsOf, type Transcript, type Word } from '../../translation/formats/transcripts/transcript.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { GATEWAY_FIELDS } from '../../translation/dialects/request/gateway-fields.ts'
import { inOneOrder } from '../../calls/attempts/attempt.ts'
import type { SlowWork } from '../../calls/attempts/slow-work.ts'
import type { Bill } from '../../calls/order.ts'
import { type Exchange, exchangeWith, priceVersionOf } from '../../calls/upstream/endpoint-plan.ts'
import { toolsFor } from '../../calls/upstream/task-tools.ts'
import { governFields } from '../../calls/upstream/governed-fields.ts'
import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'
import { unknownTo } from '../../calls/upstream/unknown-fields.ts'
import { slowTask } from '../../calls/upstream/slow-task.ts'
import { toNumber } from '../../base/schema/to-primitive.ts'
import { MB } from '../../base/units/units.ts'

const MAX_ANSWER_BYTES = 64 * MB
/** Formats with a duration or usage, requested in place of formats that have neither. */
const TELLING: Readonly<Record<string, string>> = { text: 'json', srt: 'verbose_json', vtt: 'verbose_json' }
/** An English translation in the plain format has no duration, and could not be billed. */
const TELLING_OF_TRANSLATIONS: Readonly<Record<string, string>> = {
  json: 'verbose_json',
  text: 'verbose_json',
  srt: 'verbose_json',
  vtt: 'verbose_json',
}
const OWN_FIELDS: ReadonlySet<string> = new Set([...GATEWAY_FIELDS, 'file_id', 'file_url'])

/** What a recording is turned into: its text, or its text in English. Both are the last word of an address. */
export type TranscriptionKind = 'transcriptions' | 'translations'

/** A transcription: JSON in OpenAI's format, a text, events, or the result of a task. */
export type TranscriptionResult =
  | { json: Record<string, unknown> }
  | { text: string; type: string }
  | { events: AsyncIterable<Uint8Array>; type: string }
  | { transcript: Transcript; seconds: number }

/** The task adapter that transcribes; undefined if the provider has OpenAI's endpoint or cannot transcribe. */
export function listenerOf({ provider }: Pick<ChatTarget, 'provider'>) {
  return provider.openaiEndpoints?.includes('transcriptions') ? undefined : findAdapter(speechToText, provider.id)
}

export async function transcribeByWire(
  { fields, kind }: { fields: TranscriptionFields; kind: TranscriptionKind },
  file: TaskFile,
  { baseUrl, model, provider }: ChatTarget,
  exchange: Exchange,
): Promise<TranscriptionResult> {
  const allowed = governFields(fields, TranscriptionRequest.properties, provider)?.fields ?? fields
  const options = Object.entries(allowed).filter(([field, value]) => value != null && !OWN_FIELDS.has(field))
  const requested: string = fields.response_format ?? 'json'
  const telling = (kind === 'translations' ? TELLING_OF_TRANSLATIONS : TELLING)[requested]
  const format = !fields.stream && telling ? { response_format: telling } : {}
  const sent = { ...Object.fromEntries(options), ...format, model }
  const { type, body } = await formPayload(sent, [{ field: 'file', file }])
  const url = `${baseUrl}/audio/${kind}`
  const response = await exchange.send({ method: 'POST', url, headers: { 'content-type': type }, body })
  return await read(response, fields.stream === true, exchange)
}

async function read(response: WireResponse, isStream: boolean, exchange: Exchange): Promise<TranscriptionResult> {
  const { headers, body } = response
  const type = String(headers['content-type'] ?? 'text/plain; charset=utf-8')
  const hasEvents = /^text\/event-stream/i.test(type)
  if (isStream && hasEvents) return { events: body, type }
  const text = await exchange.read(response, MAX_ANSWER_BYTES)
  if (hasEvents) throw notAnAnswer(text, 'a transcript')
  if (!/json/i.test(type)) return { text, type }
  const json = tryParse(text)
  if (isRecord(json) && typeof json.text === 'string') return { json }
  throw notAnAnswer(text, 'a transcript')
}

type Listener = Adapter<typeof speechToText> | SlowAdapter<typeof speechToText>
type Heard = ResultOf<typeof speechToText>

/** Runs the task adapter and waits for its result within the time limit of the call. */
export async function transcribeAsTask(
  { fields, file: inputFile }: { fields: TranscriptionFields; file: TaskFile },
  attempt: ChatAttempt,
  { slow, likelyBill }: { slow: SlowWork<unknown>; likelyBill(): Bill },
): Promise<TranscriptionResult> {
  const { target, call, services } = attempt
  const { provider, model } = target
  const file = await recognized(inputFile)
  const listener = (await listenerOf({ provider })!()) as Listener
  const vocabulary = fields.prompt ? [fields.prompt] : null
  const input = { file: file.name, language: fields.language ?? null, vocabulary }
  const task = { input, model, params: {}, files: { file } }
  const billOf = ({ units, estimated }: Heard): Bill => {
    const cost = costOfWork(target.entry, { units }, priceOfSecond(target))
    return { cost, estimated, priceVersion: priceVersionOf(target) }
  }
  const { output, units } = await ('run' in listener
    ? inOneOrder(attempt, {
        likelyBill,
        billOf,
        ask: (order) => listener.run(task, exchangeWith(attempt, order).tools),
      })
    : slow.ask(attempt, {
        likelyBill,
        billOf,
        provider: (reach) => slowTask(listener, task, toolsFor(target, { ...reach, call, services })),
      }))
  return { transcript: toTranscript(output, units, fields.language ?? undefined), seconds: units }
}

/** Most clients do not state the type of a recording. */
async function recognized(file: TaskFile): Promise<TaskFile> {
  if (file.type !== UNKNOWN_TYPE) return file
  const type = sniffType((await file.bytes()).subarray(0, HEAD_BYTES))
  return { ...file, type: type === UNKNOWN_TYPE ? typeOf(file.name.split('.').at(-1)!.toLowerCase()) : type }
}

/** Fields of the request that the target is not told. */
export function notesOfRecording(
  fields: TranscriptionFields,
  isTask: boolean,
  { provider }: ChatTarget,
): readonly Note[] {
  if (isTask) return unknownTo(fields, HEARD_FIELDS, 'this provider has no such field')
  return governFields(fields, TranscriptionRequest.properties, provider)?.notes ?? []
}

/** What the task knows, and what the gateway does itself with the transcript. */
const HEARD_FIELDS: ReadonlySet<string> = new Set([
  ...OWN_FIELDS,
  ...['model', 'language', 'prompt', 'response_format', 'timestamp_granularities', 'stream', 'user', 'metadata'],
])

type Output = Heard['output']

function toTranscript({ text, diarization }: Output, duration: number, language: string | undefined): Transcript {
  const words = diarization.entries.map(toWord)
  const segments = words.length > 0 ? segmentsOf(words) : [{ start: 0, end: duration, text }]
  return { text, language, duration, segments, words }
}

function toWord({ segment, start_time, end_time, speaker }: Output['diarization']['entries'][number]): Word {
  const start = toNumber(start_time ?? 0)
  return { word: segment, start, end: toNumber(end_time ?? start), speaker: letterOf(speaker) }
}

/** This format names speakers by letters: A, B, …, Z, AA. */
function letterOf(speaker: number): string {
  const letters = 26
  const last = String.fromCharCode(65 + ((speaker - 1) % letters))
  return speaker > letters ? letterOf(Math.floor((speaker - 1) / letters)) + last : last
}
