import type { ProviderState } from '../../../src/contract/admin/providers.ts'
import { pathWith } from '../../api/client.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { count, duration } from '../../parts/format.ts'
import { useQuery } from '../../parts/use-query.ts'
import { Credentials } from './credentials.tsx'
import { missingText, StateOf } from './provider-state.tsx'

type Props = { of: ProviderState; onChanged: () => void }

export function ProviderDetail({ of: provider, onChanged }: Props) {
  const { change } = useQuery()
  const { id, name, models, simulated } = provider
  return (
    <Dialog title={name} isDrawer onClose={() => change({ provider: undefined })}>
      <Facts of={{ State: <StateOf of={provider} />, Id: id, Models: count(models), Missing: missingText(provider) }} />
      <p class="links-line">
        <a href={pathWith('/models', { view: 'catalog', provider: id })}>Its models</a>
        <a href={pathWith('/requests', { provider: id })}>Its requests</a>
      </p>
      <Missing of={provider} />
      <SetAside of={provider} />
      {!simulated && <Credentials provider={id} onChanged={onChanged} />}
    </Dialog>
  )
}

function Missing({ of: { missing, missing_all: isAll } }: { of: ProviderState }) {
  if (missing.length === 0) return null
  const lines = (isAll ? missing : missing.slice(0, 1)).map((name) => `export ${name}='…'`)
  return (
    <section>
      <h3>To set it up</h3>
      <p class="faint">Start the gateway with {isAll ? 'these variables' : 'this variable'}, or store a key below.</p>
      <CodeBlock label="the variables" text={lines.join('\n')} />
    </section>
  )
}

/** A key that fails for a model rests, and others are used meanwhile. */
function SetAside({ of: { credentials } }: { of: ProviderState }) {
  const aside = credentials.flatMap(({ index, ends_with: end, set_aside }) =>
    set_aside.map((circuit) => ({ ...circuit, key: end ? `…${end}` : `number ${index + 1}` })),
  )
  if (aside.length === 0) return null
  return (
    <section>
      <h3>Set aside</h3>
      <ul class="ranking">
        {aside.map(({ model, key, because, retry_in_ms: ms }) => (
          <li key={`${model} ${key}`}>
            <span>{model}</span>
            <span class="amount status bad">key {key}</span>
            <small>
              {because}. {ms > 0 ? `Asked again in ${duration(ms)}.` : 'The next call tries it again.'}
            </small>
          </li>
        ))}
      </ul>
    </section>
  )
}
