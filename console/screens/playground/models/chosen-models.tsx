import { useRef, useState } from 'preact/hooks'
import { Failure } from '../../../parts/notice.tsx'
import { type ModelChoice, providerName, providerOf } from './model-choice.ts'
import { ModelPicker } from './model-picker.tsx'
import { SetUpLink } from './set-up-link.tsx'
import type { Models } from './use-models.ts'

type Props = {
  models: Models
  /** Whether the name of a model begins with a task. */
  isTask?: (model: string) => boolean
}

/** The models that get the same request, with what they cost, and buttons for others. */
export function ChosenModels({ models, isTask = () => false }: Props) {
  const { choices, chosen, add, remove, error } = models
  const adding = useRef<HTMLButtonElement>(null)
  const [picking, setPicking] = useState<number>()
  const pick = (id: string) => {
    if (picking === chosen.length) add?.(id)
    else models.replace(picking!, id)
    setPicking(undefined)
  }
  return (
    <fieldset class="chosen-models">
      <legend>Models</legend>
      {!choices && !error && <p class="loading">Loading models…</p>}
      <ol>
        {chosen.map((id, at) => (
          <li key={at}>
            <button type="button" class="model-button" onClick={() => setPicking(at)}>
              <span class="sr-only">Model {at + 1}: </span>
              <span class="model-name">{id}</span>
              <span class="sr-only">. Change it</span>
            </button>
            {remove && (
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${id}`}
                onClick={() => {
                  remove(at)
                  // The button is gone with the model.
                  adding.current?.focus()
                }}
              >
                ✕
              </button>
            )}
            <ModelFacts
              of={choices?.find((one) => one.id === id)}
              isKnown={choices !== undefined}
              provider={providerOf(id, isTask(id))}
            />
          </li>
        ))}
      </ol>
      <button ref={adding} type="button" disabled={!add || !choices} onClick={() => setPicking(chosen.length)}>
        + Add a model
      </button>
      <Failure error={error} />
      {picking !== undefined && (
        <ModelPicker
          models={models}
          title={picking === chosen.length ? 'Add a model' : 'Choose a model'}
          onPick={pick}
          onClose={() => setPicking(undefined)}
        />
      )}
    </fieldset>
  )
}

type FactsProps = { of: ModelChoice | undefined; isKnown: boolean; provider: string }

function ModelFacts({ of: choice, isKnown, provider }: FactsProps) {
  if (!isKnown) return null
  if (!choice?.isAvailable)
    return (
      <small class="model-facts">
        Not available here. <SetUpLink provider={provider} name={choice?.providerName ?? providerName(provider)} />
      </small>
    )
  return (
    <small class="model-facts">
      {choice.isSimulated && <span class="badge">Sandbox</span>}{' '}
      {[choice.price, ...choice.facts].filter(Boolean).join(' · ')}
    </small>
  )
}
