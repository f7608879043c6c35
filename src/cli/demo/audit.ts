import { updateIssued, rotateIssued } from '../../tenants/access/keys.ts'
import { writeAuditEvents } from '../../tenants/audit/audited.ts'
import type { ChangeLimitRequest } from '../../contract/admin/limits.ts'
import { changeLimit } from '../../money/limits/manage-limits.ts'
import { addMember } from '../../tenants/people/manage-members.ts'
import { servicesAt, type Demo } from './demo.ts'
import { revokeOld } from './keys.ts'
import { PEOPLE, signInOn } from './people.ts'
import { DAY_SECONDS, DAY_MS, HOUR_MS } from '../../base/units/units.ts'

type Event = { at: number; happen(at: number): Promise<unknown> }

/** What people did during the month, in the order of the time: the log only grows. */
export async function addEvents(demo: Demo): Promise<number> {
  const events = [...signIns(demo), ...failedSignIns(demo), ...changes(demo)].filter(({ at }) => at < demo.to)
  for (const { at, happen } of events.sort((one, other) => one.at - other.at)) await happen(at)
  return events.length
}

/** On working days, in the morning. */
function signIns(demo: Demo): Event[] {
  return daysOf(demo).flatMap((day) =>
    PEOPLE.filter(() => demo.random.isTrue(isWeekend(day) ? 0.05 : 0.6)).map(({ email }) => {
      const at = day + 7 * HOUR_MS + demo.random.whole(0, 3 * HOUR_MS)
      return { at, happen: () => signInOn(demo, email, at) }
    }),
  )
}

function failedSignIns(demo: Demo): Event[] {
  return daysOf(demo)
    .filter(() => demo.random.isTrue(0.25))
    .map((day) => {
      const { email } = demo.random.pick(PEOPLE)
      const author = { actor: 'unknown', via: 'password' as const, ip: '198.51.100.23', request: null }
      const event = { action: 'sign_in.failed', object: `email:${email}`, after: { reason: 'password' } }
      return { at: day + 6 * HOUR_MS, happen: (at: number) => writeAuditEvents(servicesAt(demo, at).db, author, event) }
    })
}

function changes(demo: Demo): Event[] {
  const daysAgo = (days: number) => Math.max(demo.from + 20 * HOUR_MS, demo.to - days * DAY_MS)
  const limits = { config: demo.config, refreshLimits: async () => undefined }
  const key = (name: string) => demo.keys.get(name)!.id
  const budget = (id: string, body: ChangeLimitRequest) => (at: number) =>
    changeLimit('budget', { id, body }, { ...servicesAt(demo, at), ...limits })
  const emil = { user: demo.people.get('emil@demo.example')!.id, role: 'member' as const, project: 'search' }
  return [
    {
      at: daysAgo(21),
      happen: (at) => rotateIssued(key('support bot'), { overlap_seconds: DAY_SECONDS }, servicesAt(demo, at)),
    },
    { at: daysAgo(16), happen: budget('research', { limit: 35 }) },
    { at: daysAgo(12), happen: (at) => addMember(emil, servicesAt(demo, at)) },
    { at: daysAgo(9), happen: () => revokeOld(demo) },
    { at: daysAgo(5), happen: (at) => updateIssued(key('agents'), { name: 'agents' }, servicesAt(demo, at)) },
    { at: daysAgo(2), happen: budget('marketing', { limit: 2 }) },
    { at: daysAgo(1), happen: (at) => exported(demo, at) },
  ]
}

async function exported(demo: Demo, at: number): Promise<void> {
  const { db, author } = servicesAt(demo, at, 'grace@demo.example')
  await writeAuditEvents(db, author, {
    action: 'requests.export',
    object: 'requests',
    after: { format: 'csv', failed: true },
  })
}

function daysOf({ from, to }: Demo): number[] {
  const first = Math.ceil(from / DAY_MS) * DAY_MS + DAY_MS
  return Array.from(
    { length: Math.max(0, Math.floor((to - first) / DAY_MS) + 1) },
    (_, index) => first + index * DAY_MS,
  )
}

function isWeekend(day: number): boolean {
  return new Date(day).getUTCDay() % 6 === 0
}
