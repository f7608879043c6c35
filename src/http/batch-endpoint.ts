import { BATCH_ENDPOINTS } from '../contract/batch-endpoints.ts'
import { documentedUrl } from './paths/other-paths.ts'

/** The endpoint that an address of a client means, with any version in front or with none, if lines of batches may be for it. */
export function batchEndpoint(url: string): string | undefined {
  const documented = documentedUrl(url.startsWith('/') ? url : `/${url}`)
  return BATCH_ENDPOINTS.find((one) => one === documented || one === `/v3${documented}`)
}
