import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { adminApiFile } from './admin-api-file.ts'
import { alertsPage } from './alerts-page.ts'
import { checkFieldsFile } from './check-fields-file.ts'
import { cliPage } from './cli-page.ts'
import { failuresPage } from './failures-page.ts'
import { governedPage } from './governed-page.ts'
import { operationsDashboard, requestsDashboard } from './grafana-dashboards.ts'
import { guardrailChecksPage } from './guardrail-checks-page.ts'
import { metricsPage } from './metrics-page.ts'
import { migrationPage } from './eden-tables.ts'
import { rolesPage } from './roles-page.ts'
import { settingsPage } from './settings-page.ts'

/** The pages and files that are written from the code. */
export const PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  '../console/api/admin-api.ts': adminApiFile,
  '../console/screens/guardrails/check-fields.ts': checkFieldsFile,
  // A chart can only read files of its own folder.
  '../deploy/helm/gatehouse/files/alerts.yml': () =>
    readFile(join(import.meta.dirname, 'prometheus/gatehouse.yml'), 'utf8'),
  'alerts.md': alertsPage,
  'cli.md': cliPage,
  'failures.md': failuresPage,
  'governed-fields.md': governedPage,
  'grafana/operations.json': operationsDashboard,
  'grafana/requests.json': requestsDashboard,
  'guardrail-checks.md': guardrailChecksPage,
  'metrics.md': metricsPage,
  'migration.md': migrationPage,
  'roles.md': rolesPage,
  'settings.md': settingsPage,
}
