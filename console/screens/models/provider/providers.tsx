import type { ProviderState } from '../../../../src/contract/admin/providers.ts'
import { pathWith } from '../../../api/client.ts'
import { may } from '../../../api/session.ts'
import { useAnswer } from '../../../api/use-answer.ts'
import { breakable } from '../../../parts/facts.tsx'
import { plural } from '../../../parts/format.ts'
import { Icon } from '../../../parts/icons/icon.tsx'
import { Empty, Failure, Loading } from '../../../parts/notice.tsx'
import { useDialog, useQuery } from '../../../parts/use-query.ts'
import { isInUse, missingText, StateOf } from './provider-state.tsx'
import { SetUpProvider } from './set-up-provider.tsx'

/** Those that are set up on top, then the ones that most people look for, then all others. */
export function Providers() {
  const { query, change } = useQuery()
  const { value, error, reload } = useAnswer('/admin/providers')
  const setUp = useDialog('provider')
  const text = query.search ?? ''
  return (
    <>
      <search class="search-line">
        <label>
          Search providers
          <input
            type="search"
            placeholder="OpenAI, Bedrock, Ollama…"
            value={text}
            onInput={(event) => change({ search: event.currentTarget.value }, true)}
          />
        </label>
        {may('config.write') && (
          <div class="actions">
            <button type="button" class="primary" onClick={setUp.open}>
              <Icon name="add" /> Set up a provider
            </button>
          </div>
        )}
      </search>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="providers" />}
      {value && <Groups providers={value.items.filter((one) => isFound(one, text))} text={text} />}
      {setUp.isOpen && value && may('config.write') && (
        <SetUpProvider providers={value.items} onClose={setUp.close} onStored={reload} />
      )}
    </>
  )
}

/** Azure is also found as `microsoft`, Bedrock as `amazon`. */
function isFound({ id, name, other_names: others }: ProviderState, text: string): boolean {
  return [id, name, ...others].some((one) => one.toLowerCase().includes(text.trim().toLowerCase()))
}

function Groups({ providers, text }: { providers: readonly ProviderState[]; text: string }) {
  if (providers.length === 0)
    return (
      <Empty title="No providers match">
        <p>
          The gateway knows no provider “{text}”. You can add any server with an OpenAI-compatible API in the config
          file, under <code>providers</code>.
        </p>
      </Empty>
    )
  const groups = Object.entries(Object.groupBy(providers, groupOf))
  return (
    <>
      {ORDER.flatMap((title) => groups.filter(([name]) => name === title)).map(([title, members]) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul class="cards">
            {members!.map((provider) => (
              <li key={provider.id}>
                <Card of={provider} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

const ORDER = ['Set up', 'Popular', 'On your machines', 'More providers', 'Inside the gateway'] as const

function groupOf(provider: ProviderState): (typeof ORDER)[number] {
  if (provider.base_url === null) return 'Inside the gateway'
  if (isInUse(provider)) return 'Set up'
  if (provider.local) return 'On your machines'
  return provider.popularity === null ? 'More providers' : 'Popular'
}

function Card({ of: provider }: { of: ProviderState }) {
  const { id, name, models, credentials, base_url: url, local } = provider
  const keys = credentials.length
  // A server that does not answer lists no models.
  const facts = [models > 0 && plural(models, 'model'), keys > 0 && plural(keys, 'credential')].filter(Boolean)
  return (
    <a class="provider-card" href={pathWith('/models', { provider: id })}>
      <span class="monogram" aria-hidden="true">
        {name.slice(0, 1)}
      </span>
      <span>
        <span class="title">{name}</span>
        <small>{[<StateOf key="state" of={provider} />, ...facts.map((fact) => ` · ${fact}`)]}</small>
        {local && url && <small>{breakable(url)}</small>}
        {missingText(provider) && <small>needs {breakable(missingText(provider))}</small>}
      </span>
    </a>
  )
}
