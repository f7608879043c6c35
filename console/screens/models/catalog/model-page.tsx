import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { ModelDetail } from '../../../../src/contract/admin/providers.ts'
import { pathTo, pathWith } from '../../../api/client.ts'
import { may } from '../../../api/session.ts'
import { useAnswer } from '../../../api/use-answer.ts'
import { Facts } from '../../../parts/facts.tsx'
import { count, duration } from '../../../parts/format.ts'
import { Failure, Loading } from '../../../parts/notice.tsx'
import { ScreenHead } from '../../../parts/screen-head.tsx'
import { retirement } from '../../../parts/retirement.ts'
import { dayAgo, LastDay } from '../last-day.tsx'
import { TryModel } from '../try-model.tsx'
import { Allowed, CAPABILITY_NAMES } from './catalog-columns.tsx'
import { perMillion, priceLines } from './prices.ts'

/** The playground has a tab for each of these. */
const PLAYGROUND_VIEWS: Readonly<Record<string, string>> = { chat: '', image: 'image', speech: 'speech' }

/** Everything about one model: what it costs and can do, who serves it, and what calls of the last day were like. */
export function ModelPage({ id }: { id: string }) {
  const [isTrying, setTrying] = useState(false)
  const { value, error, reload } = useAnswer(pathTo('/admin/models/{model}', { model: id }))
  const view = value && PLAYGROUND_VIEWS[value.type]
  const canBeCalled = value?.configured === true && may('keys.write')
  return (
    <>
      <ScreenHead title={id}>
        <a class="button" href={pathWith('/models', { view: may('config.read') ? 'catalog' : undefined })}>
          All models
        </a>
        {may('usage.read') && (
          <a class="button" href={pathWith('/requests', { model: id })}>
            Requests
          </a>
        )}
        {canBeCalled && value.type === 'chat' && (
          <button type="button" onClick={() => setTrying(true)}>
            Test with one token
          </button>
        )}
        {canBeCalled && view !== undefined && (
          <a class="button primary" href={pathWith('/playground', { view, models: id })}>
            Try in the playground
          </a>
        )}
      </ScreenHead>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="the model" />}
      {value && <Page of={value} />}
      {isTrying && <TryModel model={id} onClose={() => setTrying(false)} />}
    </>
  )
}

function Page({ of: model }: { of: ModelDetail }) {
  const { description, hosts, aliases } = model
  return (
    <>
      {description && <p class="page-note">{description}</p>}
      <Lifecycle of={model} />
      <div class="columns">
        <About of={model} />
        <Prices of={model} />
        <Calls of={model} />
      </div>
      <div class="columns">
        {hosts.length > 0 && <Hosts of={model} />}
        <section class="panel">
          <h2>Names and access</h2>
          <Facts
            of={{
              'Callers send': <code>{model.id}</code>,
              'Alias of': model.alias_of && <ModelLink id={model.alias_of} />,
              Aliases: aliases.length > 0 ? aliases.join(', ') : 'none',
              'Allowed for': <Allowed of={model} />,
            }}
          />
        </section>
        <Paused of={model} />
      </div>
    </>
  )
}

function ModelLink({ id, children }: { id: string; children?: ComponentChildren }) {
  return <a href={pathWith('/models', { model: id })}>{children ?? id}</a>
}

function Lifecycle({ of: { retires_at: end, replaced_by: next, configured, provider } }: { of: ModelDetail }) {
  return (
    <>
      {end && (
        <p class="notice">
          <span class="status warn">This model {retirement(end)}.</span>{' '}
          {next && `The provider recommends ${next} instead.`}
        </p>
      )}
      {!configured && (
        <p class="notice">
          This model cannot be called yet: <a href={pathWith('/models', { provider })}>set up {provider}</a>.
        </p>
      )}
    </>
  )
}

