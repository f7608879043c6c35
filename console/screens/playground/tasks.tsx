import { useState } from 'preact/hooks'
import type { FeatureList, TaskInfo } from '../../../src/contract/info.ts'
import { pathTo } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { ModelFields, modelsIn } from './model-fields.tsx'
import { RunButtons } from './run-buttons.tsx'
import { RunColumns } from './run-columns.tsx'
import { runJob, runTask, type TaskBody } from './run-task.ts'
import { FoldedSamples } from './samples.tsx'
import { TaskFields } from './task-fields.tsx'
import { draftOf, fieldsIn, inputOf, type TaskDraft } from './task-input.ts'
import { TaskOutput } from './task-output.tsx'
import { useRuns } from './use-runs.ts'
import type { Who } from './who-fields.tsx'

/** Everything that is no chat: moderation, OCR, translation, speech to text and more. */
export function Tasks({ who }: { who: Who }) {
  const { query } = useQuery()
  const isKnown = who.project !== undefined
  const task = query.task ?? 'text/moderation'
  const features = useAnswer(isKnown ? '/admin/playground/info' : undefined, who)
  const [feature = '', subfeature = ''] = task.split('/')
  const path = pathTo('/admin/playground/info/{feature}/{subfeature}', { feature, subfeature })
  const info = useAnswer(isKnown ? path : undefined, who)
  const isOfTask = info.value && `${info.value.feature}/${info.value.subfeature}` === task
  return (
    <>
      {features.value && <TaskChoice features={features.value.features} task={task} />}
      <Failure error={features.error ?? info.error} onRetry={info.reload} />
      {!isOfTask && !info.error && <Loading what="the task" />}
      {isOfTask && <OneTask key={task} info={info.value!} who={who} />}
    </>
  )
}

function TaskChoice({ features, task }: { features: FeatureList['features']; task: string }) {
  const { change } = useQuery()
  return (
    <div class="filters">
      <label>
        Task
        <select value={task} onChange={(event) => change({ task: event.currentTarget.value, models: undefined })}>
          {features.map(({ name, fullname, subfeatures }) => (
            <optgroup key={name} label={fullname}>
              {subfeatures.map((one) => (
                <option key={one.name} value={`${name}/${one.name}`}>
                  {one.fullname}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
    </div>
  )
}

function OneTask({ info, who }: { info: TaskInfo; who: Who }) {
  const { query } = useQuery()
  const fields = fieldsIn(info.input_schema)
  const [draft, setDraft] = useState<TaskDraft>(() => draftOf(fields, info.example))
  const [error, setError] = useState<Error>()
  const { runs, start, stop, isRunning } = useRuns<unknown>()
  const names = info.models.map(({ model }) => model)
  const models = modelsIn(query, names.at(-1) ?? `${info.feature}/${info.subfeature}/sandbox`)
  const run = info.mode === 'async' ? runJob : runTask
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setError(undefined)
    try {
      const input = inputOf(fields, draft)
      start(models, (model, signal) => run({ model, input }, who, signal))
    } catch (thrown) {
      setError(thrown as Error)
    }
  }
  return (
    <>
      <p class="faint">
        {info.description} {info.mode === 'async' && 'It runs in the background, and may take minutes.'}
      </p>
      <ModelFields models={models} names={names} />
      <form class="stack composer" onSubmit={submit}>
        <TaskFields
          fields={fields}
          draft={draft}
          set={(name, text) => setDraft((before) => ({ ...before, [name]: text }))}
          who={who}
        />
        <div class="filters">
          <RunButtons label="Run" isRunning={isRunning} onStop={stop} />
        </div>
        <Failure error={error} />
      </form>
      <RunColumns runs={runs} show={(output) => <TaskOutput output={output} />} />
      <FoldedSamples
        kind={info.mode === 'async' ? 'job' : 'task'}
        body={writtenBody(models[0]!, () => inputOf(fields, draft))}
      />
    </>
  )
}

/** While a field is not JSON yet, the request is shown without an input. */
function writtenBody(model: string, read: () => TaskBody['input']): TaskBody {
  try {
    return { model, input: read() }
  } catch {
    return { model, input: {} }
  }
}
