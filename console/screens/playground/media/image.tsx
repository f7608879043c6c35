import { useState } from 'preact/hooks'
import type { ImageResponse } from '../../../../src/contract/images.ts'
import { type Posted, postJson } from '../../../api/client.ts'
import { AreaField, SelectField, TextField } from '../../../parts/fields.tsx'
import { OpenAsCode } from '../code/open-as-code.tsx'
import { ChosenModels } from '../models/chosen-models.tsx'
import { useModels, useRemembered } from '../models/use-models.ts'
import { RunButton } from '../run/run-button.tsx'
import { RunColumns } from '../run/run-columns.tsx'
import { submitByKey } from '../run/submit-by-key.ts'
import { type Answered, factsIn, useRuns } from '../run/use-runs.ts'
import { type BenchProps, Workbench } from '../workbench.tsx'

type Draft = { prompt: string; size: string; n: string }

const COUNTS = { '1': '1', '2': '2', '3': '3', '4': '4' }
const EXAMPLE = 'A lighthouse in the fog, as a woodcut'

/** Images from a description. */
export function Image({ who, settings }: BenchProps) {
  const [draft, setDraft] = useState<Draft>({ prompt: '', size: '', n: '1' })
  const [shown, setShown] = useState('')
  const { runs, start, stop, clear, isRunning } = useRuns<ImageResponse>()
  const models = useModels('/admin/playground/images/models', who)
  useRemembered(models.chosen, isRunning)
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setShown(draft.prompt)
    start(models.chosen, (model, signal) => draw({ query: who, body: bodyOf(model, draft), signal }))
  }
  return (
    <Workbench
      settings={
        <>
          {settings}
          <ChosenModels models={models} />
          <div class="pair">
            <TextField label="Size" value={draft.size} placeholder="model default" set={(size) => set({ size })} />
            <SelectField label="Number of images" value={draft.n} choices={COUNTS} set={(n) => set({ n })} />
          </div>
        </>
      }
      tools={
        <>
          <button type="button" class="small" disabled={runs.length === 0} onClick={clear}>
            Reset
          </button>
          <OpenAsCode kind="image" body={bodyOf(models.chosen[0] ?? 'sandbox/image', draft)} />
        </>
      }
    >
      <div class="bench-main">
        {runs.length === 0 && (
          <div class="bench-empty">
            <h2>Generate an image</h2>
            <p>Write a prompt below. Up to four models get the same prompt, side by side.</p>
          </div>
        )}
        {shown !== '' && runs.length > 0 && <p class="prompt said">{shown}</p>}
        <RunColumns
          runs={runs}
          isSandbox={who.kind === 'sandbox'}
          show={(result) => <Images of={result} prompt={shown} />}
        />
        <form class="composer" onSubmit={submit} onKeyDown={submitByKey}>
          <AreaField
            label="Prompt"
            rows={2}
            isRequired
            value={draft.prompt}
            placeholder={EXAMPLE}
            set={(prompt) => set({ prompt })}
          />
          <div class="row">
            <RunButton label="Generate" isRunning={isRunning} isReady={models.chosen.length > 0} onStop={stop} />
          </div>
        </form>
      </div>
    </Workbench>
  )
}

/** The bytes themselves: this page shows nothing of other hosts. */
function bodyOf(model: string, { prompt, size, n }: Draft) {
  return {
    model,
    prompt: prompt || EXAMPLE,
    n: Number(n),
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
          {bytes && (
            <>
              <img src={`data:image/${format};base64,${bytes}`} alt={prompt} />
              <a href={`data:image/${format};base64,${bytes}`} download={`image-${at + 1}.${format}`}>
                Download<span class="sr-only"> image {at + 1}</span>
              </a>
            </>
          )}
          {!bytes && url?.startsWith('https://') && (
            <a href={url} target="_blank" rel="noopener noreferrer">
              Open image
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}
