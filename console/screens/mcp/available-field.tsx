import { useState } from 'preact/hooks'
import { SelectField } from '../../parts/fields.tsx'
import { HolderChoice, type NamedKind } from '../../parts/holder-choice.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { useHolderNames } from '../../parts/use-names.ts'

const WHO = { all: 'Everyone', some: 'Only some' }
const KINDS: Record<NamedKind, string> = {
  project: 'A project',
  organization: 'An organization',
  user: 'A user',
  key: 'A key',
}

type Props = { holders: readonly string[]; set: (holders: readonly string[]) => void }

/** Who may use a server: everyone, or those that are added one by one. */
export function AvailableField({ holders, set }: Props) {
  const isForAll = holders.includes('all')
  return (
    <fieldset class="stack">
      <legend>Access</legend>
      <SelectField
        {...{ label: 'Available to', value: isForAll ? 'all' : 'some', choices: WHO }}
        set={(who: keyof typeof WHO) => set(who === 'all' ? ['all'] : [])}
      />
      {!isForAll && <Holders holders={holders} set={set} />}
      {!isForAll && <AddHolder onAdd={(one) => set([...new Set([...holders, one])])} />}
    </fieldset>
  )
}

function Holders({ holders, set }: Props) {
  const holderName = useHolderNames()
  if (holders.length === 0) return <p class="faint">Add at least one project, organization, user or key.</p>
  return (
    <ul class="chips" aria-label="Available to">
      {holders.map((one) => (
        <li key={one} class="chip">
          <span class="chip-text">{holderName(one)}</span>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${holderName(one)}`}
            onClick={() => set(holders.filter((other) => other !== one))}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  )
}

function AddHolder({ onAdd }: { onAdd: (holder: string) => void }) {
  const [kind, setKind] = useState<NamedKind>('project')
  const [id, setId] = useState('')
  const add = ({ currentTarget: button }: { currentTarget: HTMLElement }) => {
    onAdd(`${kind}:${id.trim()}`)
    setId('')
    // The button is disabled then.
    button.parentElement?.querySelector('select')?.focus()
  }
  return (
    <div class="filters">
      <SelectField
        {...{ label: 'Add', value: kind, choices: KINDS }}
        set={(one: NamedKind) => {
          setKind(one)
          setId('')
        }}
      />
      <HolderChoice kind={kind} value={id} set={setId} />
      <button type="button" onClick={add} disabled={id.trim() === ''}>
        Add
      </button>
    </div>
  )
}
