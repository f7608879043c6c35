import { type Fields, recordsIn, textOf } from '../../base/schema/record.ts'
import type { Call } from '../../calls/call.ts'
import { guardsOf, namesIn } from '../../calls/guardrails/guarded-body.ts'
import type { Guards } from '../../calls/guardrails/guards.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { TranscriptionFields } from '../../contract/audio.ts'
import type { TranscriptionResult } from './transcribe.ts'

// A transcript says the same several times: as a text, in segments and in words. What is found in the text may be cut in the others: they
// are replaced by one segment and no words if their texts, put together, still have it.

/** Whether guardrails look at the answer of this call. */
export function checksAnswer(fields: TranscriptionFields, call: Call, services: CallServices): boolean {
  return guardsOf(call, () => namesIn(fields, services), services)?.checks('output') ?? false
}

/** What was heard, as it may be passed on. Throws if it is blocked. */
export async function guardedTranscript(
  heard: TranscriptionResult,
  fields: TranscriptionFields,
  call: Call,
  services: CallServices,
): Promise<TranscriptionResult> {
  const guards = guardsOf(call, () => namesIn(fields, services), services)
  if (!guards?.checks('output') || 'events' in heard) return heard
  if ('text' in heard) return { ...heard, text: await guardedText(heard.text, guards) }
  if ('json' in heard) return { json: await withoutCut(await guards.value(heard.json, 'output'), guards) }
  const transcript = await guards.value(heard.transcript, 'output')
  return { ...heard, transcript: { ...transcript, ...(await withoutCut(transcript, guards)) } }
}

/** A text may be subtitles, whose lines cut what is said. They cannot be redacted then. */
async function guardedText(text: string, guards: Guards): Promise<string> {
  const passed = await guards.value(text, 'output')
  await guards.demand(passed.split(/\r?\n/).filter(isSaid).join(' '))
  return passed
}

const NOT_SAID = /^(?:\d{1,9}$|WEBVTT|[\d:.,]{1,20} --> )/

function isSaid(line: string): boolean {
  return line.trim() !== '' && !NOT_SAID.test(line)
}

async function withoutCut<Said extends object>(said: Said, guards: Guards): Promise<Said> {
  const segments = recordsIn(Reflect.get(said, 'segments'))
  const words = recordsIn(Reflect.get(said, 'words'))
  const whole = { ...segments[0], id: 0, end: segments.at(-1)?.end, text: Reflect.get(said, 'text') }
  return {
    ...said,
    ...((await isCut(segments, guards)) && { segments: [whole] }),
    ...((await isCut(words, guards)) && { words: [] }),
  }
}

async function isCut(pieces: readonly Fields[], guards: Guards): Promise<boolean> {
  const said = pieces.map(({ text, word }) => textOf(text ?? word).trim()).join(' ')
  return said !== '' && !(await guards.passes(said))
}
