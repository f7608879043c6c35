import { CLOUDS } from './clouds.ts'
import { EMBEDDING_MAKERS } from './embedding-makers.ts'
import { HOSTS } from './hosts.ts'
import { IMAGE_MAKERS } from './image-makers.ts'
import { LOCAL } from './local.ts'
import { MAKERS } from './makers.ts'
import { OTHER_DIALECTS } from './other-dialects.ts'
import type { ProviderRow } from './provider.ts'
import { TASK_CLOUDS } from './task-clouds.ts'
import { TASK_MAKERS } from './task-makers.ts'

/** Every provider, by the name in front of its models. */
export const PROVIDERS: Record<string, ProviderRow> = {
  ...MAKERS,
  ...HOSTS,
  ...CLOUDS,
  ...LOCAL,
  ...OTHER_DIALECTS,
  ...IMAGE_MAKERS,
  ...EMBEDDING_MAKERS,
  ...TASK_CLOUDS,
  ...TASK_MAKERS,
}

/** Other names of providers → the names of their rows. */
export const PROVIDER_ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries(PROVIDERS).flatMap(([id, { aliases = [] }]) => aliases.map((alias) => [alias, id] as const)),
)
