import type { FastifyRequest } from 'fastify'
import { listKeysAs } from '../../../tenants/access/manage-keys.ts'
import { describeRules, readAlerts } from '../../../jobs/alerts/manage-alerts.ts'
import { Overview, type SETUP_STEPS } from '../../../contract/admin/overview.ts'
import { countWatched } from '../../../jobs/admin/watch-jobs.ts'
import { countGivenUp } from '../../../jobs/admin/watch-deliveries.ts'
import { listLimits } from '../../../money/limits/show-limits.ts'
import { listPeople } from '../../../tenants/people/manage-users.ts'
import { mayAnything } from '../../../tenants/people/may.ts'
import type { Permission } from '../../../tenants/people/roles.ts'
import { watchTargets } from '../../../calls/routing/watch-targets.ts'
import { closed } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'
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
  handle: async (request, _reply, services) => {
    const span = readSpan(request.query, services.jobs.now())
    const jobServices = askedBy(request, services.jobs)
    const [jobs, webhooks, alerts, missing] = await Promise.all([
      ifAllowed(request, 'jobs.read', () => countWatched(span, jobServices)),
      ifAllowed(request, 'jobs.read', () => countGivenUp(span, jobServices)),
      ifAllowed(request, 'alerts.read', () => readAlerts({ state: 'open', limit: MOST_ALERTS }, jobServices)),
      missingSteps(request, services),
    ])
    const targets = await ifAllowed(request, 'config.read', () => watchTargets(services.calls, services.operations))
    return {
      failed_jobs: jobs?.fail ?? null,
      failed_webhooks: webhooks,
      open_alerts: alerts?.items.length ?? null,
      circuits: targets?.circuits ?? null,
      missing,
    }
  },
})

async function ifAllowed<Found>(
  { actor }: Pick<FastifyRequest, 'actor'>,
  permission: Permission,
  ask: () => Found | Promise<Found>,
): Promise<Found | null> {
  return mayAnything(actor, permission) ? await ask() : null
}

type Step = {
  permission: Permission
  isDone: (request: FastifyRequest, services: HttpServices) => boolean | Promise<boolean>
}

const STEPS: Readonly<Record<(typeof SETUP_STEPS)[number], Step>> = {
  provider: { permission: 'config.read', isDone: (_, { calls }) => hasProvider(calls) },
  key: {
    permission: 'keys.read',
    isDone: async (request, { tenants }) => hasAny(await listKeysAs(page(1), askedBy(request, tenants))),
  },
  budget: {
    permission: 'config.write',
    isDone: async (request, { money }) => hasAny(await listLimits('budget', page(1), askedBy(request, money))),
  },
  receiver: { permission: 'config.write', isDone: (_, { calls }) => describeRules(calls).receivers.length > 0 },
  people: {
    permission: 'users.write',
    isDone: async (request, { tenants }) => (await listPeople(page(2), askedBy(request, tenants))).items.length > 1,
  },
}

async function missingSteps(request: FastifyRequest, services: HttpServices): Promise<Overview['missing']> {
  const names = Object.keys(STEPS) as Overview['missing']
  const done = await Promise.all(
    names.map((name) => ifAllowed(request, STEPS[name].permission, () => STEPS[name].isDone(request, services))),
  )
  return names.filter((_, at) => done[at] === false)
}

function hasProvider({ config }: HttpServices['calls']): boolean {
  return Object.values(config.providers).some(
    ({ id, configured, credentials }) => configured && !BUILT_IN.includes(id) && credentials.length > 0,
  )
}

function hasAny({ items }: { items: readonly unknown[] }): boolean {
  return items.length > 0
}

function page(limit: number) {
  return { limit, cursor: undefined }
}
