import type { Call } from '../core/call.ts'

/** Which model answered, who ran it, at which attempt and price: known fully for a whole answer, in part for a stream. */
export function headersOf({ model, provider, attempts, cost, estimated }: Call): Record<string, string> {
  return {
    ...(model && { 'x-gatehouse-model': encodeURI(model) }),
    ...(provider && { 'x-gatehouse-provider': provider }),
    'x-gatehouse-attempts': String(attempts.length),
    ...(cost !== null && !estimated && { 'x-gatehouse-cost': String(cost) }),
  }
}
