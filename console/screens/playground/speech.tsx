import { useEffect, useMemo, useState } from 'preact/hooks'
import { type Posted, postJson } from '../../api/client.ts'
import { AreaField, SelectField, TextField } from '../../parts/fields.tsx'
import { Failure } from '../../parts/notice.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { ModelFields, modelsIn, useModelNames } from './model-fields.tsx'
import { RunButtons } from './run-buttons.tsx'
import { RunColumns } from './run-columns.tsx'
import { FoldedSamples } from './samples.tsx'
import { type Answered, factsIn, useRuns } from './use-runs.ts'
import type { Who } from './who-fields.tsx'

type Draft = { input: string; voice: string; format: keyof typeof FORMATS }

const FORMATS = { mp3: 'MP3', wav: 'WAV', opus: 'Opus', aac: 'AAC', flac: 'FLAC' }
const EXAMPLE = 'The train now standing at platform two is the night train to Vienna.'

/** A text, spoken. */
export function Speech({ who }: { who: Who }) {
  const { query } = useQuery()
  const [draft, setDraft] = useState<Draft>({ input: '', voice: 'alloy', format: 'mp3' })
  const { runs, start, stop, isRunning } = useRuns<Blob>()
  const { names, error } = useModelNames('/admin/playground/audio/speech/models', who)
  const models = modelsIn(query, names[0] ?? 'openai/tts-1')
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    start(models, (model, signal) => speak({ query: who, body: bodyOf(model, draft), signal }))
  }
  return (
    <>
      <ModelFields models={models} names={names} />
      <Failure error={error} />
      <form class="stack composer" onSubmit={submit}>
        <AreaField
          label="Text to speak"
          rows={3}
          isRequired
          value={draft.input}
          placeholder={EXAMPLE}
          set={(input) => set({ input })}
        />
        <div class="filters">
          <TextField label="Voice" isRequired value={draft.voice} set={(voice) => set({ voice })} />
          <SelectField label="Format" value={draft.format} choices={FORMATS} set={(format) => set({ format })} />
          <RunButtons label="Speak" isRunning={isRunning} onStop={stop} />
        </div>
      </form>
      <RunColumns runs={runs} show={(audio) => <Player audio={audio} />} />
      <FoldedSamples kind="speech" body={bodyOf(models[0]!, draft)} />
    </>
  )
}

function bodyOf(model: string, { input, voice, format }: Draft) {
  return { model, input: input || EXAMPLE, voice, response_format: format }
}

const PATH = '/admin/playground/audio/speech'

async function speak(posted: Posted<typeof PATH>): Promise<Answered<Blob>> {
  const answer = await postJson(PATH, posted)
  return { result: await answer.blob(), ...factsIn(answer) }
}

/** The browser keeps the bytes until the address is given back. */
function Player({ audio }: { audio: Blob }) {
  const url = useMemo(() => URL.createObjectURL(audio), [audio])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return (
    <div class="player">
      {/* biome-ignore lint/a11y/useMediaCaption: the text that is spoken is in the form above */}
      <audio controls src={url} />
      <a href={url} download={`speech.${audio.type.split('/')[1] ?? 'audio'}`}>
        Download
      </a>
    </div>
  )
}
