import { agentTables } from '../first-tables/agents.ts'
import { alertTables } from '../first-tables/alerts.ts'
import { auditTables } from '../first-tables/audit.ts'
import { batchTables } from '../first-tables/batches.ts'
import { clockOf } from '../first-tables/clock.ts'
import { contentTables } from '../first-tables/content.ts'
import { guardrailTables } from '../first-tables/guardrails.ts'
import { installationTables } from '../first-tables/installation.ts'
import { jobTables } from '../first-tables/jobs.ts'
import { keyTables } from '../first-tables/keys.ts'
import { ledgerTables } from '../first-tables/ledger.ts'
import { limitTables } from '../first-tables/limits.ts'
import { peopleTables } from '../first-tables/people.ts'
import { projectTables } from '../first-tables/projects.ts'
import type { Migration } from '../migration.ts'

/** Until the first release this is the only migration, and a change of the schema is a change of these tables. */
export const migration: Migration = {
  statements: (kind) => [
    ...clockOf(kind),
    ...installationTables,
    ...projectTables,
    ...keyTables(kind),
    ...peopleTables,
    ...agentTables,
    ...contentTables,
    ...jobTables,
    ...batchTables,
    ...ledgerTables(kind),
    ...guardrailTables,
    ...limitTables,
    ...auditTables(kind),
    ...alertTables,
  ],
}
