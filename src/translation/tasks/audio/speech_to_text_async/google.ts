import Type, { type Static } from '../../../../base/schema/type.ts'
import { mapOf } from '../../../../base/schema/fields.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { AUDIO_TYPES } from '../../inputs/document-kinds.ts'
import { regionalLanguage } from '../../inputs/language-tags.ts'
import { jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { diarizationOf } from '../../results/diarization.ts'
import { type Staged, unstage, uriOf, withStaged } from '../../http/staging.ts'
import { slowAdapter } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import speechToText from './feature.ts'

// https://cloud.google.com/speech-to-text/v2/docs/reference/rest/v2/projects.locations.recognizers/batchRecognize

const ACCEPTED = { types: [...AUDIO_TYPES, 'video/quicktime'], megabytes: 2_048 }

type Ticket = { operation: string; file: Staged }

const Text = Type.Optional(Type.String())
const Failure = Type.Optional(Type.Object({ message: Text }))
const Word = Type.Object({ word: Text, startOffset: Text, endOffset: Text, speakerLabel: Text })
const Alternative = Type.Object({
  transcript: Text,
  confidence: Type.Optional(Type.Number()),
  words: Type.Optional(Type.Array(Word)),
})
const Part = Type.Object({ alternatives: Type.Optional(Type.Array(Alternative)), resultEndOffset: Text })
const Transcript = Type.Object({ results: Type.Optional(Type.Array(Part)) })
const TranscribedRecording = Type.Object({
  error: Failure,
  inlineResult: Type.Optional(Type.Object({ transcript: Type.Optional(Transcript) })),
})

const readStart = replyReader(Type.Object({ name: Type.String() }))
const readState = replyReader(
  Type.Object({
    done: Type.Optional(Type.Boolean()),
    error: Failure,
    response: Type.Optional(
      Type.Object({ results: Type.Optional(mapOf(TranscribedRecording)), totalBilledDuration: Text }),
    ),
  }),
)

export default slowAdapter(speechToText, {
  start: async (task, tools): Promise<Ticket> => {
    const { language, profanity_filter, vocabulary } = task.input
    const phrases = vocabulary?.map((value) => ({ value })) ?? []
    const config = {
      autoDecodingConfig: {},
      languageCodes: [regionalLanguage(namedLanguage(language)) ?? 'auto'],
      ...(phrases.length > 0 && { adaptation: { phraseSets: [{ inlinePhraseSet: { phrases } }] } }),
      ...task.params,
      model: task.model ?? 'chirp_3',
      features: {
        enableWordTimeOffsets: true,
        profanityFilter: profanity_filter === true,
        diarizationConfig: {},
      },
    }
    const recording = acceptFile(task.files.file!, ACCEPTED)
    return await withStaged(tools, 'storage', recording, async (file) => {
      const files = [{ uri: uriOf(file) }]
      const payload = jsonPayload({ config, files, recognitionOutputConfig: { inlineResponseConfig: {} } })
      const question = { service: 'speech', path: '/recognizers/_:batchRecognize', payload }
      return { operation: (await askForJson(tools, question, readStart)).name, file }
    })
  },
  poll: async ({ operation, file }: Ticket, tools) => {
    const question = { service: 'speech-operations', path: `/${operation}` }
    const { done, error, response } = await askForJson(tools, question, readState)
    if (!done) return 'pending'
    await unstage(tools, file)
    const transcription = Object.values(response?.results ?? {})[0]
    const failure = error ?? transcription?.error
    if (failure) throw abandoned(tools, 'recognition_failed', failure.message)
    const parts = transcription?.inlineResult?.transcript?.results ?? []
    return toResult(parts, seconds(response?.totalBilledDuration))
  },
  cancel: async ({ operation, file }: Ticket, tools) => {
    await unstage(tools, file)
    const question = { service: 'speech-operations', path: `/${operation}:cancel`, payload: jsonPayload({}) }
    await askForJson(tools, question, () => undefined)
  },
})

function toResult(parts: Static<typeof Part>[], billed: number | null) {
  const best = parts.flatMap(({ alternatives = [] }) => alternatives.slice(0, 1))
  const segments = best.flatMap(({ words = [], confidence = null }) => {
    return words.map(({ word = '', startOffset, endOffset, speakerLabel }) => {
      const [start, end] = [seconds(startOffset ?? '0s'), seconds(endOffset)]
      return { segment: word, start, end, speaker: speakerLabel || undefined, confidence: confidence || null }
    })
  })
  const end = Math.max(1, ...parts.map(({ resultEndOffset }) => Math.ceil(seconds(resultEndOffset) ?? 0)))
  const text = best.map(({ transcript = '' }) => transcript.trim()).join(' ')
  return { output: { text, diarization: diarizationOf(segments) }, original: parts, units: Math.ceil(billed ?? end) }
}

/** `1.200s` */
function seconds(offset: string | undefined): number | null {
  return offset === undefined ? null : Number.parseFloat(offset)
}
