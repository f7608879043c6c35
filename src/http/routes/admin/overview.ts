import { listKeysAs } from '../../../access/key-rights.ts'
import { describeRules, readAlerts } from '../../../alerts/manage-alerts.ts'
import type { AppContext } from '../../../app/context.ts'
import { Overview, type SETUP_STEPS } from '../../../contract/admin/overview.ts'
import { countWatched } from '../../../jobs/admin/watch-jobs.ts'
import { countGivenUp } from '../../../jobs/admin/watch-deliveries.ts'
import { listLimits } from '../../../limits/show-limits.ts'
import { listPeople } from '../../../people/manage-users.ts'
import { mayAnything } from '../../../people/may.ts'
import type { PeopleContext } from '../../../people/people-context.ts'
import type { Permission } from '../../../people/roles.ts'
import { watchTargets } from '../../../routing/watch-targets.ts'
import { closed } from '../../../schema/fields.ts'
import Type from '../../../schema/type.ts'
import { peopleContext } from '../../admin/admin-auth.ts'
import { route } from '../../define-route.ts'
import { readSpan } from './query/line-filter-query.ts'

const Span = Type.Object(
  {
    from: Type.Optional(Type.String({ description: 'Start, inclusive: ISO 8601, or milliseconds since 1970.' })),
    to: Type.Optional(Type.String({ description: 'End, exclusive.' })),
  },
  closed,
)
const MOST_ALERTS = 100
/** These need no account, so they say nothing about whether a real provider is set up. */
const BUILT_IN = ['sandbox', 'local']

export default route({
  method: 'GET',
  path: '/admin/overview',
  access: 'admin',
  permission: 'usage.read',
  summary: 'What may need attention: failures, open alerts, and what is not set up yet',
  description: 'Each part is null if you may not see the list behind it.',
  query: Span,
  replies: { 200: { description: 'The overview.', schema: Overview } },
  handle: async (request, _reply, { context }) => {
    const span = readSpan(request.query, context.now())
    const asking = peopleContext(request, context)
    const [jobs, webhooks, alerts, missing] = await Promise.all([
      ifAllowed(asking, 'jobs.read', () => countWatched(span, asking)),
      ifAllowed(asking, 'jobs.read', () => countGivenUp(span, asking)),
      ifAllowed(asking, 'alerts.read', () => readAlerts({ state: 'open', limit: MOST_ALERTS }, asking)),
      missingSteps(asking),
    ])
    const targets = await ifAllowed(asking, 'config.read', () => watchTargets(context))
    return {
      failed_jobs: jobs?.fail ?? null,
      failed_webhooks: webhooks,
      open_alerts: alerts?.items.length ?? null,
      circuits: targets?.circuits ?? null,
      missing,
    }
  },
})

type Asking = AppContext & PeopleContext

async function ifAllowed<Found>(
  { actor }: Asking,
  permission: Permission,
  ask: () => Found | Promise<Found>,
): Promise<Found | null> {
  return mayAnything(actor, permission) ? await ask() : null
}

type Step = { permission: Permission; isDone: (asking: Asking) => boolean | Promise<boolean> }

const STEPS: Readonly<Record<(typeof SETUP_STEPS)[number], Step>> = {
  provider: { permission: 'config.read', isDone: hasProvider },
  key: { permission: 'keys.read', isDone: async (asking) => hasAny(await listKeysAs(page(1), asking)) },
  budget: { permission: 'config.write', isDone: async (asking) => hasAny(await listLimits('budget', page(1), asking)) },
  receiver: { permission: 'config.write', isDone: (asking) => describeRules(asking).receivers.length > 0 },
  people: { permission: 'users.write', isDone: async (asking) => (await listPeople(page(2), asking)).items.length > 1 },
}

async function missingSteps(asking: Asking): Promise<Overview['missing']> {
  const names = Object.keys(STEPS) as Overview['missing']
  const done = await Promise.all(
    names.map((name) => ifAllowed(asking, STEPS[name].permission, () => STEPS[name].isDone(asking))),
  )
  return names.filter((_, at) => done[at] === false)
}

function hasProvider(asking: Asking): boolean {
  return watchTargets(asking).providers.some(({ id, credentials }) => !BUILT_IN.includes(id) && credentials.length > 0)
}

function hasAny({ items }: { items: readonly unknown[] }): boolean {
  return items.length > 0
}

function page(limit: number) {
  return { limit, cursor: undefined }
}
