import { recordOf } from '../../base/schema/record.ts'
import { type Implementation, META } from './meta.ts'
import { RESULT_TYPE } from './tasks.ts'
import { MODERN_VERSION, type ProtocolVersion } from './versions.ts'

// What servers add to their results, which depends on the revision of the request.

/** How long a client may keep a list, and for whom. */
export type CacheHint = { ttlMs: number; cacheScope: 'public' | 'private' }

/** The result of a request in its revision. */
export function resultFor(
  version: ProtocolVersion,
  server: Implementation,
  result: Readonly<Record<string, unknown>>,
  { cache, resultType = RESULT_TYPE.complete }: { cache?: CacheHint; resultType?: string } = {},
): object {
  if (version !== MODERN_VERSION) return result
  return { ...result, resultType, ...cache, _meta: { ...recordOf(result._meta), [META.serverInfo]: server } }
}
