import type { FastifyRequest } from 'fastify'
import { listKeysAs } from '../../../tenants/access/manage-keys.ts'
import { describeRules, readAlerts } from '../../../jobs/alerts/manage-alerts.ts'
import { FIRST_STEPS, Overview } from '../../../contract/admin/overview.ts'
import { countWatched } from '../../../jobs/admin/watch-jobs.ts'
import { countGivenUp } from '../../../jobs/admin/watch-deliveries.ts'
import { listRequests } from '../../../money/billing/request-log.ts'
import { listLimits } from '../../../money/limits/show-limits.ts'
import { listPeople } from '../../../tenants/people/manage-users.ts'
import type { Actor } from '../../../tenants/people/actor.ts'
import { mayAnything, whereMay } from '../../../tenants/people/may.ts'
import type { Permission } from '../../../tenants/people/roles.ts'
import { askLocalServers } from '../../../calls/upstream/reported-models.ts'
import { watchProviders } from '../../../calls/routing/watch-providers.ts'
import { watchTargets } from '../../../calls/routing/watch-targets.ts'
import { closed } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'
import { readSpan, visibleLines } from './query/line-filter-query.ts'

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
  summary: 'Get the overview',
  description: 'Failures, open alerts and first steps. Each part is null if you may not see the list behind it.',
  query: Span,
  replies: { 200: { description: 'The overview.', schema: Overview } },
  handle: async (request, _reply, services) => {
    const span = readSpan(request.query, services.jobs.now())
    const jobServices = askedBy(request, services.jobs)
    const [jobs, webhooks, alerts, steps] = await Promise.all([
      ifAllowed(request, 'jobs.read', () => countWatched(span, jobServices)),
      ifAllowed(request, 'jobs.read', () => countGivenUp(span, jobServices)),
      ifAllowed(request, 'alerts.read', () => readAlerts({ state: 'open', limit: MOST_ALERTS }, jobServices)),
      firstSteps(request, services),
    ])
    const targets = await ifAllowed(request, 'config.read', () => watchTargets(services.calls, services.operations))
    return {
      failed_jobs: jobs?.fail ?? null,
      failed_webhooks: webhooks,
      open_alerts: alerts?.items.length ?? null,
      circuits: targets?.circuits ?? null,
      steps,
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
  /** Whether it is for people who may do it with own things only, too. */
  isForOwn: boolean
  isDone: (request: FastifyRequest, services: HttpServices) => boolean | Promise<boolean>
}

const STEPS: Readonly<Record<(typeof FIRST_STEPS)[number], Step>> = {
  provider: { permission: 'config.write', isForOwn: false, isDone: (_, services) => hasProvider(services) },
  key: {
    permission: 'keys.write',
    isForOwn: true,
    isDone: async (request, { tenants }) => hasAny(await listKeysAs(page(1), askedBy(request, tenants))),
  },
  call: {
    permission: 'keys.write',
    isForOwn: true,
    isDone: async ({ actor }, { money }) => {
      const filter = await visibleLines(actor, money)
      return hasAny(await listRequests({ from: 0, to: money.now() + 1, filter }, page(1), money))
    },
  },
  budget: {
    permission: 'limits.write',
    isForOwn: false,
    isDone: async (request, { money }) => hasAny(await listLimits('budget', page(1), askedBy(request, money))),
  },
  people: {
    permission: 'members.write',
    isForOwn: false,
    isDone: async (request, { tenants }) => (await listPeople(page(2), askedBy(request, tenants))).items.length > 1,
  },
  receiver: {
    permission: 'config.write',
    isForOwn: false,
    isDone: (_, { calls }) => describeRules(calls).receivers.length > 0,
  },
}

/** Those that the role allows, in their order. */
async function firstSteps(request: FastifyRequest, services: HttpServices): Promise<Overview['steps']> {
  const names = FIRST_STEPS.filter((name) => {
    const { permission, isForOwn } = STEPS[name]
    return isForOwn ? mayAnything(request.actor, permission) : mayWithAll(request.actor, permission)
  })
  return await Promise.all(names.map(async (step) => ({ step, done: await STEPS[step].isDone(request, services) })))
}

function mayWithAll(actor: Actor, permission: Permission): boolean {
  const where = whereMay(actor, permission)
  return where.all || where.organizations.length + where.projects.length > 0
}

/** One with a credential, or a local server that answers. Only if there is no credential, the local servers are asked. */
async function hasProvider({ calls, operations }: HttpServices): Promise<boolean> {
  const providers = Object.values(calls.config.providers).filter(({ id }) => !BUILT_IN.includes(id))
  if (providers.some(({ configured, credentials }) => configured && credentials.length > 0)) return true
  const { items } = watchProviders(calls, operations.processName, await askLocalServers(calls))
  return items.some(({ id, state }) => !BUILT_IN.includes(id) && !['not_set_up', 'not_reachable'].includes(state))
}

function hasAny({ items }: { items: readonly unknown[] }): boolean {
  return items.length > 0
}

function page(limit: number) {
  return { limit, cursor: undefined }
}
