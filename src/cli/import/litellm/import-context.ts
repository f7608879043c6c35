import type { Catalog } from '../../../platform/catalog/catalog.ts'
import type { Environment } from '../../../platform/config/environment.ts'
import type { Draft } from '../draft.ts'

export type ImportContext = {
  content: Record<string, unknown>
  /** For values that the config file has to hold itself, such as addresses. */
  environment: Environment
  catalog: Catalog
  draft: Draft
}
