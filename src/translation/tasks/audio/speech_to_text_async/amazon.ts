import Type from '../../../../base/schema/type.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { AUDIO_TYPES } from '../../inputs/document-kinds.ts'
import { regionalLanguage } from '../../inputs/language-tags.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { diarizationOf } from '../../results/diarization.ts'
import { newStage, type Staged, stagedText, unstage, uriOf, withStaged } from '../../http/staging.ts'
import { slowAdapter, type Tools } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import { tryParse } from '../../../json/try-parse.ts'
import speechToText from './feature.ts'

// https://docs.aws.amazon.com/transcribe/latest/APIReference/API_StartTranscriptionJob.html. Custom vocabularies and filters
// have to exist at Amazon; `Settings` in the params names them.

const ACCEPTED = { types: AUDIO_TYPES, megabytes: 2_048 }
const LEAST_SECONDS = 15
const MAX_SPEAKERS = 30

type Ticket = { job: string; file: Staged; transcript: Staged }

const readStart = replyReader(Type.Object({ TranscriptionJob: Type.Object({ TranscriptionJobName: Type.String() }) }))
const readState = replyReader(
  Type.Object({
    TranscriptionJob: Type.Object({
      TranscriptionJobStatus: Type.String(),
      FailureReason: Type.Optional(Type.String()),
    }),
  }),
)
const readTranscript = replyReader(
  Type.Object({
    results: Type.Object({
      transcripts: Type.Array(Type.Object({ transcript: Type.String() })),
      items: Type.Array(
        Type.Object({
          type: Type.String(),
          start_time: Type.Optional(Type.String()),
          end_time: Type.Optional(Type.String()),
          speaker_label: Type.Optional(Type.String()),
          alternatives: Type.Array(Type.Object({ content: Type.String(), confidence: Type.Optional(Type.String()) })),
        }),
      ),
    }),
  }),
)
const readNothing = () => null

export default slowAdapter(speechToText, {
  start: async (task, tools): Promise<Ticket> => {
    const LanguageCode = regionalLanguage(namedLanguage(task.input.language))
    const stage = newStage(tools, 's3')
    // Without the extension, Amazon takes the key for a folder.
    const transcript = { ...stage, name: `${stage.name}.json` }
    const speakers = Math.min(MAX_SPEAKERS, Math.max(2, task.input.speakers ?? 2))
    return await withStaged(tools, 's3', acceptFile(task.files.file!, ACCEPTED), async (file) => {
      const job = file.name.replace('/', '-')
      const fields = {
        ...task.params,
        ...(LanguageCode ? { LanguageCode } : { IdentifyLanguage: true }),
        TranscriptionJobName: job,
        Media: { MediaFileUri: uriOf(file) },
        OutputBucketName: transcript.bucket,
        OutputKey: transcript.name,
        Settings: { ...settingsIn(task.params), ShowSpeakerLabels: true, MaxSpeakerLabels: speakers },
      }
      await askAmazon(tools, 'transcribe.StartTranscriptionJob', fields, readStart)
      return { job, file, transcript }
    })
  },
  poll: async (ticket: Ticket, tools) => {
    const request = { TranscriptionJobName: ticket.job }
    const { TranscriptionJob: state } = await askAmazon(tools, 'transcribe.GetTranscriptionJob', request, readState)
    if (state.TranscriptionJobStatus === 'FAILED') {
      await tidy(ticket, tools)
      throw abandoned(tools, 'job_failed', state.FailureReason)
    }
    if (state.TranscriptionJobStatus !== 'COMPLETED') return 'pending'
    const original = readTranscript(tryParse(await stagedText(tools, ticket.transcript)))
    await tidy(ticket, tools)
    return toResult(original)
  },
  cancel: tidy,
})

function toResult(original: ReturnType<typeof readTranscript>) {
  const { transcripts, items } = original.results
  const words = items.filter(({ type }) => type === 'pronunciation')
  const segments = words.map(({ start_time, end_time, speaker_label, alternatives }) => ({
    segment: alternatives[0]?.content ?? '',
    start: start_time === undefined ? null : Number(start_time),
    end: end_time === undefined ? null : Number(end_time),
    speaker: speaker_label,
    confidence: alternatives[0]?.confidence === undefined ? null : Number(alternatives[0].confidence),
  }))
  const transcription = Math.max(LEAST_SECONDS, ...segments.map(({ end }) => Math.ceil(end ?? 0)))
  const text = transcripts.map(({ transcript }) => transcript).join(' ')
  return { output: { text, diarization: diarizationOf(segments) }, original, units: transcription }
}

/** Deletes everything of a recording at Amazon. */
async function tidy({ job, file, transcript }: Ticket, tools: Tools): Promise<void> {
  const fields = { TranscriptionJobName: job }
  await askAmazon(tools, 'transcribe.DeleteTranscriptionJob', fields, readNothing).catch(() => undefined)
  await unstage(tools, file)
  await unstage(tools, transcript)
}

function settingsIn({ Settings }: Record<string, unknown>): object {
  return typeof Settings === 'object' && Settings !== null ? Settings : {}
}
