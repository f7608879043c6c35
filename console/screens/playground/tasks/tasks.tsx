import { useMemo, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { FeatureList, TaskInfo } from '../../../../src/contract/info.ts'
import { pathTo } from '../../../api/client.ts'
import { useAnswer } from '../../../api/use-answer.ts'
import { Failure, Loading } from '../../../parts/notice.tsx'
import { useQuery } from '../../../parts/use-query.ts'
import { OpenAsCode } from '../code/open-as-code.tsx'
import { ChosenModels } from '../models/chosen-models.tsx'
import { taskChoiceOf } from '../models/model-choice.ts'
import { useChosen, useRemembered } from '../models/use-models.ts'
import { RunButton } from '../run/run-button.tsx'
import { RunColumns } from '../run/run-columns.tsx'
import { submitByKey } from '../run/submit-by-key.ts'
import { useRuns } from '../run/use-runs.ts'
import type { Who } from '../who/who-fields.tsx'
import { type BenchProps, Workbench } from '../workbench.tsx'
import { runJob, runTask, type TaskBody } from './run-task.ts'
import { TaskFields } from './task-fields.tsx'
import { draftOf, fieldsIn, inputOf, type TaskDraft } from './task-input.ts'
import { TaskOutput } from './task-output.tsx'

/** Everything that is no chat: moderation, OCR, translation and more. */
export function Tasks({ who, settings }: BenchProps) {
  const { query } = useQuery()
  const task = query.task ?? 'text/moderation'
  const features = useAnswer('/admin/playground/info', who)
  return (
    <>
      <Failure error={features.error} onRetry={features.reload} />
      <OneOfTasks
        who={who}
        task={task}
        settings={
          <>
            {settings}
            {features.value && <TaskChoice features={features.value.features} task={task} />}
          </>
        }
      />
    </>
  )
}

/** The task that is named, once its fields are known. */
export function OneOfTasks({ who, settings, task }: BenchProps & { task: string }) {
  const [feature = '', subfeature = ''] = task.split('/')
  const path = pathTo('/admin/playground/info/{feature}/{subfeature}', { feature, subfeature })
  const { value, error, reload } = useAnswer(path, who)
  const isOfTask = value && `${value.feature}/${value.subfeature}` === task
  if (isOfTask) return <OneTask key={task} info={value} who={who} settings={settings} />
  return (
    <Workbench settings={settings} tools={null}>
      <Failure error={error} onRetry={reload} />
      {!error && <Loading what="the task" />}
    </Workbench>
  )
}

function TaskChoice({ features, task }: { features: FeatureList['features']; task: string }) {
  const { change } = useQuery()
  return (
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
  )
}

type Props = { info: TaskInfo; who: Who; settings: ComponentChildren }

function OneTask({ info, who, settings }: Props) {
  const fields = fieldsIn(info.input_schema)
  const [draft, setDraft] = useState<TaskDraft>(() => draftOf(fields, info.example))
  const [error, setError] = useState<Error>()
  const { runs, start, stop, clear, isRunning } = useRuns<unknown>()
  const models = useTaskModels(info)
  const run = info.mode === 'async' ? runJob : runTask
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setError(undefined)
    try {
      const input = inputOf(fields, draft)
      start(models.chosen, (model, signal) => run({ model, input }, who, signal))
    } catch (thrown) {
      setError(thrown as Error)
    }
  }
  useRemembered(models.chosen, isRunning)
  const body = writtenBody(models.chosen[0] ?? `${info.feature}/${info.subfeature}/sandbox`, () =>
    inputOf(fields, draft),
  )
  return (
    <Workbench
      settings={
        <>
          {settings}
          <ChosenModels models={models} isTask={() => true} />
        </>
      }
      tools={
        <>
          <button type="button" class="small" disabled={runs.length === 0} onClick={clear}>
            Reset
          </button>
          <OpenAsCode kind={info.mode === 'async' ? 'job' : 'task'} body={body} />
        </>
      }
    >
      <form class="stack task-form" onSubmit={submit} onKeyDown={submitByKey}>
        <h2>{info.subfeature_fullname}</h2>
        <p class="faint">
          {info.description} {info.mode === 'async' && 'This task runs in the background and may take minutes.'}
        </p>
        <TaskFields
          fields={fields}
          draft={draft}
          set={(name, text) => setDraft((before) => ({ ...before, [name]: text }))}
          isRecorded={info.feature === 'audio'}
          who={who}
        />
        <div class="row">
          <RunButton label="Run" isRunning={isRunning} isReady={models.chosen.length > 0} onStop={stop} />
        </div>
        <Failure error={error} />
      </form>
      <RunColumns
        runs={runs}
        isSandbox={who.kind === 'sandbox'}
        isTask={() => true}
        show={(output) => <TaskOutput output={output} />}
      />
    </Workbench>
  )
}

/** The gateway lists providers that are set up. */
function useTaskModels(info: TaskInfo) {
  const choices = useMemo(() => info.models.map(taskChoiceOf), [info])
  return { ...useChosen(choices), showAll: undefined, isAllShown: false, error: undefined }
}

/** While a field is not JSON yet, the request is shown without an input. */
function writtenBody(model: string, read: () => TaskBody['input']): TaskBody {
  try {
    return { model, input: read() }
  } catch {
    return { model, input: {} }
  }
}
