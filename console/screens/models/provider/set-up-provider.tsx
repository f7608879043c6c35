import { useState } from 'preact/hooks'
import type { ProviderState } from '../../../../src/contract/admin/providers.ts'
import { pathWith } from '../../../api/client.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { SelectField } from '../../../parts/fields.tsx'
import { NewCredential } from './credentials.tsx'
import { Missing } from './missing.tsx'

type Props = { providers: readonly ProviderState[]; onClose: () => void; onStored: () => void }

/** Which provider, and its key: the shortest way to a real answer. */
export function SetUpProvider({ providers, onClose, onStored }: Props) {
  const offered = providers.filter(({ base_url: url }) => url !== null).toSorted(byPopularity)
  const [id, setId] = useState(offered[0]?.id ?? '')
  const [isStored, setStored] = useState(false)
  const provider = offered.find((one) => one.id === id)
  const choices = Object.fromEntries(offered.map((one) => [one.id, one.name]))
  const stored = () => {
    setStored(true)
    onStored()
  }
  return (
    <Dialog title="Set up a provider" onClose={onClose}>
      <div class="stack">
        <SelectField label="Provider" value={id} set={setId} choices={choices} />
        {provider && <Missing of={provider} />}
        {provider && !needsAddress(provider) && <NewCredential key={id} provider={id} onCreated={stored} />}
        {isStored && (
          <p class="notice" role="status">
            Credential added. <a href={pathWith('/models', { provider: id })}>Open {provider?.name}</a> to try one of
            its models.
          </p>
        )}
      </div>
    </Dialog>
  )
}

/** A part of the address is in the environment, so a key alone does not help. */
function needsAddress({ missing_for: what }: ProviderState): boolean {
  return what === 'address'
}

function byPopularity(one: ProviderState, other: ProviderState): number {
  const rank = ({ popularity }: ProviderState) => popularity ?? Number.MAX_SAFE_INTEGER
  return rank(one) - rank(other) || (one.name < other.name ? -1 : 1)
}
