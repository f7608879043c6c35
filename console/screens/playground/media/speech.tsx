import { useMemo, useState } from 'preact/hooks'
import type { UniversalResponse } from '../../../../src/contract/universal.ts'
import { pathTo, postJson } from '../../../api/client.ts'
import { useAnswer } from '../../../api/use-answer.ts'
import { AreaField, SelectField, TextField } from '../../../parts/fields.tsx'
import { OpenAsCode } from '../code/open-as-code.tsx'
import { ChosenModels } from '../models/chosen-models.tsx'
import { taskChoiceOf } from '../models/model-choice.ts'
import { useModels, useRemembered } from '../models/use-models.ts'
import { RunButton } from '../run/run-button.tsx'
import { RunColumns } from '../run/run-columns.tsx'
import { submitByKey } from '../run/submit-by-key.ts'
import { type Answered, factsIn, useRuns } from '../run/use-runs.ts'
import { runTask } from '../tasks/run-task.ts'
import type { Who } from '../who/who-fields.tsx'
import { type BenchProps, Workbench } from '../workbench.tsx'
import { Player } from './player.tsx'
import { ResultFile } from './result-file.tsx'

type Draft = { input: string; voice: string; format: keyof typeof FORMATS }

const FORMATS = { '': 'default', mp3: 'MP3', wav: 'WAV', opus: 'Opus', aac: 'AAC', flac: 'FLAC' }
const EXAMPLE = 'The train now standing at platform two is the night train to Vienna.'
/** OpenAI's format demands a voice. */
const DEFAULT_VOICE = 'alloy'
/** The engine of this machine and the sandbox are providers of a task. They work without anything that has to be set up. */
const TASK = { feature: 'audio', subfeature: 'tts' }
const ALWAYS_THERE = ['local', 'sandbox']

/** The recording, as bytes or as the address of a result. */
type Speech = Blob | string

/** A text, spoken. */
export function Speech({ who, settings }: BenchProps) {
  const [draft, setDraft] = useState<Draft>({ input: '', voice: '', format: '' })
  const { runs, start, stop, clear, isRunning } = useRuns<Speech>()
  const models = useModels('/admin/playground/audio/speech/models', who, { others: useEngines(who) })
  useRemembered(models.chosen, isRunning)
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    start(models.chosen, (model, signal) => speak(model, draft, who, signal))
  }
  const first = models.chosen[0] ?? 'audio/tts/local'
  return (
    <Workbench
      settings={
        <>
          {settings}
          <ChosenModels models={models} isTask={isTask} />
          <div class="pair">
            <TextField label="Voice" value={draft.voice} placeholder="default" set={(voice) => set({ voice })} />
            <SelectField label="Format" value={draft.format} choices={FORMATS} set={(format) => set({ format })} />
          </div>
        </>
      }
      tools={
        <>
          <button type="button" class="small" disabled={runs.length === 0} onClick={clear}>
            Reset
          </button>
          <OpenAsCode
            kind={isTask(first) ? 'task' : 'speech'}
            body={isTask(first) ? taskBody(first, draft) : speechBody(first, draft)}
          />
        </>
      }
    >
      <div class="bench-main">
        {runs.length === 0 && (
          <div class="bench-empty">
            <h2>Generate speech</h2>
            <p>Write a text below. You can play and download the recording.</p>
          </div>
        )}
        <RunColumns
          runs={runs}
          isSandbox={who.kind === 'sandbox'}
          isTask={isTask}
          show={(speech) =>
            typeof speech === 'string' ? <ResultFile url={speech} kind="audio" /> : <Player audio={speech} />
          }
        />
        <form class="composer" onSubmit={submit} onKeyDown={submitByKey}>
          <AreaField
            label="Text to speak"
            rows={2}
            isRequired
            value={draft.input}
            placeholder={EXAMPLE}
            set={(input) => set({ input })}
          />
          <div class="row">
            <RunButton label="Generate" isRunning={isRunning} isReady={models.chosen.length > 0} onStop={stop} />
          </div>
        </form>
      </div>
    </Workbench>
  )
}

function useEngines(who: Who) {
  const { value, error } = useAnswer(pathTo('/admin/playground/info/{feature}/{subfeature}', TASK), who)
  return useMemo(() => {
    const found = value?.models.map(taskChoiceOf).filter(({ provider }) => ALWAYS_THERE.includes(provider))
    return error ? [] : found
  }, [value, error])
}

function isTask(model: string): boolean {
  return model.startsWith(`${TASK.feature}/${TASK.subfeature}/`)
}

function speechBody(model: string, { input, voice, format }: Draft) {
  return {
    model,
    input: input || EXAMPLE,
    voice: voice || DEFAULT_VOICE,
    ...(format !== '' && { response_format: format }),
  }
}

function taskBody(model: string, { input, voice, format }: Draft) {
  const options = { ...(voice !== '' && { voice }), ...(format !== '' && { audio_format: format }) }
  return { model, input: { text: input || EXAMPLE, ...options } }
}

async function speak(model: string, draft: Draft, who: Who, signal: AbortSignal): Promise<Answered<Speech>> {
  if (isTask(model)) {
    const { result, ...facts } = await runTask(taskBody(model, draft), who, signal)
    const output = result as NonNullable<UniversalResponse['output']>
    return { result: (output as { audio_resource_url: string }).audio_resource_url, ...facts }
  }
  const answer = await postJson('/admin/playground/audio/speech', {
    query: who,
    body: speechBody(model, draft),
    signal,
  })
  return { result: await answer.blob(), ...factsIn(answer) }
}