function About({ of: model }: { of: ModelDetail }) {
  const { capabilities, provider } = model
  return (
    <section class="panel">
      <h2>About</h2>
      <Facts
        of={{
          Provider: may('config.read') ? <a href={pathWith('/models', { provider })}>{provider}</a> : provider,
          Type: model.type,
          Context: model.context_length && `${count(model.context_length)} tokens`,
          'Max output': model.max_output_tokens && `${count(model.max_output_tokens)} tokens`,
          Input: model.input_modalities.join(', '),
          Output: model.output_modalities.join(', '),
          Regions: model.regions.map(({ name }) => name).join(', '),
          Released: model.released,
          Capabilities: capabilities.length > 0 && <Badges of={capabilities.map((one) => CAPABILITY_NAMES[one])} />,
        }}
      />
    </section>
  )
}

function Badges({ of: texts }: { of: readonly string[] }) {
  return (
    <ul class="badges">
      {texts.map((text) => (
        <li key={text} class="badge">
          {text}
        </li>
      ))}
    </ul>
  )
}

function Prices({ of: { pricing, price_source: source, price_version: day } }: { of: ModelDetail }) {
  const lines = priceLines(pricing)
  return (
    <section class="panel">
      <h2>Price</h2>
      {lines.length === 0 && <p class="faint">No price is known. Calls are counted without a cost.</p>}
      {lines.length > 0 && (
        <table class="plain-table">
          <tbody>
            {lines.map(({ title, price }) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                <td>{price}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {source && (
        <p>
          <small>
            Source: <Source of={source} />
            {day && `, checked ${day}`}
          </small>
        </p>
      )}
    </section>
  )
}

/** The address of a price list, or a sentence such as the name of the config file. */
function Source({ of: source }: { of: string }) {
  if (!source.startsWith('https://')) return <>{source}</>
  return (
    <a href={source} target="_blank" rel="noreferrer noopener">
      {source.replace('https://', '')}
    </a>
  )
}

const MOST_LINES = 200

/** First tokens are not in the sums of the ledger, so the newest calls are asked for. */
function Calls({ of: { id, first_token_ms: observed } }: { of: ModelDetail }) {
  const from = useMemo(dayAgo, [])
  const may24 = may('usage.read')
  const usage = useAnswer(may24 ? '/admin/usage' : undefined, { model: id, group_by: 'model', from })
  const lines = useAnswer(may24 ? '/admin/requests' : undefined, { model: id, from, limit: MOST_LINES })
  const times = lines.value?.items.flatMap(({ first_token_ms: ms }) => ms ?? []).sort((one, other) => one - other) ?? []
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]
  const more = {
    ...(times.length > 0 && { 'First token, median': duration(at(0.5)), 'First token, p95': duration(at(0.95)) }),
    ...(times.length === 0 && observed !== null && { 'First token, observed': duration(observed) }),
  }
  return <LastDay answer={usage} more={more} />
}

function Hosts({ of: { hosts } }: { of: ModelDetail }) {
  return (
    <section class="panel">
      <h2>Other providers of this model</h2>
      <ul class="ranking">
        {hosts.map(({ id, configured, pricing, regions }) => (
          <li key={id}>
            <ModelLink id={id} />
            <span class={configured ? 'amount status good' : 'amount faint'}>
              {configured ? 'callable' : 'not set up'}
            </span>
            <small>
              {perMillion(pricing?.input_cost_per_token)} in, {perMillion(pricing?.output_cost_per_token)} out per 1M ·{' '}
              {regions.map(({ code }) => code).join(', ')}
            </small>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Only operators are told. */
function Paused({ of: { circuits } }: { of: ModelDetail }) {
  const open = circuits?.filter(({ state }) => state !== 'closed') ?? []
  if (open.length === 0) return null
  return (
    <section class="panel">
      <h2>Paused after failures</h2>
      <ul class="ranking">
        {open.map(({ credential, failures, because, retry_in_ms: ms }) => (
          <li key={credential}>
            <span>Credential {credential + 1}</span>
            <span class="amount status bad">{failures} failures in a row</span>
            <small>
              {because}. {ms > 0 ? `Retried in ${duration(ms)}.` : 'Retried with the next request.'}
            </small>
          </li>
        ))}
      </ul>
    </section>
  )
}
