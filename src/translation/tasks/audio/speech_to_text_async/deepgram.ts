import Type, { type Static } from '../../../../base/schema/type.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { RECORDINGS } from '../../inputs/document-kinds.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { diarizationOf } from '../../results/diarization.ts'
import { adapter } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import { DEEPGRAM_PROOF, deepgramQuery } from '../../vendors/deepgram.ts'
import speechToText from './feature.ts'

// https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded. Deepgram detects the number of speakers itself.

const ACCEPTED = { types: RECORDINGS, megabytes: 2_048 }

const Word = Type.Object({
  word: Type.String(),
  punctuated_word: Type.Optional(Type.String()),
  start: Type.Number(),
  end: Type.Number(),
  confidence: Type.Optional(Type.Number()),
  speaker: Type.Optional(Type.Integer({ minimum: 0 })),
})

const Alternative = Type.Object({ transcript: Type.String(), words: Type.Array(Word) })
const Channel = Type.Object({ alternatives: Type.Array(Alternative, { minItems: 1 }) })

const readReply = replyReader(
  Type.Object({
    metadata: Type.Object({ duration: Type.Number({ minimum: 0 }) }),
    results: Type.Object({ channels: Type.Array(Channel, { minItems: 1 }) }),
  }),
)

export default adapter(speechToText, async (task, tools) => {
  const file = acceptFile(task.files.file!, ACCEPTED)
  const { profanity_filter, vocabulary } = task.input
  const model = task.model ?? 'nova-3'
  const language = namedLanguage(task.input.language)
  const tongue = language === null ? { detect_language: true } : { language }
  // Only the latest generation accepts key terms; earlier ones accept keywords.
  const terms = model.startsWith('nova-3') ? { keyterm: vocabulary } : { keywords: vocabulary }
  const options = { smart_format: true, diarize: true, ...tongue, ...terms, profanity_filter }
  const path = `/listen${deepgramQuery({ ...options, ...task.params, model, callback: undefined })}`
  const payload = { type: file.type, body: await file.bytes() }
  const original = await askForJson(tools, { path, payload, proof: DEEPGRAM_PROOF }, readReply)
  const transcription = original.results.channels.map(({ alternatives }) => alternatives[0]!)
  const text = transcription.map(({ transcript }) => transcript).join('\n')
  const words = transcription.flatMap((channel) => channel.words.map(toWord))
  const units = Math.max(1, Math.ceil(original.metadata.duration))
  return { output: { text, diarization: diarizationOf(words) }, original, units }
})

function toWord({ word, punctuated_word, start, end, speaker, confidence }: Static<typeof Word>) {
  return { segment: punctuated_word ?? word, start, end, speaker, confidence: confidence ?? null }
}
