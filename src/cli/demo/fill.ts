import type { Catalog } from '../../platform/catalog/catalog.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/store/database.ts'
import type { Signer } from '../../jobs/webhooks/signature.ts'
import { addAlerts } from './alerts.ts'
import { addAliases } from './aliases.ts'
import { addEvents } from './audit.ts'
import { addBatches } from './batches.ts'
import { addCalls } from './calls.ts'
import type { Demo } from './demo.ts'
import { addGuardrails } from './guardrails.ts'
import { addJobs } from './jobs.ts'
import { addKeys } from './keys.ts'
import { addLimits } from './limits.ts'
import { addPeople } from './people.ts'
import { addProjects } from './projects.ts'
import { Random } from './random.ts'
import { DAY_MS } from '../../base/units/units.ts'

const SEED = 20_261_116

/** What a demo has. Later rows need what earlier ones have made, and the audit log is written in the order of the time. */
const KINDS: readonly { name: string; add(demo: Demo): Promise<number> }[] = [
  { name: 'projects', add: addProjects },
  { name: 'people', add: addPeople },
  { name: 'keys', add: addKeys },
  { name: 'aliases', add: addAliases },
  { name: 'budgets and rate limits', add: addLimits },
  { name: 'guardrails', add: addGuardrails },
  { name: 'calls', add: addCalls },
  { name: 'batches', add: addBatches },
  { name: 'jobs', add: addJobs },
  { name: 'events of the audit log', add: addEvents },
  { name: 'alerts', add: addAlerts },
]

type Needs = {
  db: Database
  config: Config
  catalog: Catalog
  signer: Signer
  days: number
  now: number
  progress: Progress
}
/** What is being made, and how much of everything is made. */
type Progress = { step(name: string): void; at(done: number, total: number): void }

/** Fills an empty store with a plausible month. Says how many there are of what. */
export async function fillDemo({ days, now, progress, ...needs }: Needs): Promise<{ name: string; count: number }[]> {
  const made: { name: string; count: number }[] = []
  const told = (share: number) => progress.at(Math.floor(((made.length + share) * 100) / KINDS.length), 100)
  const from = now - days * DAY_MS
  const demo: Demo = {
    ...needs,
    random: new Random(SEED),
    from,
    to: now,
    people: new Map(),
    keys: new Map(),
    made: told,
  }
  for (const { name, add } of KINDS) {
    // Each kind has numbers of its own, so that a change of one leaves the others as they are.
    demo.random = new Random(SEED + made.length)
    progress.step(name)
    told(0)
    made.push({ name, count: await add(demo) })
  }
  return made
}
