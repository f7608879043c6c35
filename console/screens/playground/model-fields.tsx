import { useMemo } from 'preact/hooks'
import type { PathOf } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { type Texts, useQuery } from '../../parts/use-query.ts'
import type { Who } from './who-fields.tsx'

const MAX_MODELS = 4

/** The models of the address, or this one. */
export function modelsIn({ models }: Texts, usual: string): readonly string[] {
  return (models ?? usual).split(',').slice(0, MAX_MODELS)
}

type ModelsPath = Extract<PathOf<'GET'>, `/admin/playground/${string}models`>

/** The names of models that the project may use. */
export function useModelNames(path: ModelsPath, who: Who) {
  const { value, error } = useAnswer(who.project === undefined ? undefined : path, who)
  return useMemo(() => ({ names: value?.data.map(({ id }) => id) ?? [], error }), [value, error])
}

type Props = { models: readonly string[]; names: readonly string[] }

/** One to four models that get the same request. */
export function ModelFields({ models, names }: Props) {
  const { change } = useQuery()
  const set = (changed: readonly string[]) => change({ models: changed.join(',') })
  const other = names.find((name) => !models.includes(name)) ?? models.at(-1)!
  return (
    <div class="filters">
      {models.map((model, at) => (
        <div class="model-field" key={at}>
          <label>
            Model {at + 1}
            <input
              required
              list="models"
              value={model}
              onChange={(event) => set(models.with(at, event.currentTarget.value))}
            />
          </label>
          {models.length > 1 && (
            <button type="button" aria-label={`Remove model ${at + 1}`} onClick={() => set(models.toSpliced(at, 1))}>
              ✕
            </button>
          )}
        </div>
      ))}
      {models.length < MAX_MODELS && (
        <button type="button" onClick={() => set([...models, other])}>
          Compare with another model
        </button>
      )}
      <datalist id="models">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  )
}
