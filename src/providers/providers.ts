import { CLOUDS } from './clouds.ts'
import { EMBEDDING_PROVIDERS } from './embedding-providers.ts'
import { HOSTS } from './hosts.ts'
import { IMAGE_PROVIDERS } from './image-providers.ts'
import { LOCAL } from './local.ts'
import { MODEL_MAKERS } from './model-providers.ts'
import { OTHER_DIALECTS } from './other-dialects.ts'
import type { ProviderRow } from './provider.ts'
import { TASK_CLOUDS } from './task-clouds.ts'
import { TASK_PROVIDERS } from './task-providers.ts'

/** Every provider, by the name in front of its models. */
export const PROVIDERS: Record<string, ProviderRow> = {
  ...MODEL_MAKERS,
  ...HOSTS,
  ...CLOUDS,
  ...LOCAL,
  ...OTHER_DIALECTS,
  ...IMAGE_PROVIDERS,
  ...EMBEDDING_PROVIDERS,
  ...TASK_CLOUDS,
  ...TASK_PROVIDERS,
}

/** Other names of providers → the names of their rows. */
export const PROVIDER_ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries(PROVIDERS).flatMap(([id, { aliases = [] }]) => aliases.map((alias) => [alias, id] as const)),
)
