import { useMemo } from 'preact/hooks'
import type { ProviderState } from '../../../../src/contract/admin/providers.ts'
import { pathWith } from '../../../api/client.ts'
import { may } from '../../../api/session.ts'
import { useAnswer } from '../../../api/use-answer.ts'
import { usePages } from '../../../api/use-pages.ts'
import { breakable, Facts } from '../../../parts/facts.tsx'
import { duration } from '../../../parts/format.ts'
import { Empty, Failure, Loading } from '../../../parts/notice.tsx'
import { ScreenHead } from '../../../parts/screen-head.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { dayAgo, LastDay } from '../last-day.tsx'
import { columnsOfProvider } from '../catalog/catalog-columns.tsx'
import { Credentials } from './credentials.tsx'
import { Missing } from './missing.tsx'
import { hintOf, StateOf } from './provider-state.tsx'

/** Everything about one provider: whether it answers, its keys, its models, and what calls of the last day were like. */
export function ProviderPage({ id }: { id: string }) {
  const { value, error, reload } = useAnswer('/admin/providers')
  const provider = value?.items.find((one) => one.id === id)
  return (
    <>
      <ScreenHead title={provider?.name ?? id}>
        <a class="button" href="/models">
          All providers
        </a>
        {may('usage.read') && (
          <a class="button" href={pathWith('/requests', { provider: id })}>
            Requests
          </a>
        )}
      </ScreenHead>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="the provider" />}
      {value && !provider && (
        <Empty title="Provider not found">
          <p>
            This gateway has no provider <code>{id}</code>.
          </p>
        </Empty>
      )}
      {provider && <Page of={provider} onChanged={reload} />}
    </>
  )
}

function Page({ of: provider, onChanged }: { of: ProviderState; onChanged: () => void }) {
  const { id, base_url: url } = provider
  const from = useMemo(dayAgo, [])
  const usage = useAnswer(may('usage.read') ? '/admin/usage' : undefined, { provider: id, group_by: 'model', from })
  const models = usePages('/admin/models', { provider: id, order: 'popular' })
  const columns = useMemo(() => columnsOfProvider(usage.value?.items), [usage.value])
  return (
    <>
      <div class="columns">
        <Connection of={provider} />
        <LastDay answer={usage} />
      </div>
      <SetAside of={provider} />
      {url !== null && <Credentials provider={id} onChanged={onChanged} />}
      <h2 class="section-head">Models</h2>
      <PagedTable label="Models" columns={columns} keyOf={(model) => model.id} pages={models} noun="model">
        <Empty title="No models in the catalog">
          <p>
            {provider.local
              ? 'The server reports no models.'
              : 'The gateway passes any model name on to this provider.'}{' '}
            Callers send <code>{id}/…</code>.
          </p>
        </Empty>
      </PagedTable>
    </>
  )
}

function Connection({ of: provider }: { of: ProviderState }) {
  const { id, state, base_url: url, regions, data_policy: policy, other_names: names } = provider
  const because = provider.unreachable_because
  return (
    <section class="panel">
      <h2>Connection</h2>
      <p>
        <StateOf of={provider} /> <small>{because ? `${because}.` : hintOf(state)}</small>
      </p>
      <Facts
        of={{
          ID: <code>{id}</code>,
          Address: url && <code>{breakable(url)}</code>,
          'Address variable': provider.base_url_variable && <code>{provider.base_url_variable}</code>,
          Regions: regions.map(({ name }) => name).join(', '),
          'Data policy': policy && <DataPolicy of={policy} />,
          'Other names': names.join(', '),
        }}
      />
      <Missing of={provider} />
    </section>
  )
}

/** What the provider promises, and where. A server of one's own promises it nowhere. */
function DataPolicy({ of: { promise, source } }: { of: NonNullable<ProviderState['data_policy']> }) {
  const text = promise.replaceAll('_', ' ')
  if (!source.startsWith('https://')) return <>{`${text} (${source})`}</>
  return (
    <a href={source} target="_blank" rel="noreferrer noopener">
      {text}
    </a>
  )
}

/** A key that fails for a model rests, and others are used meanwhile. */
function SetAside({ of: { credentials } }: { of: ProviderState }) {
  const aside = credentials.flatMap(({ index, ends_with: end, set_aside }) =>
    set_aside.map((circuit) => ({ ...circuit, key: end ? `…${end}` : `${index + 1}` })),
  )
  if (aside.length === 0) return null
  return (
    <section class="panel">
      <h2>Paused after failures</h2>
      <ul class="ranking">
        {aside.map(({ model, key, because, retry_in_ms: ms }) => (
          <li key={`${model} ${key}`}>
            <a href={pathWith('/models', { model })}>{model}</a>
            <span class="amount status bad">credential {key}</span>
            <small>
              {because}. {ms > 0 ? `Retried in ${duration(ms)}.` : 'Retried with the next request.'}
            </small>
          </li>
        ))}
      </ul>
    </section>
  )
}
