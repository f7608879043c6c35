import { useCallback, useEffect } from 'preact/hooks'
import { Dialog } from '../../../parts/dialog.tsx'
import { type Option, Picker } from '../../../parts/picker.tsx'
import { type ModelChoice, sorted } from './model-choice.ts'
import { recentModels } from './recent-models.ts'
import { SetUpLink } from './set-up-link.tsx'
import type { Models } from './use-models.ts'

type Props = { models: Models; title: string; onPick: (id: string) => void; onClose: () => void }

/** More are found by typing. */
const MAX_SHOWN = 60
const MAX_NAMED = 6

/** What can be called is on top, with price, context and capabilities; below is what an admin would have to set up. */
export function ModelPicker({ models: { choices = [], showAll, isAllShown }, title, onPick, onClose }: Props) {
  const find = useCallback((text: string) => optionsOf(choices, text), [choices])
  const isOnlySandbox = choices.every(({ isSimulated }) => isSimulated)
  useEffect(() => {
    if (isOnlySandbox) showAll?.()
  }, [isOnlySandbox])
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="model-picker">
        <Picker
          label="Search models"
          placeholder="Name, provider or capability, such as vision"
          find={find}
          isFree
          onPick={({ value }) => onPick(value)}
        />
        {showAll && !isAllShown && (
          <button type="button" onClick={showAll}>
            Show models that are not set up, too
          </button>
        )}
        <NotSetUp choices={choices} />
      </div>
    </Dialog>
  )
}

function NotSetUp({ choices }: { choices: readonly ModelChoice[] }) {
  const missing = new Map(sorted(choices).flatMap((one) => (one.isAvailable ? [] : [[one.provider, one.providerName]])))
  if (missing.size === 0) return null
  const rest = missing.size - MAX_NAMED
  return (
    <p class="faint">
      {missing.size} providers are not set up:{' '}
      {[...missing].slice(0, MAX_NAMED).map(([id, name]) => (
        <span key={id} class="missing-provider">
          <SetUpLink provider={id} name={name} />
        </span>
      ))}
      {rest > 0 && `and ${rest} more.`}
    </p>
  )
}

function optionsOf(choices: readonly ModelChoice[], text: string): Option[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = choices.filter((choice) => words.every((word) => wordsOf(choice).includes(word)))
  return sorted(found, recentModels())
    .slice(0, MAX_SHOWN)
    .map((choice) => ({
      value: choice.id,
      title: choice.id,
      hint: stateOf(choice),
      detail: [choice.price, ...choice.facts].filter(Boolean).join(' · '),
    }))
}

/** People call image input vision. */
function wordsOf({ id, providerName, price, facts }: ModelChoice): string {
  const words = [id, providerName, price, ...facts].join(' ').toLowerCase()
  return words.includes('image input') ? `${words} vision` : words
}

function stateOf({ isAvailable, isSimulated }: ModelChoice): string {
  if (!isAvailable) return 'Not set up'
  return isSimulated ? 'Sandbox' : 'Available'
}
