import Type from '../../../../base/schema/type.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { AUDIO_TYPES } from '../../inputs/document-kinds.ts'
import { regionalLanguage } from '../../inputs/language-tags.ts'
import { formPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { diarizationOf } from '../../results/diarization.ts'
import { adapter } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import speechToText from './feature.ts'

// https://learn.microsoft.com/rest/api/speechtotext/transcriptions/transcribe. Without a locale, Microsoft detects the
// language.

const PATH = '/speechtotext/transcriptions:transcribe?api-version=2025-10-15'
const ACCEPTED = { types: AUDIO_TYPES, megabytes: 300 }

const Moment = Type.Number({ minimum: 0 })
const Word = Type.Object({ text: Type.String(), offsetMilliseconds: Moment, durationMilliseconds: Moment })
const Phrase = Type.Object({
  speaker: Type.Optional(Type.Integer()),
  confidence: Type.Optional(Type.Number()),
  words: Type.Optional(Type.Array(Word)),
})
const readReply = replyReader(
  Type.Object({
    durationMilliseconds: Moment,
    combinedPhrases: Type.Array(Type.Object({ text: Type.String() })),
    phrases: Type.Array(Phrase),
  }),
)

export default adapter(speechToText, async (task, tools) => {
  const { language, speakers, profanity_filter, vocabulary } = task.input
  const locale = regionalLanguage(namedLanguage(language))
  const definition = {
    ...(locale && { locales: [locale] }),
    ...(vocabulary?.length && { phraseList: { phrases: vocabulary } }),
    ...task.params,
    diarization: { enabled: true, maxSpeakers: Math.max(2, speakers ?? 2) },
    profanityFilterMode: profanity_filter ? 'Masked' : 'None',
  }
  const file = acceptFile(task.files.file!, ACCEPTED)
  const payload = await formPayload({ definition }, [{ field: 'audio', file }])
  const original = await askForJson(tools, { path: PATH, payload }, readReply)
  const segments = original.phrases.flatMap(({ speaker, confidence = null, words = [] }) => {
    return words.map((word) => {
      const start = word.offsetMilliseconds / 1_000
      const end = (word.offsetMilliseconds + word.durationMilliseconds) / 1_000
      return { segment: word.text, start, end, speaker, confidence }
    })
  })
  const text = original.combinedPhrases.map((one) => one.text).join(' ')
  const units = Math.max(1, Math.ceil(original.durationMilliseconds / 1_000))
  return { output: { text, diarization: diarizationOf(segments) }, original, units }
})
