import type { LimitBody } from '../../src/contract/admin/limits.ts'
import { pathWith } from '../api/client.ts'
import { mayEverywhere, mayIn } from '../api/session.ts'
import { limitText } from './limit-amounts.ts'
import { LimitBar, LimitPace } from './limit-bar.tsx'
import { useProjectNames } from './use-names.ts'

type Props = { limits: readonly LimitBody[]; what: string }

/** The limits that calls are counted against, as the gateway says, and where each of them comes from. */
export function ApplyingLimits({ limits, what }: Props) {
  const projectName = useProjectNames()
  if (limits.length === 0) return <p class="faint">None. No budget and no rate limit applies to {what}.</p>
  return (
    <ul class="ranking">
      {limits.map((limit) => (
        <ApplyingLimit key={limit.id} limit={limit} projectName={projectName} />
      ))}
    </ul>
  )
}

type LimitProps = { limit: LimitBody; projectName: (id: string) => string }

function ApplyingLimit({ limit, projectName }: LimitProps) {
  const { applies_to: who, per, owned_by: owner, mode } = limit
  return (
    <li>
      <span>
        <LimitName limit={limit} />: {limitText(limit)}
        {mode === 'shadow' && ', monitor only'}
      </span>
      <LimitPace limit={limit} />
      <LimitBar limit={limit} />
      <small>
        For {originOf(who, projectName)}
        {per && `, per ${per.replace('_', ' ')}`}
        {onlyFor(limit)} · set in {owner === 'file' ? 'the config file' : 'the console or API'}
      </small>
    </li>
  )
}

/** A link, if the person may open it: a limit that others have set applies all the same. */
export function LimitName({ limit: { id, name, unit, applies_to: who } }: { limit: LimitBody }) {
  const project = who.startsWith('project:') ? who.slice('project:'.length) : undefined
  const maySee = mayEverywhere('limits.read') || (project !== undefined && mayIn('limits.read', { project }))
  if (!maySee) return <span>{name ?? id}</span>
  return (
    <a class="leading-link" href={pathWith('/budgets', unit === 'usd' ? { budget: id } : { rate_limit: id })}>
      {name ?? id}
    </a>
  )
}

/** A limit of some calls does not limit the others. */
function onlyFor({ models, providers, endpoints, tags }: LimitBody): string {
  const labels = Object.entries(tags ?? {}).map(([name, value]) => `${name}=${value}`)
  const named = [...(models ?? []), ...(providers ?? []), ...(endpoints ?? []), ...labels]
  return named.length > 0 ? `, only for ${named.join(', ')}` : ''
}

function originOf(who: string, projectName: (id: string) => string): string {
  const [kind, ...name] = who.split(':')
  if (who === 'all') return 'the whole gateway'
  if (kind === 'project') return `the project ${projectName(name.join(':'))}`
  return kind === 'key' ? 'this key' : `the ${kind?.replace('_', ' ')} ${name.join(':')}`
}
