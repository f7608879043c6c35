import { useState } from 'preact/hooks'
import type { ImageResponse } from '../../../src/contract/images.ts'
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

type Draft = { prompt: string; size: string; n: string }

const COUNTS = { '1': '1', '2': '2', '3': '3', '4': '4' }

/** Images from a description. */
export function Image({ who }: { who: Who }) {
  const { query } = useQuery()
  const [draft, setDraft] = useState<Draft>({ prompt: '', size: '', n: '1' })
  const { runs, start, stop, isRunning } = useRuns<ImageResponse>()
  const { names, error } = useModelNames('/admin/playground/images/models', who)
  const models = modelsIn(query, 'sandbox/image')
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    start(models, (model, signal) => draw({ query: who, body: bodyOf(model, draft), signal }))
  }
  return (
    <>
      <ModelFields models={models} names={names} />
      <Failure error={error} />
      <form class="stack composer" onSubmit={submit}>
        <AreaField
          label="What the image shows"
          rows={3}
          isRequired
          value={draft.prompt}
          placeholder="A lighthouse in the fog, as a woodcut"
          set={(prompt) => set({ prompt })}
        />
        <div class="filters">
          <TextField label="Size" value={draft.size} placeholder="of the model" set={(size) => set({ size })} />
          <SelectField label="How many" value={draft.n} choices={COUNTS} set={(n) => set({ n })} />
          <RunButtons label="Draw" isRunning={isRunning} onStop={stop} />
        </div>
      </form>
      <RunColumns runs={runs} show={(result) => <Images of={result} prompt={draft.prompt} />} />
      <FoldedSamples kind="image" body={bodyOf(models[0]!, draft)} />
    </>
  )
}

/** The bytes themselves: this page shows nothing of other hosts. */
function bodyOf(model: string, { prompt, size, n }: Draft) {
  return {
    ...{ model, prompt: prompt || 'A lighthouse in the fog, as a woodcut', n: Number(n) },
    ...(size !== '' && { size }),
    response_format: 'b64_json' as const,
  }
}

const PATH = '/admin/playground/images/generations'

async function draw(posted: Posted<typeof PATH>): Promise<Answered<ImageResponse>> {
  const answer = await postJson(PATH, posted)
  const result = (await answer.json()) as ImageResponse
  return { result, cost: result.cost ?? null, request: factsIn(answer).request }
}

function Images({ of: { data, output_format: format = 'png' }, prompt }: { of: ImageResponse; prompt: string }) {
  return (
    <ul class="pictures">
      {data.map(({ b64_json: bytes, url }, at) => (
        <li key={at}>
          {bytes && <img src={`data:image/${format};base64,${bytes}`} alt={prompt} />}
          {!bytes && url?.startsWith('https://') && (
            <a href={url} target="_blank" rel="noreferrer">
              Open the image
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}
